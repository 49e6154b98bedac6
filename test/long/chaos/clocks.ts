import { createHash } from 'node:crypto';

/**
 * How the chain's time goes: with the real one; not at all; ten minutes behind it; by five minutes at every fourth block.
 */
const PACES = ['even', 'still', 'lagging', 'jumping'] as const;
export type Pace = (typeof PACES)[number];

/** What the clocks say during a run, and whether the paying processes draw floors of tip numbers. */
export interface Clocks {
  /** By how much the service's clock is ahead of the real one. */
  readonly aheadMs: number;
  readonly pace: Pace;
  /** Without them, as before there were floors, two ledgers give the same numbers. */
  readonly drawsFloors: boolean;
}

export const RIGHT: Clocks = { aheadMs: 0, pace: 'even', drawsFloors: true };

const MOST_SECONDS = 600;
export const MOST_BEHIND_MS = 1_000 * MOST_SECONDS;

/** The clocks of a point: from ten minutes behind to ten ahead. They follow from its name, and so are the same each time. */
export function clocksOf(point: string): Clocks {
  const hash = createHash('sha256').update(point).digest();
  const aheadMs = 1_000 * ((hash.readUInt32BE(0) % (2 * MOST_SECONDS + 1)) - MOST_SECONDS);
  const pace = PACES[hash.readUInt8(4) % PACES.length] ?? 'even';
  return { aheadMs, pace, drawsFloors: hash.readUInt8(5) % 4 !== 0 };
}
