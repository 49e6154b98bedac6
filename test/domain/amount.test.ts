import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAmount, toFloat } from '../../src/domain/amount.ts';

const MAX_UINT256 = 2n ** 256n - 1n;

test('behavior: amounts are written as exact decimals without trailing zeros', () => {
  expect(formatAmount(1_500_000n, 6)).toBe('1.5');
  expect(formatAmount(100_000_000_000_000_000_000n, 18)).toBe('100');
  expect(formatAmount(0n, 18)).toBe('0');
  expect(formatAmount(1n, 18)).toBe('0.000000000000000001');
  expect(formatAmount(42n, 0)).toBe('42');
});

test('behavior: no digit is lost beyond what a float can hold', () => {
  expect(formatAmount(9_007_199_254_740_993n, 0)).toBe('9007199254740993');
  expect(formatAmount(9_007_199_254_740_993_000_000_000_000_000_001n, 18)).toBe('9007199254740993.000000000000000001');
  expect(formatAmount(MAX_UINT256, 18)).toBe(
    '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
  );
});

test('behavior: the decimal text of an amount gives back the amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: MAX_UINT256 }), fc.integer({ min: 0, max: 36 }), (amount, decimals) => {
      const text = formatAmount(amount, decimals);
      expect(text).toMatch(/^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
      const [whole = '', fraction = ''] = text.split('.');
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
    }),
  );
});

test('behavior: a float is the nearest one to the exact amount', () => {
  expect(toFloat(1_500_000n, 6)).toBe(1.5);
  expect(toFloat(300_000_000_000_000_000n, 18)).toBe(0.3);
  expect(toFloat(1_000_000_000_000_000_001n, 18)).toBe(1);
  expect(toFloat(9_007_199_254_740_993n, 0)).toBe(9_007_199_254_740_992);
  expect(toFloat(MAX_UINT256, 18)).toBe(1.157920892373162e59);
});
