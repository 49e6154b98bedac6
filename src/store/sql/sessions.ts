import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { loginLinks, sessions } from './tables.ts';

const ofHash = eq(sessions.hash, sql.placeholder('hash'));

export function createSessionReads(db: Db): Pick<SyncReads, 'sessionByHash'> {
  const byHash = prepare(db, db.select().from(sessions).where(ofHash));
  return { sessionByHash: (hash) => byHash.get({ hash }) ?? null };
}

export function createSessionWrites(
  db: Db,
): Pick<SyncWrites, 'insertSession' | 'deleteSession' | 'insertLoginLink' | 'takeLoginLink'> {
  const over = prepare(db, db.delete(sessions).where(lte(sessions.expiresAt, sql.placeholder('now'))));
  const isOpen = and(isNull(loginLinks.usedAt), gt(loginLinks.expiresAt, sql.placeholder('now')));
  const take = prepare(
    db,
    db
      .update(loginLinks)
      .set({ usedAt: sql`${sql.placeholder('now')}` })
      .where(and(eq(loginLinks.hash, sql.placeholder('hash')), isOpen))
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
      const taken: { id: number } | undefined = take.get({ hash, now });
      return taken?.id ?? null;
    },
    deleteSession: (hash) => one.run({ hash }).changes === 1,
  };
}
