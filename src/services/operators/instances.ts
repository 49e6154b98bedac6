import { createHash } from 'node:crypto';
import { StoreMoved } from '../../domain/errors.ts';
import type { InstanceStatus } from '../../store/port/index.ts';
import type { JobContext } from '../context.ts';

/** Leases compare the clocks of instances with the times in the store: a clock further off would take others' work. */
const MOST_AHEAD_MS = 1_000;
/** Longer than the time between two looks: the process, or its machine, was stopped meanwhile. */
const ASLEEP_MS = 6_000;

/** Whether a clock is so far off the store's that its instance takes no work. */
export function isClockOff({ clockAheadMs }: { readonly clockAheadMs: number }): boolean {
  return Math.abs(clockAheadMs) > MOST_AHEAD_MS;
}

/** How this instance stands among those that serve the same store. */
export interface InstanceWatch {
  /** Tells the others that this one lives, and sees who does. */
  look(): Promise<void>;
  /** The first look after a sleep, as of a machine that was stopped: begins it when it is due. Null when there is none. */
  lookAfterSleep(): Promise<void> | null;
  /** Why nothing may use the store any more, because it was moved to another database; null while it may be used. */
  moved(): string | null;
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

interface BeatOptions {
  readonly version: string;
  /** Called once, with the reason. */
  readonly onMoved: (reason: string) => void;
}

function createBeat({ store, version, onMoved }: BeatOptions & { readonly store: JobContext['store'] }) {
  let moved: string | null = null;
  return {
    moved: () => moved,
    /** Null when the store was moved. */
    async beat(): Promise<InstanceStatus | null> {
      try {
        return await store.beat(version);
      } catch (error) {
        if (!(error instanceof StoreMoved)) throw error;
        if (moved === null) onMoved(error.message);
        moved ??= error.message;
        return null;
      }
    },
  };
}

export function createInstanceWatch({ store, version, clock, log, onMoved }: JobContext & BeatOptions): InstanceWatch {
  let standing: InstanceStatus = { id: null, clockAheadMs: 0 };
  let others: readonly string[] = [];
  const { beat, moved } = createBeat({ store, version, onMoved });
  let lookedAt = clock();
  let waking: Promise<void> | null = null;
  const hasSlept = () => Math.abs(clock() - lookedAt) >= ASLEEP_MS;
  const isOnTime = () => !isClockOff(standing);

  async function look(): Promise<void> {
    const wasOnTime = isOnTime();
    const found = await beat();
    if (found === null) return;
    standing = found;
    const living = (await store.instances()).filter(({ isAlive }) => isAlive);
    others = living.map(({ id }) => id).filter((id) => id !== standing.id);
    const { clockAheadMs } = standing;
    if (wasOnTime && !isOnTime()) log.error({ clockAheadMs }, 'the clock differs from the database; no work is taken');
    if (!wasOnTime && isOnTime()) log.info({ clockAheadMs }, 'the clock agrees with the database again');
  }

  /** Looks, and has requests wait for it after a sleep. */
  function lookNow(): Promise<void> {
    const isWaking = hasSlept();
    lookedAt = clock();
    const looked = look();
    if (!isWaking) return looked;
    const awake = () => {
      waking = null;
    };
    // After a failure the next beat says it, and a request that needs the store finds out by itself.
    waking = looked.then(awake, awake);
    return looked;
  }

  return {
    look: lookNow,
    lookAfterSleep() {
      if (waking === null && hasSlept()) void lookNow();
      return waking;
    },
    moved,
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
