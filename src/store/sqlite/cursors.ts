import { eq, sql } from 'drizzle-orm';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { pollCursors } from './schema.ts';

export function createCursorReads(db: Db): Pick<SyncReads, 'pollCursor'> {
  const byPlatform = db
    .select({ cursor: pollCursors.cursor })
    .from(pollCursors)
    .where(eq(pollCursors.platform, sql.placeholder('platform')))
    .prepare();
  return { pollCursor: (platform) => byPlatform.get({ platform })?.cursor ?? null };
}

export function createCursorWrites(db: Db): Pick<SyncWrites, 'setPollCursor'> {
  return {
    setPollCursor(platform, cursor, now) {
      db.insert(pollCursors)
        .values({ platform, cursor, updatedAt: now })
        .onConflictDoUpdate({ target: pollCursors.platform, set: { cursor, updatedAt: now } })
        .run();
    },
  };
}
