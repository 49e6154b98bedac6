import { and, eq, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { pollCursors } from './tables.ts';

export function createCursorReads(db: Db): Pick<SyncReads, 'pollCursor'> {
  const byPlatform = prepare(
    db,
    db
      .select({ cursor: pollCursors.cursor })
      .from(pollCursors)
      .where(eq(pollCursors.platform, sql.placeholder('platform'))),
  );
  return { pollCursor: (platform) => byPlatform.get({ platform })?.cursor ?? null };
}

export function createCursorWrites(db: Db): Pick<SyncWrites, 'setPollCursor' | 'claimPoll' | 'releasePoll'> {
  const claimedAt = sql`${sql.placeholder('now')}`;
  // A claim with a time in the future was made before the clock was set back.
  const isFree = sql`${pollCursors.claimedAt} <= ${sql.placeholder('before')} or ${pollCursors.claimedAt} > ${sql.placeholder('now')}`;
  const claim = prepare(
    db,
    db
      .insert(pollCursors)
      .values({
        platform: sql.placeholder('platform'),
        cursor: null,
        updatedAt: sql.placeholder('now'),
        claimedAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate({ target: pollCursors.platform, set: { claimedAt }, setWhere: isFree }),
  );
  const release = prepare(
    db,
    db
      .update(pollCursors)
      .set({ claimedAt: 0 })
      .where(
        and(
          eq(pollCursors.platform, sql.placeholder('platform')),
          eq(pollCursors.claimedAt, sql.placeholder('claimedAt')),
        ),
      ),
  );
  return {
    claimPoll: (platform, { now, everyMs }) => claim.run({ platform, now, before: now - everyMs }).changes === 1,
    releasePoll: (platform, since) => release.run({ platform, claimedAt: since }).changes === 1,
    setPollCursor(platform, cursor, now) {
      db.insert(pollCursors)
        .values({ platform, cursor, updatedAt: now })
        .onConflictDoUpdate({ target: pollCursors.platform, set: { cursor, updatedAt: now } })
        .run();
    },
  };
}
