import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openService, type Service, seedLocalGig } from '../../../../http/service.ts';
import { published } from '../../../../http/terms.ts';
import { deployToken, fundToken, startAnvil } from '../../../../support/anvil.ts';
import { serveJsonRpc } from '../../../../support/json-rpc.ts';
import { seedAddress } from '../../../../support/store.ts';

const DOWN = { error: 'The chain of this gig cannot be reached right now; nothing was changed, try again later' };

const TOKEN = { address: seedAddress(0xaa), decimals: 18, symbol: 'T', name: 'T' };

let service: Service;

async function fundedGig(url?: string) {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' }, url);
  const gig = await seedLocalGig(service.store, token);
  await fundToken(token, gig.walletAddress, 105_000_000n, url);
  return gig;
}

beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

test('behavior: of fifty simultaneous starts exactly one gets 200', async () => {
  const gig = await fundedGig();
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.start(gig.id)));
  const bodies = await Promise.all(answers.map((answer) => answer.json()));
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect(count(200)).toBe(1);
  expect(count(409) + count(400)).toBe(49);
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 409) {
      expect(bodies[index]).toMatchObject({ error: `Gig with id ${gig.id} is currently being processed` });
    }
    if (answer.status === 400) expect(bodies[index]).toMatchObject({ error: 'Gig is already live' });
  }
  expect(await service.store.gigTransactions(gig.id)).toHaveLength(1);
});

test('security: starts that share a request id do not share the lock', async () => {
  const gig = await fundedGig();
  const same = { 'x-request-id': 'the-same' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.start(gig.id, same)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(await service.store.gigTransactions(gig.id)).toHaveLength(1);
});

test('behavior: starts of different gigs do not wait for each other', async () => {
  const gigs = [await fundedGig(), await fundedGig(), await fundedGig()];
  const answers = await Promise.all(gigs.map((gig) => service.start(gig.id)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
});

test('error: a start that died with the lock holds the gig for sixty seconds', async () => {
  const gig = await fundedGig();
  const lock = { holder: 'a process that died', now: NOW, until: NOW + 60_000 };
  expect(await service.store.transaction((tx) => tx.lockGig(gig.id, lock))).toBe(true);
  const during = await service.start(gig.id);
  expect(during.status).toBe(409);
  expect(during.headers.get('retry-after')).toBe('5');
  expect(await during.json()).toMatchObject({ error: `Gig with id ${gig.id} is currently being processed` });
  service.time.now = NOW + 59_999;
  expect((await service.start(gig.id)).status).toBe(409);
  service.time.now = NOW + 60_000;
  expect((await service.start(gig.id)).status).toBe(200);
});

test('error: the lock is asked before the chain, so that a busy gig costs no call', async () => {
  const rpc = await serveJsonRpc(() => ({ result: '0x7a69' }));
  const other = await openService({ rpcUrl: rpc.url });
  const gig = await seedLocalGig(other.store, TOKEN);
  await other.store.transaction((tx) => tx.lockGig(gig.id, { holder: 'other', now: NOW, until: NOW + 60_000 }));
  expect((await other.start(gig.id)).status).toBe(409);
  expect(rpc.asked).toEqual([]);
  await other.close();
  await rpc.close();
});

test('error: a chain that is down leaves the gig alone and its lock free', async () => {
  const node = await startAnvil();
  const down = await openService({ rpcUrl: node.url });
  const first = service;
  service = down;
  const gig = await fundedGig(node.url);
  service = first;
  await node.stop();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const answer = await down.start(gig.id);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ ...DOWN, code: 'chain_unreachable' });
    expect(text).not.toContain('127.0.0.1');
  }
  expect(await down.store.gig(gig.id)).toMatchObject({ status: 'created', production: false });
  const lock = { holder: 'anybody', now: NOW, until: NOW + 60_000 };
  expect(await down.store.transaction((tx) => tx.lockGig(gig.id, lock))).toBe(true);
  await down.close();
});

test.each([
  ['an error', () => ({ error: { code: -32000, message: 'secret detail of the node' } })],
  ['nothing', () => ({ result: null })],
])('error: a chain that answers %s is a 503 in our own words', async (_, answer) => {
  const rpc = await serveJsonRpc((method) => (method === 'eth_chainId' ? { result: '0x7a69' } : answer()));
  const odd = await openService({ rpcUrl: rpc.url });
  const gig = await seedLocalGig(odd.store, TOKEN);
  const response = await odd.start(gig.id);
  expect(response.status).toBe(503);
  expect(published(response, await response.json())).toEqual(DOWN);
  await odd.close();
  await rpc.close();
});
