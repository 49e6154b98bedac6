import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import { newSigningKey } from '../services/events/world.ts';
import { anvilClients, deployToken, mined } from '../support/anvil.ts';
import { openEventReceiver, type TestEventReceiver } from '../support/event-receiver.ts';
import { seedGig } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let wire: TestEventReceiver;
let key: string;
beforeEach(async () => {
  wire = await openEventReceiver();
  world = await openWorld({ env: { SIGNING_KEY: newSigningKey(), WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await useKey('shop');
});
afterEach(async () => {
  await world.close();
  await wire.close();
});

async function useKey(name: string, expiresAt: number | null = null): Promise<void> {
  const deps = { store: world.runtime.store, clock: Date.now, randomBytes, actor: COMMAND_LINE };
  ({ key } = await createApiKey(deps, { name, expiresAt }));
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: { 'x-api-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([path, response.ok, response.ok ? '' : await response.clone().text()]).toEqual([path, true, '']);
  // The tests of each route hold the shapes.
  return (await response.json()) as T;
}

test('behavior: a program is told of a gig from creation to its tips, by a webhook and by waiting', async () => {
  await ask('POST', '/api/webhooks', { url: wire.url });
  const { secret } = (await ask<{ data: { secret: string } }>('GET', '/api/webhooks/1/secret')).data;
  const waiting = ask<{ data: { type: string }[] }>('GET', '/api/events?after=latest&wait=25');
  const token = await deployToken({ decimals: 6, symbol: 'USDC', name: 'USD Coin' });
  const created = await ask<{ gig_id: number; gig_token_address: `0x${string}`; tx_data: `0x${string}` }>(
    'POST',
    '/api/gigs/create',
    {
      chain: 'anvil',
      token_address: token.address,
      amount: 100,
      start_time: new Date().toISOString(),
      duration: '1week',
      gig_type: 'mention',
    },
  );
  expect((await waiting).data.map(({ type }) => type)).toEqual(['gig.created']);
  const { gig_id: gigId } = created;
  const { wallet } = anvilClients();
  const to = { to: created.gig_token_address, data: created.tx_data };
  await mined(await wallet.sendTransaction({ account: token.holder, ...to }));
  await ask('POST', '/api/gigs/start', { gig_id: gigId });
  const tips = [1001, 1002].map((id) => ({ platform: 'farcaster', platform_user_id: id, value: '0.000001' }));
  await ask('POST', `/api/gigs/${gigId}/tips`, { tips });
  await ask('POST', `/api/gigs/${gigId}/stop`);
  const types = ['gig.created', 'gig.funded', 'gig.started', 'tips.awarded', 'gig.stopped', 'gig.ended'];
  /** What happens by request; the fee is paid meanwhile. */
  const asked = () => wire.received.filter(({ body }) => !body.type.startsWith('payment.'));
  await vi.waitFor(() => expect(asked().map(({ body }) => body.type)).toEqual(types), { timeout: 10_000 });
  expect(wire.seqs()).toEqual(wire.seqs().map((_, index) => index + 1));
  const library = new Webhook(secret);
  for (const { text, headers } of wire.received) {
    expect(library.verify(text, headers as Record<string, string>)).toEqual(JSON.parse(text));
    expect(() => library.verify(text.replace('gig', 'gag'), headers as Record<string, string>)).toThrow();
  }
  expect(asked().map(({ body: { data } }) => data)).toEqual([
    { gig_id: gigId, status: 'created', title: null },
    { gig_id: gigId, amount: '105' },
    { gig_id: gigId, status: 'live', title: null },
    { gig_id: gigId, count: 2, sum: '0.000002', first_tip_id: 1, last_tip_id: 2 },
    { gig_id: gigId, status: 'ended', title: null },
    { gig_id: gigId },
  ]);
  expect(world.lines.join('\n')).not.toContain(secret.slice(6));
});

test('behavior: a stop ends what waits, and a service that starts again delivers what it had not', async () => {
  await ask('POST', '/api/webhooks', { url: wire.url });
  const waiting = ask<{ data: unknown[] }>('GET', '/api/events?wait=25');
  await once(world.runtime.server, 'request');
  await world.stop();
  expect((await waiting).data).toEqual([]);
  const store = await world.database.open();
  const { id: gigId } = await seedGig(store, { client: 'shop' });
  await store.transaction((tx) => tx.insertEvents([{ type: 'gig.created', at: 1, gigId, facts: {} }]));
  await store.close();
  await world.start();
  await vi.waitFor(() => expect(wire.seqs()).toEqual([1]), { timeout: 10_000 });
});

test('security: the running service pauses a webhook whose key has expired', async () => {
  const { store } = world.runtime;
  await useKey('till', Date.now() + 2_000);
  await ask('POST', '/api/webhooks', { url: wire.url });
  await vi.waitFor(async () => expect(await store.webhooksEndedByKey()).toHaveLength(1), { timeout: 15_000 });
  expect(await store.webhookEndpoint(1)).toMatchObject({ pausedBecause: 'asked' });
});
