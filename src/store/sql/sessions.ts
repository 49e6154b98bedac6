import { and, gt, isNull, lte, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, theRow } from './statements.ts';

function ofHash({ sessions }: Tables) {
  return equals(sessions.hash, 'hash');
}

export function createSessionReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'sessionByHash'> {
  const { sessions } = tables;
  const byHash = prepare(build.select().from(sessions).where(ofHash(tables)));
  return { sessionByHash: async (hash) => (await byHash.get({ hash })) ?? null };
}

export function createSessionWrites({ build, prepare, tables }: Sql) {
  const { apiKeys, loginLinks, sessions } = tables;
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
  /** What had expired before expires now; what had not keeps the time that was left to it. */
  const keepLeft = async (
    table: typeof loginLinks | typeof sessions,
    { before, now }: { before: number; now: number },
  ) => {
    const { expiresAt } = table;
    const left = sql`case when ${expiresAt} <= ${before} then ${now} else ${expiresAt} - ${before - now} end`;
    await prepare(build.update(table).set({ expiresAt: left }).where(gt(expiresAt, now))).run();
  };
  return {
    async insertSession(session) {
      await over.run({ now: session.createdAt });
      await prepare(build.insert(sessions).values(session)).run();
    },
    async insertLoginLink(link) {
      const insert = prepare(build.insert(loginLinks).values(link).returning({ id: loginLinks.id }));
      return (await theRow(insert.get())).id;
    },
    takeLoginLink: async (hash, now) => (await take.get({ hash, now }))?.id ?? null,
    async keepExpired(times) {
      const { keysBefore, now } = times;
      await keepLeft(loginLinks, times);
      await keepLeft(sessions, times);
      const isBack = and(lte(apiKeys.expiresAt, keysBefore), gt(apiKeys.expiresAt, now));
      await prepare(build.update(apiKeys).set({ expiresAt: now }).where(isBack)).run();
    },
    deleteSession: async (hash) => (await one.run({ hash })) === 1,
  } satisfies Partial<StoreTx>;
}
