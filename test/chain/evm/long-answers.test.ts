import { encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { toReceipt } from '../../../src/chain/evm/receipt.ts';
import { revertBytes, revertReason } from '../../../src/chain/evm/revert.ts';

/** As many bytes as a call may answer with 50 million gas. */
const LONG = `0x${'00'.repeat(4_900_000)}` as const;
const HASH = `0x${'ab'.repeat(32)}` as const;
const FROM = `0x${'cd'.repeat(20)}` as const;

describe('millions of bytes that a contract has chosen', () => {
  test('security: are cut in a revert, and its reason is told', () => {
    const reason = (data: unknown) => revertReason({ text: '', data });
    for (const data of [LONG, { data: LONG }, `Reverted ${LONG}`]) expect(reason(data)).toBe('custom error 0x00000000');
    expect(revertBytes(LONG)?.length).toBeLessThan(LONG.length / 2);
    const errors = parseAbi(['error Error(string reason)']);
    const said = encodeErrorResult({ abi: errors, errorName: 'Error', args: ['paused'] });
    for (const data of [said, { data: said }, `Reverted ${said}`]) expect(reason(data)).toBe('paused');
    for (const data of ['0x0', '0xzz', 'paused', null]) expect(revertBytes(data)).toBeNull();
  });

  test('security: in an event do not make a receipt unreadable', () => {
    const log = { address: FROM, topics: [HASH], data: LONG };
    const numbers = { blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' };
    const answer = { transactionHash: HASH, from: FROM, blockHash: HASH, status: '0x1', ...numbers, logs: [log] };
    expect(toReceipt(answer, { hash: HASH, from: FROM })?.logs[0]?.data).toHaveLength(LONG.length);
    const odd = { ...answer, logs: [{ ...log, data: '0x0' }] };
    expect(toReceipt(odd, { hash: HASH, from: FROM })).toBeUndefined();
  });
});
