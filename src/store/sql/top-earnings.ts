import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { StoreReads } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { equals } from './statements.ts';

/**
 * The largest awards of a gig. Amounts are in no index, so that only the newest awarded accounts are compared: a gig with
 * any number of them costs the same.
 */
export function createTopEarnings({ build, kit, prepare, tables }: Sql): Pick<StoreReads, 'topEarnings'> {
  const { earnings } = tables;
  const { platform, platformUserId, amount, rankedAt, observationId, state } = earnings;
  const username = kit.textOf(earnings.facts, 'username').as('username');
  const isVoid = sql`(select tips.is_void from tips where tips.id = earnings.tip_id)`.as('is_void');
  const newest = build
    .select({ platform, platformUserId, amount, rankedAt, observationId, username, isVoid })
    .from(earnings)
    .where(and(equals(earnings.gigId, 'gigId'), eq(state, 'awarded')))
    .orderBy(desc(observationId))
    .limit(sql.placeholder('among'))
    .as('newest');
  const { platform: network, platformUserId: id } = newest;
  const largest = build
    .select({ platform: network, platformUserId: id, username: newest.username, amount: newest.amount })
    .from(newest)
    .where(kit.isFalse('is_void'))
    .orderBy(kit.largestFirst(newest.amount), asc(newest.rankedAt), asc(newest.observationId));
  const top = prepare(largest.limit(sql.placeholder('limit')));
  return {
    topEarnings: async (gigId, { among, limit }) =>
      (await top.all({ gigId, among, limit })).map((row) => ({ ...row, amount: row.amount ?? 0n })),
  };
}
