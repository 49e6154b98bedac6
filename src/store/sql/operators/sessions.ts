import { and, gt, isNull, lte, sql } from 'drizzle-orm';
import type { LoginLink, Session } from '../../../domain/operators/api-key.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, theRow } from '../statements.ts';
import { nothing } from '../subjects.ts';

function ofHash({ sessions }: Tables) {
  return equals(sessions.hash, 'hash');
}

function createExpiry(db: Sql) {
  const { build, prepare, tables } = db;
  const { apiKeys, loginLinks, ownerSessions, sessions, signIns } = tables;
  /** What had expired before expires now; what had not keeps the time that was left to it. */
  const keepLeft = (table: typeof loginLinks | typeof sessions | typeof signIns | typeof ownerSessions) => {
    const { expiresAt } = table;
    const left = sql`case when ${expiresAt} <= ${bound('before')} then ${bound('now')} else ${expiresAt} - ${bound('by')} end`;
    return prepare(
      build
        .update(table)
        .set({ expiresAt: left })
        .where(gt(expiresAt, sql.placeholder('now'))),
    );
  };
  const allLeft = [keepLeft(loginLinks), keepLeft(sessions), keepLeft(signIns), keepLeft(ownerSessions)];
  const isBack = and(
    lte(apiKeys.expiresAt, sql.placeholder('keysBefore')),
    gt(apiKeys.expiresAt, sql.placeholder('now')),
  );
  const endBack = prepare(
    build
      .update(apiKeys)
      .set({ expiresAt: bound('now') })
      .where(isBack),
  );
  return {
    /**
     * After the clock was set back: log-in links, sign-ins and sessions that had expired `before`, and API keys that had
     * `keysBefore`, stay expired at `now`. Links, sign-ins and sessions that had not last as long as was left to them.
     */
    markExpired: locked(
      nothing,
      async ({ before, keysBefore, now }: { before: number; keysBefore: number; now: number }): Promise<void> => {
        for (const left of allLeft) await left.run({ before, now, by: before - now });
        await endBack.run({ keysBefore, now });
      },
    ),
  };
}

export const sessions = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { loginLinks, sessions } = tables;
  const byHash = prepare(build.select().from(sessions).where(ofHash(tables)));
  const over = prepare(build.delete(sessions).where(lte(sessions.expiresAt, sql.placeholder('now'))));
  const isOpen = and(isNull(loginLinks.usedAt), gt(loginLinks.expiresAt, sql.placeholder('now')));
  const take = prepare(
    build
      .update(loginLinks)
      .set({ usedAt: bound('now') })
      .where(and(equals(loginLinks.hash, 'hash'), isOpen))
      .returning({ id: loginLinks.id }),
  );
  const one = prepare(build.delete(sessions).where(ofHash(tables)));
  const session = boundTo(sessions, 'hash', 'apiKeyId', 'loginLinkId', 'createdAt', 'expiresAt');
  const insert = prepare(build.insert(sessions).values(session));
  const link = boundTo(loginLinks, 'hash', 'createdAt', 'expiresAt');
  const insertLink = prepare(build.insert(loginLinks).values(link).returning({ id: loginLinks.id }));
  return {
    reads: {
      /** The session under the hash of its token, expired or not. */
      sessionByHash: locked(
        nothing,
        async (hash: string): Promise<Session | null> => (await byHash.get({ hash })) ?? null,
      ),
    },
    writes: {
      /** Stores a session, and deletes those that had expired when it was made. */
      insertSession: locked(nothing, async (session: Session): Promise<void> => {
        await over.run({ now: session.createdAt });
        await insert.run({ ...session });
      }),
      insertLoginLink: locked(
        nothing,
        async (link: Pick<LoginLink, 'hash' | 'createdAt' | 'expiresAt'>): Promise<number> =>
          (await theRow(insertLink.get({ ...link }))).id,
      ),
      /** Consumes a log-in link and returns its id, or null when it is unknown, used or expired. */
      useLoginLink: locked(
        nothing,
        async (hash: string, now: number): Promise<number | null> => (await take.get({ hash, now }))?.id ?? null,
      ),
      ...createExpiry(db),
      /** False when there is none under this hash. */
      deleteSession: locked(nothing, async (hash: string): Promise<boolean> => (await one.run({ hash })) === 1),
    },
  };
});
