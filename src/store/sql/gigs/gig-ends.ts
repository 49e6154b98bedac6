import {
  and,
  asc,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  max,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Address } from '../../../domain/gigs/token.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { EARNING_HELD } from '../earning/earning-tables.ts';
import { WATCH_OPEN } from '../earning/watch-tables.ts';
import type { NounSql, Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { IS_ADOPTED_PAYOUT } from '../payments/payment-tables.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { NO_START } from './gig-changes.ts';
import { GIG_CANCELLED, GIG_TO_REFUND, GIG_UNSETTLED, GIG_WENT_LIVE } from './gig-tables.ts';

const placeholder = sql.placeholder;
const now = placeholder('now');

function isGigOf({ gigs }: Tables) {
  return equals(gigs.id, 'gigId');
}

function endedAt({ gigs }: Tables) {
  return sql`coalesce(${gigs.stoppedAt}, ${gigs.endTime})`;
}

/** How many held accounts are moved by one statement: it takes a few milliseconds. */
const HASTENED_AT_ONCE = 50;

function createStop(db: NounSql) {
  const { build, kit, prepare, rest, tables } = db;
  const { earnings, gigs, watches } = tables;
  const isGig = isGigOf(tables);
  const isRunning = and(isGig, GIG_WENT_LIVE, isNull(gigs.stoppedAt), isNull(gigs.settledAt), gt(gigs.endTime, now));
  const stop = prepareChange(db, gigs, { stoppedAt: bound('now') }, isRunning);
  const wake = prepareChange(
    db,
    watches,
    { stoppedAt: bound('now'), nextAt: kit.least(watches.nextAt, now) },
    and(equals(watches.gigId, 'gigId'), WATCH_OPEN),
  );
  const { observationId, dueAt } = earnings;
  const isHeld = and(equals(earnings.gigId, 'gigId'), EARNING_HELD, gt(dueAt, placeholder('dueBy')));
  const longer = prepare(build.select({ id: observationId }).from(earnings).where(isHeld).limit(HASTENED_AT_ONCE));
  const isAmongThem = and(equals(earnings.gigId, 'gigId'), kit.isAmong(observationId, 'ids'));
  const hasten = prepare(
    build
      .update(earnings)
      .set({ dueAt: bound('dueBy') })
      .where(isAmongThem),
  );
  return async (gigId: number, change: { now: number; dueBy: number }): Promise<boolean> => {
    if (!(await stop({ gigId, ...change }))) return false;
    await wake({ gigId, ...change });
    for (;;) {
      const ids = (await longer.all({ gigId, ...change })).map(({ id }) => id);
      if (ids.length === 0) return true;
      await hasten.run({ gigId, ids, ...change });
      await rest();
    }
  };
}

function createSettlement(db: Sql) {
  const { build, tables } = db;
  const { earningCounts, gigs, watches } = tables;
  const one = { one: sql`1` };
  const isOpen = and(inArray(earningCounts.state, ['held', 'eligible']), gt(earningCounts.n, 0));
  const open = build
    .select(one)
    .from(earningCounts)
    .where(and(sql`${earningCounts.gigId} = ${gigs.id}`, isOpen));
  const watched = build
    .select(one)
    .from(watches)
    .where(and(sql`${watches.gigId} = ${gigs.id}`, WATCH_OPEN));
  const isOver = or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt));
  const isDecided = and(eq(gigs.reservedAmount, 0n), notExists(open), notExists(watched));
  const settle = prepareChange(
    db,
    gigs,
    { settledAt: bound('now') },
    and(isGigOf(tables), GIG_UNSETTLED, isOver, isDecided),
  );
  return (gigId: number, at: number) => settle({ gigId, now: at });
}

/** Tips that the ledger has lost, by the payments that it adopted in their place. */
function createLostTips(db: NounSql) {
  const { build, kit, prepare, tables } = db;
  const { payments, tips } = tables;
  const ofPayment = build.select({ one: sql`1` }).from(tips).where(sql`${tips.paymentId} = ${payments.id}`);
  const isLost = and(IS_ADOPTED_PAYOUT, sql`${kit.noWayIn(payments.state)} = 'confirmed'`, notExists(ofPayment));
  const lost = prepare(
    build
      .select({ at: max(payments.createdAt) })
      .from(payments)
      .where(isLost),
  );
  const lostOf = prepare(
    build
      .select({ gigId: payments.gigId, payments: count() })
      .from(payments)
      .where(isLost)
      .groupBy(payments.gigId)
      .orderBy(payments.gigId),
  );
  return {
    /** The gigs whose wallets have paid tips that the ledger does not have, by id, and in how many payments. */
    gigsWithLostTips: locked(
      nothing,
      async (): Promise<{ readonly gigId: number; readonly payments: number }[]> => await lostOf.all({}),
    ),
    /**
     * When the ledger last noticed that it had lost tips: that a wallet had paid some which it does not have, as after an
     * older backup was put back. Null when it never did.
     */
    lostTipsNoticedAt: locked(nothing, async (): Promise<number | null> => (await lost.get({}))?.at ?? null),
  };
}

/** Prepares reads of the ids of gigs that a condition finds, so many at a time. */
function createIdReads({ build, prepare, tables: { gigs } }: NounSql) {
  return <Query extends Readonly<Record<string, number>>>(where: SQL | undefined, order = asc(gigs.id)) => {
    const ids = build.select({ id: gigs.id }).from(gigs).where(where).orderBy(order).limit(placeholder('limit'));
    const found = prepare(ids);
    return async (query: Query): Promise<number[]> => (await found.all(query)).map(({ id }) => id);
  };
}

/** What ends a gig is made once: triggers keep it. */
export const gigEnds = noun((db: NounSql) => {
  const { build, kit, tables } = db;
  const { gigs, payments } = tables;
  // Keeps SQLite from walking all gigs by their ids.
  const id = kit.noWayIn(gigs.id);
  const isLater = gt(id, placeholder('after'));
  const ids = createIdReads(db);
  const hasEnded = or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt));
  const isAwarded = sql`${endedAt(tables)} + ${gigs.awardDays} * ${sql.raw(String(DAY_MS))} <= ${now}`;
  const settle = ids<{ now: number; after: number; limit: number }>(and(GIG_UNSETTLED, hasEnded, isAwarded, isLater));
  const refund = ids<{ settledBy: number; after: number; limit: number }>(
    and(GIG_TO_REFUND, lte(gigs.settledAt, placeholder('settledBy')), isLater),
  );
  const hasNone = and(isNull(gigs.refundAddress), isNull(gigs.refundTo));
  const unaddressed = ids<{ after: number; limit: number }>(
    and(isNotNull(gigs.settledAt), isNull(gigs.refundedAt), hasNone, gt(gigs.id, placeholder('after'))),
  );
  const returned = build.select({ one: sql`1` }).from(payments).where(sql`${payments.gigId} = ${gigs.id}`);
  const hasAddress = or(isNotNull(gigs.refundAddress), isNotNull(gigs.refundTo));
  const give = ids<{ since: number; after: number; limit: number }>(
    and(GIG_CANCELLED, gte(gigs.cancelledAt, placeholder('since')), hasAddress, notExists(returned), isLater),
    asc(id),
  );
  const isGig = isGigOf(tables);
  const cancel = prepareChange(
    db,
    gigs,
    { cancelledAt: bound('now'), startLockHolder: null, startLockUntil: null, ...NO_START },
    and(isGig, eq(gigs.status, 'created'), isNull(gigs.cancelledAt), equals(gigs.startLockHolder, 'holder')),
  );
  const name = prepareChange(
    db,
    gigs,
    { refundTo: bound('address') },
    and(isGig, isNull(gigs.refundAddress), isNull(gigs.refundedAt)),
  );
  const refunded = prepareChange(
    db,
    gigs,
    { refundedAt: bound('now') },
    and(isGig, GIG_WENT_LIVE, isNull(gigs.refundedAt)),
  );
  return {
    reads: {
      /** Started gigs that are not settled and whose time for awards was over at `now`, by id; `after` is an id. */
      gigsToSettle: locked(nothing, settle),
      /** Gigs that were settled at or before `settledBy`, with an address for a refund that is not planned, by id. */
      gigsToRefund: locked(nothing, refund),
      /** Settled gigs whose refund has no address and is not planned, by id. */
      gigsWithoutRefundAddress: locked(nothing, unaddressed),
      /** Gigs that were cancelled at `since` or later, have returned nothing, not even in vain, and say where to, by id. */
      gigsToReturn: locked(nothing, give),
      ...createLostTips(db),
    },
    writes: {
      /**
       * Ends a live gig at `now`, before its time, and has its acts read and its held accounts decided on soon: those that
       * were held longer are due at `dueBy`. False when it is not live, over, stopped, or settled.
       */
      stopGig: locked(byGig, createStop(db)),
      /**
       * Closes the books of a gig that is over. False when it is not started, not over, settled, or an account, a share or a
       * sweep is not decided on.
       */
      settleGig: locked(byGig, createSettlement(db)),
      /** Ends a created gig and releases its start lock; only while `holder` has that. */
      cancelGig: locked(byGig, (gigId: number, change: { holder: string; now: number }) =>
        cancel({ gigId, ...change }),
      ),
      /** Names where what is left returns to; false where the terms say it, or the refund was planned. */
      nameRefundAddress: locked(byGig, (gigId: number, address: Address) => name({ gigId, address })),
      /**
       * Marks the refund of a gig as planned, as nothing, or as found on its chain: from then on nothing of the reward is left.
       * False when it has not started, or was marked before.
       */
      markRefunded: locked(byGig, (gigId: number, at: number) => refunded({ gigId, now: at })),
    },
  };
});
