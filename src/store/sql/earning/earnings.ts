import { and, count, getTableColumns, gt, lte, min, type SQL, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Earning, EarningState } from '../../../domain/earning/earning.ts';
import type { EarningCount, Settleable } from '../../port/earning.ts';
import type { TwoWayPage } from '../../port/page.ts';
import { createBlockCheck } from '../claims/blocked-accounts.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals, prepareTwoWays, readEach } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { EARNING_ELIGIBLE, EARNING_HELD, EARNING_NOT_AWARDED } from './earning-tables.ts';
import { createObservationLookup } from './observations.ts';

const placeholder = sql.placeholder;

function ofGig({ earnings }: Tables) {
  return equals(earnings.gigId, 'gigId');
}

/** An earning that is not awarded has no tip. */
function tiplessColumns({ earnings }: Tables) {
  return { ...getTableColumns(earnings), voidReason: sql<null>`null` };
}

/** What is awarded stays so, whatever happens to its tip. */
function toldColumns({ earnings }: Tables) {
  return {
    ...getTableColumns(earnings),
    voidReason: sql<string | null>`(select tips.void_reason from tips where tips.id = earnings.tip_id)`,
  };
}

/** Before the first rank of any gig. */
const FIRST = { rankedAt: -1, observationId: 0 };

function prepareByRank({ build, prepare, tables }: Sql, condition: SQL | undefined) {
  const { earnings } = tables;
  const { rankedAt, observationId } = earnings;
  const inGig = build
    .select(tiplessColumns(tables))
    .from(earnings)
    .where(and(condition, ofGig(tables)));
  return prepare(inGig.orderBy(rankedAt, observationId).limit(placeholder('limit')));
}

/**
 * Eligible accounts by rank. The held ones between each two are counted in their index, so that a page takes one walk
 * through those that precede its last account.
 */
function createAwardable(db: Sql) {
  const { build, prepare, tables } = db;
  const { earnings } = tables;
  const eligible = prepareByRank(db, EARNING_ELIGIBLE);
  const rank = sql`(${earnings.rankedAt}, ${earnings.observationId})`;
  const after = sql`${rank} > (${placeholder('afterRank')}, ${placeholder('afterId')})`;
  const before = sql`${rank} < (${placeholder('rank')}, ${placeholder('id')})`;
  const between = build
    .select({ n: count() })
    .from(earnings)
    .where(and(EARNING_HELD, ofGig(tables), after, before));
  const countBetween = prepare(between);
  return async (gigId: number, { limit }: { limit: number }): Promise<{ earning: Earning; heldBefore: number }[]> => {
    const page = await eligible.all({ gigId, limit });
    let last: Pick<Earning, 'rankedAt' | 'observationId'> = FIRST;
    const ranges = page.map((earning) => {
      const { rankedAt: rank, observationId: id } = earning;
      const range = { gigId, afterRank: last.rankedAt, afterId: last.observationId, rank, id };
      last = earning;
      return { earning, range };
    });
    const counted = await readEach(ranges, async ({ earning, range }) => {
      return { earning, held: (await countBetween.get(range))?.n ?? 0 };
    });
    let heldBefore = 0;
    return counted.map(({ earning, held }) => {
      heldBefore += held;
      return { earning, heldBefore };
    });
  };
}

function createNextDue({ build, prepare, tables }: Sql) {
  const { earnings } = tables;
  const first = prepare(
    build
      .select({ at: min(earnings.dueAt) })
      .from(earnings)
      .where(and(EARNING_HELD, ofGig(tables))),
  );
  return async (gigId: number): Promise<number | null> => (await first.get({ gigId }))?.at ?? null;
}

function createFirstHeldRank({ build, prepare, tables }: Sql) {
  const { earnings } = tables;
  const held = build.select({ at: min(earnings.rankedAt) }).from(earnings);
  const first = prepare(held.where(and(EARNING_HELD, ofGig(tables))));
  return async (gigId: number): Promise<number | null> => (await first.get({ gigId }))?.at ?? null;
}

function createSettleable(db: Sql, nextDue: ReturnType<typeof createNextDue>) {
  const { earnings } = db.tables;
  // Keeps SQLite to the index by rank; by the time, all that are due would be sorted for each page.
  const due = prepareByRank(db, and(EARNING_HELD, lte(db.kit.noWayIn(earnings.dueAt), placeholder('dueBy'))));
  const observations = createObservationLookup(db);
  const isBlocked = createBlockCheck(db);
  return async (gigId: number, { dueBy, limit }: { dueBy: number; limit: number }): Promise<Settleable[]> => {
    const first = await nextDue(gigId);
    // Without this, all held ones would be read to find none.
    if (first === null || first > dueBy) return [];
    return await readEach(await due.all({ gigId, dueBy, limit }), async (earning) => ({
      earning,
      observations: await observations(gigId, earning),
      isBlocked: await isBlocked(earning),
    }));
  };
}

export const earnings = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { earningCounts, earnings } = tables;
  const told = toldColumns(tables);
  const isTheirs = and(equals(earnings.platform, 'platform'), equals(earnings.platformUserId, 'platformUserId'));
  const byAccount = prepare(
    build
      .select(told)
      .from(earnings)
      .where(and(ofGig(tables), isTheirs)),
  );
  const list = (condition: SQL | undefined) =>
    prepareTwoWays(earnings.observationId, (isOnSide, order) =>
      prepare(
        build.select(told).from(earnings).where(and(condition, isOnSide)).orderBy(order).limit(placeholder('limit')),
      ),
    );
  const all = list(ofGig(tables));
  const inState = list(and(ofGig(tables), equals(earnings.state, 'state')));
  const ofAccount = list(and(EARNING_NOT_AWARDED, isTheirs));
  const { state, n } = earningCounts;
  const isSome = and(equals(earningCounts.gigId, 'gigId'), gt(n, 0));
  const counts = prepare(build.select({ state, count: n }).from(earningCounts).where(isSome).orderBy(state));
  const nextHeldDue = createNextDue(db);
  return {
    reads: {
      earning: locked(
        byGig,
        async (gigId: number, { platform, platformUserId }: AccountKey): Promise<Earning | null> =>
          (await byAccount.get({ gigId, platform, platformUserId })) ?? null,
      ),
      /** By the act that counts, whose id `before` and `after` are. */
      earnings: locked(
        nothing,
        (
          page: TwoWayPage & { readonly gigId: number; readonly state?: EarningState | undefined },
        ): Promise<Earning[]> => (page.state === undefined ? all : inState)({ ...page }),
      ),
      /** The earnings of an account in all gigs, without awarded ones. Ordered by the id of the act that counts: `before` and `after` are such ids. */
      earningsOf: locked(
        nothing,
        ({ platform, platformUserId }: AccountKey, page: TwoWayPage): Promise<Earning[]> =>
          ofAccount({ platform, platformUserId, ...page }),
      ),
      /** Kept by triggers; states with no account are absent. */
      earningCounts: locked(byGig, (gigId: number): Promise<EarningCount[]> => counts.all({ gigId })),
      /** Held accounts that are due at or before `dueBy`, by rank. */
      settleable: locked(byGig, createSettleable(db, nextHeldDue)),
      /** When the first held account is due; null when none is held. */
      nextHeldDue: locked(byGig, nextHeldDue),
      /** The earliest rank of a held account; null when none is held. */
      firstHeldRank: locked(byGig, createFirstHeldRank(db)),
      /** Eligible accounts by rank, each with how many held ones have an earlier rank. */
      awardable: locked(byGig, createAwardable(db)),
    },
    writes: {},
  };
});
