import { and, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

export function createCursorReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'pollCursor'> {
  const { pollCursors } = tables;
  const byPlatform = prepare(
    build.select({ cursor: pollCursors.cursor }).from(pollCursors).where(equals(pollCursors.platform, 'platform')),
  );
  return { pollCursor: async (platform) => (await byPlatform.get({ platform }))?.cursor ?? null };
}

export function createCursorWrites(db: Sql): Pick<StoreTx, 'setPollCursor' | 'claimPoll' | 'releasePoll'> {
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
    async claimPoll(platform, { now, everyMs }) {
      return (await claim.run({ platform, now, before: now - everyMs, implausible: now + everyMs })) === 1;
    },
    releasePoll: (platform, since) => release({ platform, claimedAt: since }),
    async setPollCursor(platform, cursor, now) {
      await prepare(
        build
          .insert(pollCursors)
          .values({ platform, cursor, updatedAt: now })
          .onConflictDoUpdate({ target: pollCursors.platform, set: { cursor, updatedAt: now } }),
      ).run();
    },
  };
}
