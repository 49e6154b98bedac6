import { createHash } from 'node:crypto';
import type { Log } from '../../log.ts';
import type { InstanceStanding, Store } from '../../store/port/index.ts';

/** Leases compare the clocks of instances with the times in the store: a clock further off would take others' work. */
const MOST_AHEAD_MS = 1_000;

/** Whether a clock is so far off the store's that its instance takes no work. */
export function isClockOff({ clockAheadMs }: Pick<InstanceStanding, 'clockAheadMs'>): boolean {
  return Math.abs(clockAheadMs) > MOST_AHEAD_MS;
}

/** How this instance stands among those that serve the same store. */
export interface InstanceWatch {
  /** Tells the others that this one lives, and sees who does. */
  look(): Promise<void>;
  /** Whether the clock agrees with the store's: otherwise the instance takes no work and is not ready. */
  isOnTime(): boolean;
  /** By how many milliseconds the clock is ahead of the store's, negative when it is behind. */
  clockAheadMs(): number;
  /** How many instances live, this one included. */
  living(): number;
  /**
   * Whether this one of the living takes care of a subject, by their ids alone: it saves questions to chains, and nothing
   * rests on it.
   */
  owns(subject: string): boolean;
}

function rank(instance: string, subject: string): string {
  return createHash('sha256').update(`${instance} ${subject}`).digest('hex');
}

export function createInstanceWatch({
  store,
  version,
  log,
}: {
  readonly store: Pick<Store, 'beat' | 'instances'>;
  readonly version: string;
  readonly log: Log;
}): InstanceWatch {
  let standing: InstanceStanding = { id: null, clockAheadMs: 0 };
  let others: readonly string[] = [];
  const isOnTime = () => !isClockOff(standing);
  return {
    async look() {
      const wasOnTime = isOnTime();
      standing = await store.beat(version);
      const living = (await store.instances()).filter(({ isAlive }) => isAlive);
      others = living.map(({ id }) => id).filter((id) => id !== standing.id);
      const { clockAheadMs } = standing;
      if (wasOnTime && !isOnTime())
        log.error({ clockAheadMs }, 'the clock differs from the database; no work is taken');
      if (!wasOnTime && isOnTime()) log.info({ clockAheadMs }, 'the clock agrees with the database again');
    },
    isOnTime,
    clockAheadMs: () => standing.clockAheadMs,
    living: () => others.length + 1,
    owns(subject) {
      const { id } = standing;
      if (id === null) return true;
      const own = rank(id, subject);
      return others.every((other) => rank(other, subject) < own);
    },
  };
}
