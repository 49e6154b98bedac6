/** How many numbers share a word of a wallet's storage. */
const WORD_BITS = 8n;
const RANGE_SIZE = 2n ** 64n;
const NUMBERS = 2n ** 256n;

/**
 * Where the numbers of each kind of payment begin; each range has 2^64. The refund of a tip takes the tip's own number,
 * so that no tip is both paid and refunded; `rest` is a refund of money that belongs to no tip.
 */
export const NUMBER_RANGES = {
  tip: 0n,
  other: 2n ** 253n,
  rest: 2n ** 254n,
  fee: 2n ** 255n,
} as const;

export type NumberKind = keyof typeof NUMBER_RANGES;

/** Numbers that share one word of a wallet's storage. */
export interface NumberWord {
  /** The numbers' upper 248 bits. */
  readonly word: bigint;
  /** One bit for each number, never 0. */
  readonly bits: bigint;
}

/**
 * The number of the payment with this index in its range.
 * @throws RangeError when the index is not a whole number from 0 to 2^64 - 1
 */
export function numberOf(kind: NumberKind, index: number | bigint): bigint {
  const offset = BigInt(index);
  if (offset < 0n || offset >= RANGE_SIZE) throw new RangeError(`index must be from 0 to 2^64 - 1, got ${index}`);
  return NUMBER_RANGES[kind] + offset;
}

/** The kind of a number and its index in that range; null when it is in none. */
export function kindOfNumber(number: bigint): { kind: NumberKind; index: bigint } | null {
  for (const kind of ['tip', 'other', 'rest', 'fee'] as const) {
    const index = number - NUMBER_RANGES[kind];
    if (index >= 0n && index < RANGE_SIZE) return { kind, index };
  }
  return null;
}

/** The word of a number, and its bit there. @throws RangeError when it is not from 0 to 2^256 - 1 */
export function bitOf(number: bigint): NumberWord {
  if (number < 0n || number >= NUMBERS) throw new RangeError(`a number is from 0 to 2^256 - 1, got ${number}`);
  return { word: number >> WORD_BITS, bits: 1n << (number & 255n) };
}

/**
 * Numbers by the words that hold them, each word once, lowest first.
 * @throws RangeError when a number is not from 0 to 2^256 - 1, or occurs twice
 */
export function numbersToWords(numbers: Iterable<bigint>): NumberWord[] {
  const words = new Map<bigint, bigint>();
  for (const number of numbers) {
    const { word, bits } = bitOf(number);
    const before = words.get(word) ?? 0n;
    if ((before & bits) !== 0n) throw new RangeError(`number ${number} occurs twice`);
    words.set(word, before | bits);
  }
  return [...words].map(([word, bits]) => ({ word, bits })).toSorted((a, b) => (a.word < b.word ? -1 : 1));
}

/** The numbers whose bits are set in a word, lowest first. */
export function bitsToNumbers({ word, bits }: NumberWord): bigint[] {
  const numbers: bigint[] = [];
  for (let bit = 0n, rest = bits; rest !== 0n; bit += 1n, rest >>= 1n) {
    if ((rest & 1n) === 1n) numbers.push((word << WORD_BITS) | bit);
  }
  return numbers;
}
