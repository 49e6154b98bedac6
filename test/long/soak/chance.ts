/** Chance that comes out the same for the same seed. */
export interface Chance {
  /** From 0 up to, and without, 1. */
  next(): number;
  happens(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** Milliseconds to the next arrival of a Poisson stream of so many arrivals a second. */
  gap(perSecond: number): number;
}

/** Mulberry32: enough for a schedule, and small enough to be read. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    happens: (probability) => next() < probability,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
    gap: (perSecond) => (-Math.log(1 - next()) / perSecond) * 1_000,
  };
}
