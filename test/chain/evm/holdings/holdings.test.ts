import { concatHex, type Hex, numberToHex, size, toFunctionSelector } from 'viem';
import { describe, expect, inject, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import { MOST_HOLDERS } from '../../../../src/domain/chains/chain.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, placeCode } from '../../../support/anvil.ts';
import { ANVIL } from '../../../support/payer.ts';
import { openProxy } from '../../../support/proxies.ts';
import { answeringWord, LYING_AT_TIMES, REVERTING, SILENT } from '../../../support/token.ts';

const NOW = 1_700_000_000_000;

function readerAt(rpcUrl: string) {
  return createChains({ endpoints: [{ chain: ANVIL, rpcUrls: [rpcUrl] }], clock: () => NOW }).reader(31337);
}
const reader = () => readerAt(inject('anvilUrl'));

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
/** PUSH32 value, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const answer = (value: bigint): Hex => concatHex(['0x7f', word(value), '0x5f5260205ff3']);
/** JUMPDEST, PUSH0, JUMP to it again: it takes all gas that it gets. */
const BURNING: Hex = '0x5b5f56';

/**
 * Runtime code that runs the code of a selector, and reverts any other: PUSH0, CALLDATALOAD, PUSH1 0xe0, SHR; for each DUP1, PUSH4
 * selector, EQ, PUSH2 place, JUMPI; PUSH0, PUSH0, REVERT; each code behind a JUMPDEST.
 */
function dispatching(codes: Readonly<Record<string, Hex>>): Hex {
  const entries = Object.entries(codes);
  let place = 5 + entries.length * 11 + 3;
  const heads: Hex[] = [];
  for (const [signature, code] of entries) {
    heads.push(concatHex(['0x8063', toFunctionSelector(signature), '0x1461', numberToHex(place, { size: 2 }), '0x57']));
    place += 1 + size(code);
  }
  return concatHex(['0x5f3560e01c', ...heads, REVERTING, ...entries.map(([, code]) => concatHex(['0x5b', code]))]);
}

/** Answers a balance of nothing, and a supply. */
const PLAIN = { 'totalSupply()': answer(1_000n), 'balanceOf(address)': answer(0n) };

describe('what a token says that addresses hold', () => {
  test('behavior: is read of many addresses by one call in one settled block', async () => {
    const token = await deployToken({ decimals: 6 });
    const owners = Array.from({ length: MOST_HOLDERS }, () => freshAddress());
    const [first = freshAddress(), last = freshAddress()] = [owners[0], owners.at(-1)];
    await fundToken(token, first, 1_500_001n);
    await fundToken(token, last, 7n);
    const proxy = await openProxy(inject('anvilUrl'));
    const answered = await readerAt(proxy.url).holdings({ token: token.address, owners });
    expect(answered.amounts).toEqual(owners.map((owner) => (owner === first ? 1_500_001n : owner === last ? 7n : 0n)));
    const block = await anvilClients().public.getBlock({ blockNumber: answered.block.number });
    expect([answered.oddity, answered.block.hash]).toEqual([null, block.hash]);
    expect(proxy.requests.join().match(/eth_call/g)).toHaveLength(1);
    await proxy.close();
  });

  test('behavior: is read in the block that is named', async () => {
    const token = await deployToken({ decimals: 18 });
    const owner = freshAddress();
    await fundToken(token, owner, 5n);
    const before = await reader().holdings({ token: token.address, owners: [owner] });
    await fundToken(token, owner, 6n);
    await fundNative(freshAddress(), 1n);
    const query = { token: token.address, owners: [owner] };
    expect((await reader().holdings({ ...query, block: before.block })).amounts).toEqual([5n]);
    expect((await reader().holdings(query)).amounts).toEqual([11n]);
    expect(await reader().isCanonical(before.block)).toBe(true);
    const other = { ...before.block, hash: `0x${'0f'.repeat(32)}` } as const;
    expect(await reader().isCanonical(other)).toBe(false);
    await expect(reader().holdings({ ...query, block: other })).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
    });
  });

  test.each<[string, Hex, string | null]>([
    ['reverts', REVERTING, 'reverts'],
    ['answers nothing', SILENT, 'reverts'],
    ['burns all gas', dispatching({ ...PLAIN, 'balanceOf(address)': BURNING }), 'reverts'],
    ['has no supply', dispatching({ 'balanceOf(address)': answer(0n) }), 'reverts'],
    ['gives everybody a balance', answeringWord('0x05'), 'lies'],
    ['gives random addresses a balance', dispatching({ ...PLAIN, 'balanceOf(address)': answer(3n) }), 'lies'],
    ['counts shares', dispatching({ ...PLAIN, 'sharesOf(address)': answer(0n) }), 'rebases'],
    ['scales balances', dispatching({ ...PLAIN, 'scaledBalanceOf(address)': answer(0n) }), 'rebases'],
    ['is plain', dispatching(PLAIN), null],
  ])('error: is not believed of a contract that %s', async (_, code, oddity) => {
    const token = await placeCode(code);
    const { amounts, oddity: found } = await reader().holdings({ token, owners: [freshAddress()] });
    expect([found, amounts]).toEqual([oddity, [amounts[0] ?? null]]);
  });

  test('error: is not believed when the addresses hold more than there is', async () => {
    // A balance of 1 for one address in sixteen: of three random ones mostly none.
    const token = await placeCode(dispatching({ 'totalSupply()': answer(0n), 'balanceOf(address)': LYING_AT_TIMES }));
    const rich = `0x${'10'.repeat(20)}` as const;
    const { oddity } = await reader().holdings({ token, owners: [rich] });
    expect(oddity).toBe('lies');
  });

  test('error: is nothing where there is no contract', async () => {
    const { amounts, oddity } = await reader().holdings({ token: freshAddress(), owners: [freshAddress()] });
    expect([amounts, oddity]).toEqual([[null], 'reverts']);
  });

  test('error: more addresses than one call takes are refused', async () => {
    const owners = Array.from({ length: MOST_HOLDERS + 1 }, () => freshAddress());
    await expect(reader().holdings({ token: freshAddress(), owners })).rejects.toThrow(RangeError);
  });
});
