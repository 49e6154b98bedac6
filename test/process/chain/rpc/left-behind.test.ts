import { queryObjects } from 'node:v8';
import { expect, onTestFinished, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import { type Chain, chainById } from '../../../../src/domain/chains/chain.ts';
import { serveJsonRpc } from '../../../support/json-rpc.ts';

const TOKEN = { address: '0x00000000000000000000000000000000000000aa', isNative: false } as const;
const OWNER = '0x00000000000000000000000000000000000000bb';
const ANSWERS: Readonly<Record<string, string>> = { eth_chainId: '0x2105', eth_blockNumber: '0x10' };

// In a process of its own: what is counted are the objects of all of it, and counting takes as long as it has memory.
test('behavior: an endpoint leaves no signal and no timer behind, however often it is asked', async () => {
  const server = await serveJsonRpc((method) => ({ result: ANSWERS[method] ?? `0x${'64'.padStart(64, '0')}` }));
  onTestFinished(server.close);
  const base = createChains({
    endpoints: [{ chain: chainById(8453) as Chain, rpcUrls: [server.url] }],
    clock: () => 1_700_000_000_000,
    timeoutMs: 60_000,
    deadlineMs: 60_000,
  }).reader(8453);
  expect((await base.balance({ token: TOKEN, owner: OWNER })).amount).toBe(100n);
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  // Collects garbage before it counts; the HTTP client lets go of its own a moment after an answer.
  const signals = () => queryObjects(AbortSignal, { format: 'count' });
  const before = { timers: timers(), signals: signals() };
  for (let count = 0; count < 50; count += 1) await base.balance({ token: TOKEN, owner: OWNER });
  // A handful belong to the connections of the HTTP client and server; each call would leave several.
  expect(timers()).toBeLessThan(before.timers + 10);
  await expect.poll(signals).toBeLessThan(before.signals + 10);
});
