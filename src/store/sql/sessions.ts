import { and, gt, isNull, lte, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals } from './statements.ts';
import { loginLinks, sessions } from './tables.ts';

const ofHash = equals(sessions.hash, 'hash');

export function createSessionReads(db: Db): Pick<SyncReads, 'sessionByHash'> {
  const byHash = prepare(db, db.select().from(sessions).where(ofHash));
  return { sessionByHash: (hash) => byHash.get({ hash }) ?? null };
}

export function createSessionWrites(db: Db) {
  const over = prepare(db, db.delete(sessions).where(lte(sessions.expiresAt, sql.placeholder('now'))));
  const isOpen = and(isNull(loginLinks.usedAt), gt(loginLinks.expiresAt, sql.placeholder('now')));
  const take = prepare(
    db,
    db
      .update(loginLinks)
      .set({ usedAt: bound('now') })
      .where(and(equals(loginLinks.hash, 'hash'), isOpen))
      .returning({ id: loginLinks.id }),
  );
  const one = prepare(db, db.delete(sessions).where(ofHash));
  return {
    insertSession(session) {
      over.run({ now: session.createdAt });
      db.insert(sessions).values(session).run();
    },
    insertLoginLink: (link) => db.insert(loginLinks).values(link).returning({ id: loginLinks.id }).get().id,
    takeLoginLink(hash, now) {
      // Drizzle types the row as present, but it is undefined when the link has expired or was used.
      const used: { id: number } | undefined = take.get({ hash, now });
      return used?.id ?? null;
    },
    deleteSession: (hash) => one.run({ hash }).changes === 1,
  } satisfies Partial<SyncWrites>;
}
