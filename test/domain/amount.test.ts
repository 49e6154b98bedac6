import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  briefAmount,
  decimalText,
  formatAmount,
  formatDecimal,
  groupedAmount,
  MAX_AMOUNT,
  parseAmount,
  toFloat,
} from '../../src/domain/amount.ts';

const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_TEXT = '115792089237316195423570985008687907853269984665640564039457584007913129639935';

test('behavior: amounts are written as exact decimals without trailing zeros', () => {
  expect(formatAmount(1_500_000n, 6)).toBe('1.5');
  expect(formatAmount(100_000_000_000_000_000_000n, 18)).toBe('100');
  expect(formatAmount(0n, 18)).toBe('0');
  expect(formatAmount(1n, 18)).toBe('0.000000000000000001');
  expect(formatAmount(42n, 0)).toBe('42');
});

test.each([
  [9_999_998_799_639_973_773_260n, 18, '9,999.99'],
  [5_528_466_671_100_000n, 18, '0.00552846'],
  [1n, 18, '0.000000000000000001'],
  [1_000_000_100_000_000_000n, 18, '1'],
  [999_999_999n, 6, '999.999'],
  [12_345_678_900_000n, 6, '12,345,678'],
  [1_500_000n, 6, '1.5'],
  [100n, 0, '100'],
  [0n, 18, '0'],
])('behavior: %d with %d decimals is cut to six significant digits: %s', (amount, decimals, text) => {
  expect(briefAmount(amount, decimals)).toBe(text);
});

test.each([
  [1_234_567_500_000n, 6, '1,234,567.5'],
  [1_000n, 0, '1,000'],
  [999_000_001n, 6, '999.000001'],
  [1_234n, 6, '0.001234'],
])('behavior: %d with %d decimals has separators for people: %s', (amount, decimals, text) => {
  expect(groupedAmount(amount, decimals)).toBe(text);
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

test('behavior: decimals for people always have a point', () => {
  expect(formatDecimal(10_000_000n, 6)).toBe('10.0');
  expect(formatDecimal(0n, 18)).toBe('0.0');
  expect(formatDecimal(0n, 0)).toBe('0.0');
  expect(formatDecimal(42n, 0)).toBe('42.0');
  expect(formatDecimal(10_500_000n, 6)).toBe('10.5');
  expect(formatDecimal(1n, 36)).toBe(`0.${'0'.repeat(35)}1`);
  expect(formatDecimal(MAX_UINT256, 0)).toBe(`${MAX_TEXT}.0`);
});

test.each<[given: string | number, text: string]>([
  ['10', '10'],
  ['10.50', '10.50'],
  [10, '10'],
  [0.5, '0.5'],
  [0.1 + 0.2, '0.30000000000000004'],
  [1e20, '100000000000000000000'],
  [0.000001, '0.000001'],
  [1e-7, '0.0000001'],
  [1.25e-9, '0.00000000125'],
  ['1'.repeat(160), '1'.repeat(160)],
])('behavior: %j is an amount', (given, text) => {
  expect(decimalText(given)).toBe(text);
});

test.each([
  ...[0, -0, -1, 1e21, 1e300, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ...['', '0', '00', '0.0', '01', '-1', '+1', '1e3', '1.', '.1', '1.1.1', '1,1', ' 1', '1\n', 'NaN', '0x1', '1n', '١'],
  ...['1'.repeat(161), `1.${'0'.repeat(200)}`, '1e-5'],
])('error: %j is no amount', (given) => {
  expect(decimalText(given)).toBeNull();
});

test('behavior: an amount is read exactly into base units', () => {
  expect(parseAmount('10', 6)).toBe(10_000_000n);
  expect(parseAmount('10.000001', 6)).toBe(10_000_001n);
  expect(parseAmount('7', 0)).toBe(7n);
  expect(parseAmount('9007199254740993.000000000000000001', 18)).toBe(9_007_199_254_740_993_000_000_000_000_000_001n);
  expect(parseAmount(MAX_TEXT, 0)).toBe(MAX_AMOUNT);
});

test('error: more decimals than the token has, and more than a token can count', () => {
  expect(parseAmount('10.0000001', 6)).toBe('too_many_decimals');
  expect(parseAmount('10.0000000', 6)).toBe('too_many_decimals');
  expect(parseAmount('1.0', 0)).toBe('too_many_decimals');
  expect(parseAmount('115792089237316195423570985008687907853269984665640564039457584007913129639936', 0)).toBe(
    'too_large',
  );
  expect(parseAmount('1'.repeat(100), 0)).toBe('too_large');
});

test('behavior: an amount that was written is read back, as text and, while it is short, as a number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: MAX_UINT256 }), fc.integer({ min: 0, max: 36 }), (amount, decimals) => {
      for (const text of [formatAmount(amount, decimals), formatDecimal(amount, Math.max(1, decimals))]) {
        expect(decimalText(text)).toBe(text);
      }
      expect(parseAmount(formatAmount(amount, decimals), decimals)).toBe(amount);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 15 }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
      // Fifteen digits survive in a float, and JSON carries its shortest text.
      const number: unknown = JSON.parse(JSON.stringify(toFloat(BigInt(amount), decimals)));
      const text = typeof number === 'number' ? decimalText(number) : null;
      expect(text === null ? null : parseAmount(text, decimals)).toBe(BigInt(amount));
    }),
  );
});
