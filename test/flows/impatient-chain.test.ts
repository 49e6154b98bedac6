import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import type { JsonRpcServer } from '../support/json-rpc.ts';
import { serveRpcProxy } from '../support/rpc-proxy.ts';
import { seedGig } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';
import { answerTo, seedUsdc } from './posts.ts';

const YEAR_SECONDS = 31_536_000;
const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;

let world: World;
let proxy: JsonRpcServer;
/** How far the service's clock is ahead of the real one, in milliseconds. */
let ahead = 0;
/** What the endpoint asks for with HTTP 429; null while it answers. */
let retryAfter: string | null = null;

beforeEach(async () => {
  ahead = 0;
  retryAfter = null;
  proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) => {
    if (retryAfter === null || method === 'eth_chainId') return undefined;
    const headers = { 'retry-after': retryAfter };
    return Promise.resolve((response) => response.writeHead(429, headers).end('{}'));
  });
  world = await openWorld({ env: { RPC_URL_31337: proxy.url }, clock: () => Date.now() + ahead });
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

async function unstartedGig() {
  const { store } = world.runtime;
  const { tokenId } = await seedUsdc(store);
  return await seedGig(store, { tokenId, owners: [BOB] });
}

test('error: an endpoint that asks for a year delays its author by three waits of five minutes, and the later command runs', async () => {
  const gig = await unstartedGig();
  retryAfter = String(YEAR_SECONDS);
  const start = world.farcaster.post({ author: 'bob', text: `@gigclaim start gig ${gig.id}` });
  await expect.poll(() => world.runtime.store.mention(1)).not.toBeNull();
  const later = world.farcaster.post({ author: 'bob', text: '@gigclaim claims' });
  // Without a lease the attempt is over and the wait set: a clock that went on before that would lengthen the wait.
  const rows = () => world.database.sql('select attempts, lease, last_error as error from mentions where id = ?', 1);
  for (const attempts of [1, 2, 3]) {
    const error = expect.stringContaining('HTTP status 429');
    await expect.poll(rows).toEqual([{ attempts, lease: null, error }]);
    ahead += 300_000;
  }
  expect(await answerTo(world.farcaster, start)).toMatch(/^I could not read the blockchain just now/);
  expect(await answerTo(world.farcaster, later)).not.toBe('');
});

test.each([String(YEAR_SECONDS), '1e300', '1e999', 'Wed, 01 Jan 2200 00:00:00 GMT'])(
  'error: an endpoint that asks for %s has the API ask for 300 seconds',
  async (asked) => {
    const gig = await unstartedGig();
    const { store } = world.runtime;
    const actor = COMMAND_LINE;
    const request = { name: 'test', expiresAt: null, scopes: ['operator'] as const };
    const { key } = await createApiKey({ store, clock: Date.now, randomBytes, actor }, request);
    retryAfter = asked;
    const response = await fetch(`${world.url}/api/gigs/start`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ gig_id: gig.id }),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '300']);
  },
);

test('behavior: a mention that an earlier version put a year ahead is answered after a start', async () => {
  const gig = await unstartedGig();
  retryAfter = '60';
  const start = world.farcaster.post({ author: 'bob', text: `@gigclaim start gig ${gig.id}` });
  const lastError = async () => (await world.runtime.store.mention(1))?.lastError;
  await expect.poll(lastError).toContain('HTTP status 429');
  await world.stop();
  retryAfter = null;
  await world.database.sql('update mentions set due_at = ? where id = 1', Date.now() + YEAR_SECONDS * 1_000);
  await world.start();
  expect(await answerTo(world.farcaster, start)).toContain('is not funded');
});
