import { formatUnits, parseUnits } from 'viem/utils';

export const MAX_AMOUNT = 2n ** 256n - 1n;

const PLAIN_DECIMAL = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
/** More than any amount needs: 78 digits before the point, and after it as many as a token may have. */
const MAX_DIGITS = 160;

/** An amount of a token in its base units, as exact decimal text: `formatAmount(1500000n, 6)` is `1.5`. */
export function formatAmount(amount: bigint, decimals: number): string {
  return formatUnits(amount, decimals);
}

/** No uint256 has more than 26 groups of three digits. */
const grouped = (whole: string) => whole.replace(/\B(?=(?:[0-9]{3}){1,26}$)/g, ',');

/** As {@link formatAmount}, for people: `1,234,567.5`. */
export function groupedAmount(amount: bigint, decimals: number): string {
  const [whole = '0', ...fraction] = formatUnits(amount, decimals).split('.');
  return [grouped(whole), ...fraction].join('.');
}

/** How many digits of an amount people read at once; the exact one is elsewhere. */
const BRIEF_DIGITS = 6;

/** An amount cut, not rounded, to six significant digits: `9999.99879` is `9,999.99`. The whole part keeps all its digits. */
export function briefAmount(amount: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = formatUnits(amount, decimals).split('.');
  const leading = whole === '0' ? fraction.search(/[1-9]|$/) : -whole.length;
  const kept = fraction.slice(0, Math.max(0, leading + BRIEF_DIGITS)).replace(/(?<!0)0+$/, '');
  return kept === '' ? grouped(whole) : `${grouped(whole)}.${kept}`;
}

/** Like {@link formatAmount}, always with a decimal point: `10.0`. */
export function formatDecimal(amount: bigint, decimals: number): string {
  const text = formatUnits(amount, decimals);
  return text.includes('.') ? text : `${text}.0`;
}

/**
 * The nearest float to an amount, only for JSON fields that the interface declares as numbers. Sum the integers first
 * and convert once.
 */
export function toFloat(amount: bigint, decimals: number): number {
  // Parsing decimal text rounds once, correctly; the exponent moves the point without another rounding.
  return Number(`${amount}e-${decimals}`);
}

/** The shortest decimal text of a number, without the exponent that JavaScript uses for the smallest ones. */
function textOf(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e-');
  return exponent === undefined ? text : `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}

/**
 * The decimal text of an amount from JSON: a string as it is, a number as its shortest decimal text. Null unless it is
 * a positive plain decimal: no sign, exponent, space, NaN or zero, and no number so large that JavaScript uses an
 * exponent.
 */
export function decimalText(value: string | number): string | null {
  const text = typeof value === 'number' ? textOf(value) : value;
  if (text.length > MAX_DIGITS || !PLAIN_DECIMAL.test(text)) return null;
  return /[1-9]/.test(text) ? text : null;
}

export type AmountProblem = 'too_many_decimals' | 'too_large';

/** Reads a {@link decimalText} into base units, exactly. */
export function parseAmount(text: string, decimals: number): bigint | AmountProblem {
  const fraction = text.split('.')[1] ?? '';
  if (fraction.length > decimals) return 'too_many_decimals';
  const amount = parseUnits(text, decimals);
  return amount > MAX_AMOUNT ? 'too_large' : amount;
}
