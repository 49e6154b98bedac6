import { type Hex, numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { TIPS_PAID_TOPIC } from '../../../../src/chain/payer/contract/events.ts';
import { findPaidEvents } from '../../../../src/chain/payer/read/paid-events.ts';
import { createEndpoint } from '../../../../src/chain/rpc/endpoint.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { ANVIL } from '../../../support/payer.ts';
import { openEndpoint } from '../../../support/proxies.ts';

const LIMITS = { clock: Date.now, timeoutMs: 10_000, retries: 0, deadlineMs: 20_000 };
const TO: Address = `0x${'22'.repeat(20)}`;
const HASH: Hex = `0x${'33'.repeat(32)}`;
const wallets = Array.from({ length: 201 }, (_, index) => numberToHex(index + 1, { size: 20 }));

/** A payment of 7 with the numbers 256 and 258. */
function event(place: number, blockNumber: bigint) {
  const data = `0x${[TO, '0x7', '0x1', '0x5'].map((word) => pad(word as Hex).slice(2)).join('')}`;
  const topics = [TIPS_PAID_TOPIC, pad(TO)];
  return { address: wallets[place], topics, data, transactionHash: HASH, blockNumber: numberToHex(blockNumber) };
}

/** An endpoint whose blocks 10 to 19 have payments of three wallets, and how many wallets it was asked about. */
async function open() {
  const logs = [event(0, 15n), event(1, 19n), event(150, 12n), event(200, 15n)];
  const asked: number[] = [];
  const { url } = await openEndpoint((method, _times, [filter]) => {
    if (method !== 'eth_getLogs') return { result: numberToHex(ANVIL.id) };
    const { address } = filter as { address: readonly string[] };
    asked.push(address.length);
    return { result: logs.filter((log) => address.includes(log.address ?? '')) };
  });
  return { asked, endpoint: createEndpoint({ ...LIMITS, chain: ANVIL, rpcUrl: url }) };
}

test('behavior: a hundred wallets are asked about at a time, and the oldest payments come first', async () => {
  const { asked, endpoint } = await open();
  const told: [done: number, total: number][] = [];
  const onBlocks = (done: number, total: number) => void told.push([done, total]);
  const query = { chainKey: 'anvil', wallets, from: 10n, to: 19n, onBlocks };
  const found = await findPaidEvents(endpoint, query);
  expect(asked).toEqual([100, 100, 1]);
  const paid = { token: TO, to: TO, amount: 7n, numbers: [256n, 258n], hash: HASH };
  expect(found).toEqual([
    { ...paid, wallet: wallets[150], blockNumber: 12n },
    { ...paid, wallet: wallets[0], blockNumber: 15n },
    { ...paid, wallet: wallets[200], blockNumber: 15n },
    { ...paid, wallet: wallets[1], blockNumber: 19n },
  ]);
  expect(told).toEqual([0, 10, 20, 30, 30].map((done) => [done, 30]));
  expect(await findPaidEvents(endpoint, { ...query, onBlocks: undefined })).toHaveLength(4);
});
