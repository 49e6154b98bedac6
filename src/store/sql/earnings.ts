import { and, count, desc, getTableColumns, gt, lt, min, type SQL, sql } from 'drizzle-orm';
import type { Earning } from '../../domain/earning/earning.ts';
import { type Db, prepare, prepareRaw, type SyncReads } from '../sqlite/kit.ts';
import { createBlockReads } from './blocked-accounts.ts';
import { EARNING_ELIGIBLE, EARNING_HELD, EARNING_NOT_AWARDED, earningCounts, earnings } from './earning-tables.ts';
import { createObservationReads } from './observations.ts';
import { equals } from './statements.ts';

const placeholder = sql.placeholder;
const ofGig = equals(earnings.gigId, 'gigId');

/** An earning that is not awarded: it has no tip. */
const TIPLESS = { ...getTableColumns(earnings), voidReason: sql<null>`null` };

/** An earning with what became of its tip: what is awarded stays so, whatever happens to the tip. */
const TOLD = {
  ...getTableColumns(earnings),
  voidReason: sql<string | null>`(select tips.void_reason from tips where tips.id = earnings.tip_id)`,
};

/** Before the first rank of any gig. */
const FIRST = { rankedAt: -1, observationId: 0 };

/** Earnings of a gig by rank, as many as `limit`. */
function prepareByRank(db: Db, condition: SQL | undefined) {
  const { rankedAt, observationId } = earnings;
  const query = db.select(TIPLESS).from(earnings).where(and(condition, ofGig)).orderBy(rankedAt, observationId);
  return prepare(db, query.limit(placeholder('limit')));
}

/**
 * Eligible accounts by rank. The held ones between each two are counted in their index, so that a page takes one walk
 * through those that precede its last account.
 */
function createAwardable(db: Db): SyncReads['awardable'] {
  const eligible = prepareByRank(db, EARNING_ELIGIBLE);
  const rank = sql`(${earnings.rankedAt}, ${earnings.observationId})`;
  const after = sql`${rank} > (${placeholder('afterRank')}, ${placeholder('afterId')})`;
  const before = sql`${rank} < (${placeholder('rank')}, ${placeholder('id')})`;
  const between = db
    .select({ n: count() })
    .from(earnings)
    .where(and(EARNING_HELD, ofGig, after, before));
  const countBetween = prepareRaw<[number]>(db, between);
  return db.$client.transaction((gigId, { limit }) => {
    let last: Pick<Earning, 'rankedAt' | 'observationId'> = FIRST;
    let heldBefore = 0;
    return eligible.all({ gigId, limit }).map((earning) => {
      const { rankedAt: rank, observationId: id } = earning;
      const range = { gigId, afterRank: last.rankedAt, afterId: last.observationId, rank, id };
      heldBefore += countBetween.get(range)?.[0] ?? 0;
      last = earning;
      return { earning, heldBefore };
    });
  });
}

function createNextDue(db: Db): SyncReads['nextHeldDue'] {
  const first = prepare(
    db,
    db
      .select({ at: min(earnings.dueAt) })
      .from(earnings)
      .where(and(EARNING_HELD, ofGig)),
  );
  return (gigId) => first.get({ gigId })?.at ?? null;
}

function createFirstHeldRank(db: Db): SyncReads['firstHeldRank'] {
  const held = db.select({ at: min(earnings.rankedAt) }).from(earnings);
  const first = prepare(db, held.where(and(EARNING_HELD, ofGig)));
  return (gigId) => first.get({ gigId })?.at ?? null;
}

function createSettleable(db: Db, nextDue: SyncReads['nextHeldDue']): SyncReads['settleable'] {
  // The plus keeps to the index by rank; by the time, all that are due would be sorted for each page.
  const due = prepareByRank(db, and(EARNING_HELD, sql`+${earnings.dueAt} <= ${placeholder('dueBy')}`));
  const { observations } = createObservationReads(db);
  const { isBlocked } = createBlockReads(db);
  return db.$client.transaction((gigId, { dueBy, limit }) => {
    const first = nextDue(gigId);
    // Without this, all held ones would be read to find none.
    if (first === null || first > dueBy) return [];
    return due.all({ gigId, dueBy, limit }).map((earning) => ({
      earning,
      observations: observations(gigId, earning),
      isBlocked: isBlocked(earning),
    }));
  });
}

type EarningLists =
  | 'earning'
  | 'earnings'
  | 'earningsOf'
  | 'earningCounts'
  | 'settleable'
  | 'nextHeldDue'
  | 'firstHeldRank'
  | 'awardable';

export function createEarningReads(db: Db): Pick<SyncReads, EarningLists> {
  const isTheirs = and(equals(earnings.platform, 'platform'), equals(earnings.platformUserId, 'platformUserId'));
  const byAccount = prepare(db, db.select(TOLD).from(earnings).where(and(ofGig, isTheirs)));
  const older = lt(earnings.observationId, placeholder('before'));
  const page = (condition: SQL | undefined) => {
    const query = db.select(TOLD).from(earnings).where(condition).orderBy(desc(earnings.observationId));
    return prepare(db, query.limit(placeholder('limit')));
  };
  const newest = page(and(ofGig, older));
  const newestOfAccount = page(and(EARNING_NOT_AWARDED, isTheirs));
  const newestInState = page(and(ofGig, equals(earnings.state, 'state'), older));
  const { state, n } = earningCounts;
  const isSome = and(equals(earningCounts.gigId, 'gigId'), gt(n, 0));
  const counts = prepare(db, db.select({ state, count: n }).from(earningCounts).where(isSome));
  const nextHeldDue = createNextDue(db);
  return {
    earning: (gigId, { platform, platformUserId }) => byAccount.get({ gigId, platform, platformUserId }) ?? null,
    earnings: ({ gigId, state, limit, before = Number.MAX_SAFE_INTEGER }) =>
      state === undefined ? newest.all({ gigId, before, limit }) : newestInState.all({ gigId, state, before, limit }),
    earningsOf: ({ platform, platformUserId }, { limit }) => newestOfAccount.all({ platform, platformUserId, limit }),
    earningCounts: (gigId) => counts.all({ gigId }),
    settleable: createSettleable(db, nextHeldDue),
    nextHeldDue,
    firstHeldRank: createFirstHeldRank(db),
    awardable: createAwardable(db),
  };
}
