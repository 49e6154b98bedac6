import { and, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { PlatformPause } from '../../../domain/platforms/call-gate.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { nothing } from '../subjects.ts';

/** Which process polls. */
function createPollClaims(db: Sql) {
  const { build, prepare, tables } = db;
  const { pollCursors } = tables;
  const claimedAt = bound('now');
  // Clocks of processes differ a little; what is further in the future was claimed before the clock was set back.
  const isFree = sql`${pollCursors.claimedAt} <= ${sql.placeholder('before')} or ${pollCursors.claimedAt} > ${sql.placeholder('implausible')}`;
  const claim = prepare(
    build
      .insert(pollCursors)
      .values({
        platform: sql.placeholder('platform'),
        cursor: null,
        updatedAt: sql.placeholder('now'),
        claimedAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate({ target: pollCursors.platform, set: { claimedAt }, setWhere: isFree }),
  );
  const release = prepareChange(
    db,
    pollCursors,
    { claimedAt: 0 },
    and(equals(pollCursors.platform, 'platform'), equals(pollCursors.claimedAt, 'claimedAt')),
  );
  return {
    /**
     * Claims the poll of a platform's mentions, so that only one of several processes polls. False when it was claimed
     * less than `everyMs` before `now`.
     */
    claimPoll: locked(
      nothing,
      async (platform: Platform, { now, everyMs }: { now: number; everyMs: number }): Promise<boolean> => {
        return (await claim.run({ platform, now, before: now - everyMs, implausible: now + everyMs })) === 1;
      },
    ),
    /** Releases the poll claimed at `claimedAt`, so that it may be claimed at once; false when another process has it. */
    releasePoll: locked(nothing, (platform: Platform, since: number) => release({ platform, claimedAt: since })),
  };
}

export const pollCursors = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { pollCursors } = tables;
  const byPlatform = prepare(
    build.select({ cursor: pollCursors.cursor }).from(pollCursors).where(equals(pollCursors.platform, 'platform')),
  );
  const read = boundTo(pollCursors, 'cursor', 'updatedAt');
  const set = prepare(
    build
      .insert(pollCursors)
      .values({ ...boundTo(pollCursors, 'platform'), ...read })
      .onConflictDoUpdate({ target: pollCursors.platform, set: read }),
  );
  const pauseOf = prepare(
    build
      .select({ until: pollCursors.pausedUntil, reason: pollCursors.pauseReason })
      .from(pollCursors)
      .where(equals(pollCursors.platform, 'platform')),
  );
  const pause = boundTo(pollCursors, 'pausedUntil', 'pauseReason');
  const setPause = prepare(
    build
      .insert(pollCursors)
      .values({ ...boundTo(pollCursors, 'platform', 'updatedAt'), cursor: null, ...pause })
      .onConflictDoUpdate({ target: pollCursors.platform, set: pause }),
  );
  return {
    reads: {
      /** The last time that the platform refused every call of the account, which may be over; null before the first. */
      platformPause: locked(nothing, async (platform: Platform): Promise<PlatformPause | null> => {
        const { until = null, reason = null } = (await pauseOf.get({ platform })) ?? {};
        return until === null || reason === null ? null : { until, reason };
      }),
      /** Where the last complete poll for mentions ended. */
      pollCursor: locked(
        nothing,
        async (platform: Platform): Promise<string | null> => (await byPlatform.get({ platform }))?.cursor ?? null,
      ),
    },
    writes: {
      ...createPollClaims(db),
      setPollCursor: locked(nothing, async (platform: Platform, cursor: string | null, now: number): Promise<void> => {
        await set.run({ platform, cursor, updatedAt: now });
      }),
      setPlatformPause: locked(
        nothing,
        async (platform: Platform, { until, reason }: PlatformPause, now: number): Promise<void> => {
          await setPause.run({ platform, updatedAt: now, pausedUntil: until, pauseReason: reason });
        },
      ),
    },
  };
});
