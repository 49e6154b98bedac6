import { z } from 'zod';

/** Milliseconds from the Unix epoch to the first id of X's scheme (docs.x.com, fundamentals/x-ids). */
const FIRST_ID_MS = 1_288_834_974_657n;
const SEQUENCE_BITS = 22n;

/**
 * An id on X: 64 bits as decimal text, without leading zeros. Numbers are refused: as a JSON number it would lose
 * digits.
 */
export const xId = z.string().regex(/^[1-9][0-9]{0,18}$/);

/** Epoch ms at which an id was issued. */
export function idTime(id: string): number {
  return Number((BigInt(id) >> SEQUENCE_BITS) + FIRST_ID_MS);
}

/** The id before every id issued at or after `time` (epoch ms). */
export function idBefore(time: number): string {
  const first = (BigInt(Math.trunc(time)) - FIRST_ID_MS) << SEQUENCE_BITS;
  return first <= 1n ? '1' : String(first - 1n);
}

/** The larger of two ids. */
export function laterId(a: string, b: string): string {
  return BigInt(a) >= BigInt(b) ? a : b;
}
