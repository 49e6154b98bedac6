import { and, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { pollCursors } from './tables.ts';

export function createCursorReads(db: Db): Pick<SyncReads, 'pollCursor'> {
  const byPlatform = prepare(
    db,
    db.select({ cursor: pollCursors.cursor }).from(pollCursors).where(equals(pollCursors.platform, 'platform')),
  );
  return { pollCursor: (platform) => byPlatform.get({ platform })?.cursor ?? null };
}

export function createCursorWrites(db: Db): Pick<SyncWrites, 'setPollCursor' | 'claimPoll' | 'releasePoll'> {
  const claimedAt = bound('now');
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
  const release = prepareChange(
    db,
    pollCursors,
    { claimedAt: 0 },
    and(equals(pollCursors.platform, 'platform'), equals(pollCursors.claimedAt, 'claimedAt')),
  );
  return {
    claimPoll: (platform, { now, everyMs }) => claim.run({ platform, now, before: now - everyMs }).changes === 1,
    releasePoll: (platform, since) => release({ platform, claimedAt: since }),
    setPollCursor(platform, cursor, now) {
      db.insert(pollCursors)
        .values({ platform, cursor, updatedAt: now })
        .onConflictDoUpdate({ target: pollCursors.platform, set: { cursor, updatedAt: now } })
        .run();
    },
  };
}
