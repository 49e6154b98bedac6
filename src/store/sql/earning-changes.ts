import { and, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { type Db, prepare, prepareRaw, type SyncWrites } from '../sqlite/kit.ts';
import { createEarningHolders } from './earning-holders.ts';
import { EARNING_ELIGIBLE, EARNING_HELD, earnings } from './earning-tables.ts';
import { createEvaluationInsert } from './evaluations.ts';
import { bound, equals } from './statements.ts';
import { gigs } from './tables.ts';
import { createEarnedSum } from './watches.ts';

const ofGig = equals(earnings.gigId, 'gigId');
const isTheirs = and(ofGig, equals(earnings.platform, 'platform'), equals(earnings.platformUserId, 'platformUserId'));

// The plus keeps to the key: an index by state would walk all accounts of the gig that are in it.
const STATE = sql`+${earnings.state}`;

type Move = Parameters<ReturnType<typeof createEvaluationInsert>>[0];

/** Prepares a conditional change of one earning, which is recorded with the facts that it has then. */
function createMove(db: Db, set: SQLiteUpdateSetSource<typeof earnings>, condition: SQL) {
  const query = db.update(earnings).set({ ...set, state: bound('state'), updatedAt: bound('now') });
  const change = query.where(and(isTheirs, condition)).returning({ facts: earnings.facts });
  const update = prepareRaw<[string | null]>(db, change);
  const record = createEvaluationInsert(db);
  return (move: Omit<Move, 'facts'>, values: Readonly<Record<string, unknown>>): boolean => {
    const row = update.get({ ...move, ...values });
    if (row === undefined) return false;
    record({ ...move, facts: row[0] });
    return true;
  };
}

function createDecision(db: Db): SyncWrites['decideEarning'] {
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
  const move = createMove(db, set, sql`${STATE} = ${sql.placeholder('from')} and ${STATE} <> 'awarded'`);
  const keepHolders = createEarningHolders(db);
  return db.$client.transaction((decision, now) => {
    const { gigId, platform, platformUserId, from, to, reason } = decision;
    const { observationId, rankedAt, dueAt, part, note = null } = decision;
    const round = part?.round ?? null;
    const weight = part === null ? null : String(part.weight);
    const facts = decision.facts === null ? null : JSON.stringify(decision.facts);
    const moved = { gigId, platform, platformUserId, now, state: to, reason, amount: null };
    if (!move(moved, { from, facts, observationId, rankedAt, dueAt, round, weight, note })) return false;
    if (to === 'eligible') keepHolders(decision);
    return true;
  });
}

function createAward(db: Db): SyncWrites['awardEarning'] {
  const set = { tipId: bound('tipId'), amount: bound('awarded') };
  const move = createMove(db, set, sql`${STATE} = 'eligible'`);
  const addEarned = createEarnedSum(db);
  const { rewardAmount: reward, awardedAmount: awarded } = gigs;
  const sums = prepare(db, db.select({ reward, awarded }).from(gigs).where(equals(gigs.id, 'gigId')));
  return db.$client.transaction((gigId, { platform, platformUserId }, { tipId, amount, now }) => {
    const moved = { gigId, platform, platformUserId, now, state: 'awarded', reason: null, amount } as const;
    if (!move(moved, { tipId, awarded: String(amount) })) return false;
    const gig = sums.get({ gigId });
    if (gig === undefined || gig.awarded > gig.reward)
      throw new RangeError(`gig ${gigId}: its reward does not hold the award`);
    addEarned(gigId, amount);
    return true;
  });
}

function createRefusals(db: Db): SyncWrites['refuseOpenEarnings'] {
  const { platform, platformUserId, rankedAt, observationId } = earnings;
  const inState = (condition: SQL) => {
    const open = db.select({ platform, platformUserId }).from(earnings).where(and(condition, ofGig));
    return prepare(db, open.orderBy(rankedAt, observationId).limit(sql.placeholder('limit')));
  };
  const [held, eligible] = [inState(EARNING_HELD), inState(EARNING_ELIGIBLE)];
  const move = createMove(db, { reason: bound('reason') }, sql`${STATE} in ('held', 'eligible')`);
  return db.$client.transaction((gigId, { reason, now, limit, isHeldOnly = false }) => {
    const open = held.all({ gigId, limit });
    if (!isHeldOnly) open.push(...eligible.all({ gigId, limit: limit - open.length }));
    const refused = open.filter((key) => move({ ...key, gigId, now, state: 'refused', reason, amount: null }, {}));
    return refused.length;
  });
}

type EarningChanges = 'decideEarning' | 'awardEarning' | 'refuseOpenEarnings';

export function createEarningChanges(db: Db): Pick<SyncWrites, EarningChanges> {
  return {
    decideEarning: createDecision(db),
    awardEarning: createAward(db),
    refuseOpenEarnings: createRefusals(db),
  };
}
