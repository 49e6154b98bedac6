import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGigclaim, type GigclaimEvent, verifyWebhook } from '../../../client/gigclaim.ts';
import { USUAL_SCOPES } from '../../../src/domain/operators/actor.ts';
import { deployToken } from '../../support/anvil.ts';
import { newApiKey } from '../../support/clients.ts';
import { listen } from '../../support/listen.ts';
import { newSigningKey } from '../../support/verifier.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let key: string;
beforeAll(async () => {
  const keys = { GIG_WALLET_MNEMONIC: generateMnemonic(wordlist), SIGNING_KEY: newSigningKey() };
  world = await openWorld({ env: { ...keys, WEBHOOK_ALLOW_PRIVATE: 'true' } });
  key = await newApiKey(world.runtime.store, { name: 'shop', scopes: USUAL_SCOPES });
});
afterAll(() => world.close());

/** A receiver of webhooks, and what it has verified. */
async function receive(secretOf: () => string) {
  const events: GigclaimEvent[] = [];
  const server = createServer(async (request, response) => {
    events.push(await verifyWebhook(await text(request), request.headers, secretOf()));
    response.writeHead(204).end();
  });
  const { url, close } = await listen(server);
  return { events, url: `${url}/hook`, close };
}

test('behavior: what happens to a gig is read, awaited, and received by a webhook, each event the same', async () => {
  const api = createGigclaim({ url: world.url, key });
  let secret = '';
  const receiver = await receive(() => secret);
  const { data: made } = await api.POST('/api/webhooks', { body: { url: receiver.url } });
  const params = { path: { id: String(made.data.id) } };
  ({ secret } = (await api.GET('/api/webhooks/{id}/secret', { params })).data.data);

  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const body = {
    chain: 'anvil',
    token_address: token.address,
    amount: '100',
    start_time: new Date(Date.now() - 1_000).toISOString(),
    duration: '1week',
    gig_type: 'mention',
    earning_criteria: 'The best posts.',
  } as const;
  const { data: gig } = await api.POST('/api/gigs/create', { body });
  const reading = api.events();
  const { value: first } = await reading.next();
  expect(first).toMatchObject({ type: 'gig.created', seq: 1, data: { gig_id: gig.gig_id, status: 'created' } });

  // The reader waits for what comes, and goes on from the cursor of what it has.
  const waiting = reading.next();
  await api.POST('/api/gigs/{id}/cancel', { params: { path: { id: String(gig.gig_id) } } });
  const { value: second } = await waiting;
  expect(second).toMatchObject({ type: 'gig.cancelled', seq: 2 });
  await reading.return(undefined);
  const { value: again } = await api.events(first?.after).next();
  expect(again).toEqual(second);

  await expect.poll(() => receiver.events.length).toBe(2);
  expect(receiver.events).toEqual([first, second].map(({ after, ...event }) => event));
  await api.DELETE('/api/webhooks/{id}', { params });
  await receiver.close();
});
