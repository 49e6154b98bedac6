import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { TopEarning } from '../../port/earning.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { nothing } from '../subjects.ts';

/**
 * The largest awards of a gig. Amounts are in no index, so that only the newest awarded accounts are compared: a gig with
 * any number of them costs the same.
 */
export const topEarnings = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
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
    reads: {
      /**
       * The largest awards among those of the `among` accounts whose acts are newest, without voided tips; equal ones by rank.
       */
      topEarnings: locked(
        nothing,
        async (gigId: number, { among, limit }: { among: number; limit: number }): Promise<TopEarning[]> =>
          (await top.all({ gigId, among, limit })).map((row) => ({ ...row, amount: row.amount ?? 0n })),
      ),
    },
    writes: {},
  };
});
