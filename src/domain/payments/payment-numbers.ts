/** How many numbers share a word of a wallet's storage, as a power of two. */
const WORD_BITS = 8n;
const NUMBERS = 2n ** 256n;

/** Numbers that share one word of a wallet's storage. */
export interface NumberWord {
  /** The numbers' upper 248 bits. */
  readonly word: bigint;
  /** One bit for each number. */
  readonly bits: bigint;
}

/** The word of a number, and its bit there. @throws RangeError when it is not from 0 to 2^256 - 1 */
export function bitOf(number: bigint): NumberWord {
  if (number < 0n || number >= NUMBERS) throw new RangeError(`a number is from 0 to 2^256 - 1, got ${number}`);
  return { word: number >> WORD_BITS, bits: 1n << (number & 255n) };
}

/** The word of a wallet's marks that holds a number. @throws RangeError when it is not from 0 to 2^256 - 1 */
export function wordOf(number: bigint): bigint {
  return bitOf(number).word;
}

/** The numbers of each word, in the order of the numbers. */
export function byWord(numbers: readonly bigint[]): bigint[][] {
  return [...Map.groupBy(numbers, wordOf).values()];
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

/** Sets of numbers, by the words that hold them: a bit for each. */
export type NumberBits = ReadonlyMap<bigint, bigint>;

/** Adds numbers to a set. @throws RangeError when one is not from 0 to 2^256 - 1 */
export function addNumbers(set: Map<bigint, bigint>, numbers: readonly bigint[]): void {
  for (const number of numbers) {
    const { word, bits } = bitOf(number);
    set.set(word, (set.get(word) ?? 0n) | bits);
  }
}

/** Whether a set has a number. @throws RangeError when it is not from 0 to 2^256 - 1 */
export function hasNumber(set: NumberBits, number: bigint): boolean {
  const { word, bits } = bitOf(number);
  return ((set.get(word) ?? 0n) & bits) !== 0n;
}

/** The numbers of a word that are in one set and not in another. */
export function numbersWithout(word: bigint, one: NumberBits, other: NumberBits): bigint[] {
  return bitsToNumbers({ word, bits: (one.get(word) ?? 0n) & ~(other.get(word) ?? 0n) });
}

/** The numbers whose bits are set in a word, lowest first. */
export function bitsToNumbers({ word, bits }: NumberWord): bigint[] {
  const numbers: bigint[] = [];
  for (let bit = 0n, rest = bits; rest !== 0n; bit += 1n, rest >>= 1n) {
    if ((rest & 1n) === 1n) numbers.push((word << WORD_BITS) | bit);
  }
  return numbers;
}
