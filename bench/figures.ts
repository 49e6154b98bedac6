/** The middle of several rounds with the least and the most, so that a reader sees how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The value below which a `share` (0 to 1) of ascending values lies; NaN when there are none. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const index = Math.min(ascending.length - 1, Math.floor(ascending.length * share));
  return ascending[index] ?? Number.NaN;
}

/** @throws RangeError when there are no values */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) throw new RangeError('no values to take a median of');
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? most;
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? least;
  return { median: (lower + upper) / 2, least, most };
}

/** The ratios of two contenders measured in the same rounds: of each round by itself, since the machine's pace drifts. */
export function ratios(ours: readonly number[], theirs: readonly number[]): Spread {
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** A number with as many digits as it deserves: `12,345`, `12.3`, `1.23`. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `median (least–most)`. */
export function shownSpread({ median, least, most }: Spread): string {
  return `${shown(median)} (${shown(least)}–${shown(most)})`;
}
