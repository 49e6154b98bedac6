import { type Hex, keccak256, numberToHex, pad, toHex, zeroAddress, zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import { decodeFailedCount, encodePaid, encodePay, encodePayMany } from '../../../../src/chain/payer/contract/calls.ts';
import {
  DELEGATION_CODE,
  MARKS_SLOT,
  PAYER_CONTRACTS,
  storageKey,
} from '../../../../src/chain/payer/contract/contracts.ts';
import { decodePayFailed, decodeTipsPaid, TIPS_PAID_TOPIC } from '../../../../src/chain/payer/contract/events.ts';
import { markingPayments, paymentsOf } from '../../../../src/chain/payer/contract/payments.ts';
import { decodeRevert } from '../../../../src/chain/payer/contract/reverts.ts';
import { signDelegation, signPay } from '../../../../src/chain/payer/contract/signature.ts';
import { gigOf } from '../../../support/tip-payer.ts';

const TOKEN = '0x1111111111111111111111111111111111111111';
const TO = '0x2222222222222222222222222222222222222222';
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

describe('payments', () => {
  test('behavior: tips of two words become two payments with the amount of each', () => {
    const tips = [
      { number: 300n, amount: 5n },
      { number: 1n, amount: 2n },
      { number: 2n, amount: 3n },
    ];
    expect(paymentsOf({ token: TOKEN, to: TO, tips })).toEqual([
      { token: TOKEN, to: TO, amount: 5n, word: 0n, bits: 6n },
      { token: TOKEN, to: TO, amount: 5n, word: 1n, bits: 2n ** 44n },
    ]);
  });

  test('behavior: numbers are marked by a payment of nothing from the wallet to itself', () => {
    expect(markingPayments(TO, [4n])).toEqual([{ token: NATIVE, to: TO, amount: 0n, word: 0n, bits: 16n }]);
  });

  test.each([
    ['no tips', []],
    ['a negative amount', [{ number: 1n, amount: -1n }]],
    [
      'a number that occurs twice',
      [
        { number: 1n, amount: 1n },
        { number: 1n, amount: 1n },
      ],
    ],
  ])('error: %s is refused', (_what, tips) => {
    expect(() => paymentsOf({ token: TOKEN, to: TO, tips })).toThrow(RangeError);
  });
});

describe('the place of the marks', () => {
  test('behavior: is the ERC-7201 namespace gig.tips.paid', () => {
    const inner = BigInt(keccak256(toHex('gig.tips.paid'))) - 1n;
    const outer = BigInt(keccak256(numberToHex(inner, { size: 32 })));
    expect(BigInt(MARKS_SLOT)).toBe(outer - (outer % 256n));
    expect(storageKey(5n)).toBe(keccak256(`0x${'5'.padStart(64, '0')}${MARKS_SLOT.slice(2)}`));
  });

  test('behavior: a wallet that delegates has 23 bytes of code', () => {
    expect(DELEGATION_CODE).toBe(`0xef0100${PAYER_CONTRACTS.tipPayer.address.slice(2)}`);
  });
});

describe('logs', () => {
  const data: Hex = `0x${[TOKEN, '07', '01', '05'].map((word) => word.replace('0x', '').padStart(64, '0')).join('')}`;
  const log = { address: TOKEN.toUpperCase().replace('0X', '0x'), topics: [TIPS_PAID_TOPIC, pad(TO)], data };

  test('behavior: TipsPaid names wallet, recipient, token, amount and numbers', () => {
    expect(decodeTipsPaid(log)).toEqual({ wallet: TOKEN, to: TO, token: TOKEN, amount: 7n, word: 1n, bits: 5n });
  });

  test.each([
    ['another event', { ...log, topics: [zeroHash, pad(TO)] }],
    ['a topic too few', { ...log, topics: [TIPS_PAID_TOPIC] }],
    ['no topics', { ...log, topics: [] }],
    ['data that is cut off', { ...log, data: '0x01' as Hex }],
    ['no data', { ...log, data: '0x' as Hex }],
  ])('behavior: %s is no payment', (_what, other) => {
    expect(decodeTipsPaid(other)).toBeNull();
    expect(decodePayFailed(other)).toBeNull();
  });
});

describe('reverts', () => {
  test.each([
    ['0x', { kind: 'silent' }],
    [keccak256(toHex('BadSignature()')).slice(0, 10), { kind: 'bad_signature' }],
    [keccak256(toHex('NoNumbers()')).slice(0, 10), { kind: 'no_numbers' }],
    [keccak256(toHex('NotDelegated()')).slice(0, 10), { kind: 'not_delegated' }],
    ['0x12345678', { kind: 'unknown', reason: 'custom error 0x12345678' }],
    ['0x1234', { kind: 'unknown', reason: 'no reason given' }],
  ])('behavior: %s is understood', (data, refusal) => {
    expect(decodeRevert(data as Hex)).toEqual(refusal);
  });

  test('behavior: AlreadyPaid names all numbers that are paid', () => {
    const selector = keccak256(toHex('AlreadyPaid(uint256,uint256)')).slice(0, 10);
    const words = ['2', '9'].map((word) => word.padStart(64, '0')).join('');
    expect(decodeRevert(`${selector}${words}` as Hex)).toEqual({ kind: 'already_paid', numbers: [512n, 515n] });
  });
});

describe('calls and signatures', () => {
  test('behavior: calldata begins with the selectors of the contracts', () => {
    const selector = (text: string) => keccak256(toHex(text)).slice(0, 10);
    const pay = encodePay([], { r: zeroHash, vs: zeroHash });
    expect(pay.slice(0, 10)).toBe(selector('pay((address,address,uint256,uint256,uint256)[],bytes32,bytes32)'));
    expect(encodePayMany([]).slice(0, 10)).toBe(selector('payMany((address,uint256,bytes)[])'));
    expect(encodePaid(3n)).toBe(`${selector('paid(uint256)')}${'3'.padStart(64, '0')}`);
    expect(decodeFailedCount(numberToHex(2, { size: 32 }))).toBe(2n);
  });

  test('security: an account signs for no wallet but its own', async () => {
    const terms = { chainId: 1, wallet: zeroAddress, payments: [] };
    await expect(signPay(gigOf().account, terms)).rejects.toThrow(/cannot sign for/);
  });

  test.each([0, -1, 1.5, Number.NaN])('security: nothing is authorized on chain %d', async (chainId) => {
    await expect(signDelegation(gigOf().account, { chainId, nonce: 0 })).rejects.toThrow(RangeError);
  });
});
