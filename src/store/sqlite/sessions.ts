import { eq, lte, sql } from 'drizzle-orm';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { sessions } from './schema.ts';

const ofHash = eq(sessions.hash, sql.placeholder('hash'));

export function createSessionReads(db: Db): Pick<SyncReads, 'sessionByHash'> {
  const byHash = db.select().from(sessions).where(ofHash).prepare();
  return { sessionByHash: (hash) => byHash.get({ hash }) ?? null };
}

export function createSessionWrites(db: Db): Pick<SyncWrites, 'insertSession' | 'deleteSession'> {
  const over = db
    .delete(sessions)
    .where(lte(sessions.expiresAt, sql.placeholder('now')))
    .prepare();
  const one = db.delete(sessions).where(ofHash).prepare();
  return {
    insertSession(session) {
      over.run({ now: session.createdAt });
      db.insert(sessions).values(session).run();
    },
    deleteSession: (hash) => one.run({ hash }).changes === 1,
  };
}
