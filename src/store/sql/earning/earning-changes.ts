import { and, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { AccountKey } from '../../../domain/account.ts';
import type { RefusalReason } from '../../../domain/earning/earning.ts';
import type { EarningDecision } from '../../port/earning.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, changeEach, equals } from '../statements.ts';
import { byGig, byItsGig } from '../subjects.ts';
import { createEarningHolders } from './earning-holders.ts';
import { EARNING_ELIGIBLE, EARNING_HELD } from './earning-tables.ts';
import { createEvaluationInsert } from './evaluations.ts';
import { createEarnedSum } from './watches.ts';

function ofGig({ earnings }: Tables) {
  return equals(earnings.gigId, 'gigId');
}

/** Keeps SQLite to the key: an index by state would walk all accounts of the gig that are in it. */
function stateOf({ kit, tables }: Sql) {
  return kit.noWayIn(tables.earnings.state);
}

type Move = Parameters<ReturnType<typeof createEvaluationInsert>>[0];

/** The change is recorded with the facts that the earning has then. */
function createMove(db: Sql, set: PgUpdateSetSource<Tables['earnings']>, condition: SQL) {
  const { build, prepare, tables } = db;
  const { earnings } = tables;
  const { platform, platformUserId } = earnings;
  const isTheirs = and(ofGig(tables), equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
  const query = build.update(earnings).set({ ...set, state: bound('state'), updatedAt: bound('now') });
  // As the store holds them: the record gets the same text.
  const facts = sql<string | null>`${earnings.facts}`;
  const change = query.where(and(isTheirs, condition)).returning({ facts });
  const update = prepare(change);
  const record = createEvaluationInsert(db);
  return async (move: Omit<Move, 'facts'>, values: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const row = await update.get({ ...move, ...values });
    if (row === undefined) return false;
    await record({ ...move, facts: row.facts });
    return true;
  };
}

function createDecision(db: Sql) {
  const set = {
    reason: bound('reason'),
    facts: bound('facts'),
    observationId: bound('observationId'),
    rankedAt: bound('rankedAt'),
    dueAt: bound('dueAt'),
    round: bound('round'),
    weight: bound('weight'),
    note: bound('note'),
  };
  const state = stateOf(db);
  const move = createMove(db, set, sql`${state} = ${sql.placeholder('from')} and ${state} <> 'awarded'`);
  const keepHolders = createEarningHolders(db);
  return async (decision: EarningDecision, now: number): Promise<boolean> => {
    const { gigId, platform, platformUserId, from, to, reason } = decision;
    const { observationId, rankedAt, dueAt, part, note = null } = decision;
    const round = part?.round ?? null;
    const weight = part === null ? null : String(part.weight);
    const facts = decision.facts === null ? null : JSON.stringify(decision.facts);
    const moved = { gigId, platform, platformUserId, now, state: to, reason, amount: null };
    if (!(await move(moved, { from, facts, observationId, rankedAt, dueAt, round, weight, note }))) return false;
    if (to === 'eligible') await keepHolders(decision);
    return true;
  };
}

function createAward(db: Sql) {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const set = { tipId: bound('tipId'), amount: bound('awarded') };
  const move = createMove(db, set, sql`${stateOf(db)} = 'eligible'`);
  const addEarned = createEarnedSum(db);
  const { rewardAmount: reward, awardedAmount: awarded } = gigs;
  const sums = prepare(build.select({ reward, awarded }).from(gigs).where(equals(gigs.id, 'gigId')));
  return async (
    gigId: number,
    { platform, platformUserId }: AccountKey,
    { tipId, amount, now }: { tipId: number; amount: bigint; now: number },
  ): Promise<boolean> => {
    const moved = { gigId, platform, platformUserId, now, state: 'awarded', reason: null, amount } as const;
    if (!(await move(moved, { tipId, awarded: String(amount) }))) return false;
    const gig = await sums.get({ gigId });
    if (gig === undefined || gig.awarded > gig.reward)
      throw new RangeError(`gig ${gigId}: its reward does not hold the award`);
    await addEarned(gigId, amount);
    return true;
  };
}

function createRefusals(db: Sql) {
  const { build, prepare, tables } = db;
  const { earnings } = tables;
  const { platform, platformUserId, rankedAt, observationId } = earnings;
  const inState = (condition: SQL) => {
    const open = build
      .select({ platform, platformUserId })
      .from(earnings)
      .where(and(condition, ofGig(tables)));
    return prepare(open.orderBy(rankedAt, observationId).limit(sql.placeholder('limit')));
  };
  const held = inState(EARNING_HELD);
  const eligible = inState(EARNING_ELIGIBLE);
  const move = createMove(db, { reason: bound('reason') }, sql`${stateOf(db)} in ('held', 'eligible')`);
  return async (
    gigId: number,
    {
      reason,
      now,
      limit,
      isHeldOnly = false,
    }: { reason: RefusalReason; now: number; limit: number; isHeldOnly?: boolean },
  ): Promise<AccountKey[]> => {
    const open = await held.all({ gigId, limit });
    if (!isHeldOnly) open.push(...(await eligible.all({ gigId, limit: limit - open.length })));
    const moved = { gigId, now, state: 'refused', reason, amount: null } as const;
    const refused = await changeEach(open, (key) => move({ ...key, ...moved }, {}));
    return open.filter((_, place) => refused[place]);
  };
}

export const earningChanges = noun((db: Sql) => ({
  reads: {},
  writes: {
    /**
     * Records a decision and keeps its facts; false when the account is not in the state `from`, or awarded. An account that
     * is no longer eligible gives up its addresses and its text. Throws when those of one that becomes eligible are another
     * account's.
     */
    decideEarning: locked(byItsGig, createDecision(db)),
    /**
     * Eligible → awarded, with its tip; false when it is not eligible. Throws when the tip is not of this award, or the gig
     * has awarded more than its reward.
     */
    awardEarning: locked(byGig, createAward(db)),
    /**
     * Held or eligible → refused for accounts of a gig that are so, held ones first, by rank; eligible ones stay with
     * `isHeldOnly`. Returns the accounts.
     */
    refuseOpenEarnings: locked(byGig, createRefusals(db)),
  },
}));
