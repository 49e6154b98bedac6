import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lte, max, notExists, or, type SQL, sql } from 'drizzle-orm';
import { DAY_MS } from '../../domain/time.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { EARNING_HELD, earningCounts, earnings, WATCH_OPEN, watches } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';
import {
  GIG_CANCELLED,
  GIG_TO_REFUND,
  GIG_UNSETTLED,
  GIG_WENT_LIVE,
  gigs,
  IS_ADOPTED_PAYOUT,
  payments,
  tips,
} from './tables.ts';

const placeholder = sql.placeholder;
const isGig = equals(gigs.id, 'gigId');
const now = placeholder('now');

type EndReads = Pick<
  SyncReads,
  'gigsToSettle' | 'gigsToRefund' | 'gigsWithoutRefundAddress' | 'gigsToReturn' | 'lostTipsNoticedAt'
>;

/** When the time of a gig is over: by its terms, or when it was stopped. */
const ENDED_AT = sql`coalesce(${gigs.stoppedAt}, ${gigs.endTime})`;

export function createGigEndReads(db: Db): EndReads {
  // The plus keeps SQLite from walking all gigs by their ids.
  const isLater = gt(sql`+${gigs.id}`, placeholder('after'));
  const ids = (where: SQL | undefined, order = asc(gigs.id)) =>
    prepare(db, db.select({ id: gigs.id }).from(gigs).where(where).orderBy(order).limit(placeholder('limit')));
  const hasEnded = or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt));
  const isAwarded = sql`${ENDED_AT} + ${gigs.awardDays} * ${sql.raw(String(DAY_MS))} <= ${now}`;
  const settle = ids(and(GIG_UNSETTLED, hasEnded, isAwarded, isLater));
  const refund = ids(and(GIG_TO_REFUND, lte(gigs.settledAt, placeholder('settledBy')), isLater));
  const hasNone = and(isNull(gigs.refundAddress), isNull(gigs.refundTo));
  const unaddressed = ids(
    and(isNotNull(gigs.settledAt), isNull(gigs.refundedAt), hasNone, gt(gigs.id, placeholder('after'))),
  );
  const returned = db.select({ one: sql`1` }).from(payments).where(sql`${payments.gigId} = ${gigs.id}`);
  const hasAddress = or(isNotNull(gigs.refundAddress), isNotNull(gigs.refundTo));
  const give = ids(
    and(GIG_CANCELLED, gte(gigs.cancelledAt, placeholder('since')), hasAddress, notExists(returned), isLater),
    asc(sql`+${gigs.id}`),
  );
  const ofPayment = db.select({ one: sql`1` }).from(tips).where(sql`${tips.paymentId} = ${payments.id}`);
  const lost = prepare(
    db,
    db
      .select({ at: max(payments.createdAt) })
      .from(payments)
      .where(and(IS_ADOPTED_PAYOUT, sql`+${payments.state} = 'confirmed'`, notExists(ofPayment))),
  );
  return {
    gigsToSettle: (query) => settle.all(query).map(({ id }) => id),
    gigsToRefund: (query) => refund.all(query).map(({ id }) => id),
    gigsWithoutRefundAddress: (query) => unaddressed.all(query).map(({ id }) => id),
    gigsToReturn: (query) => give.all(query).map(({ id }) => id),
    lostTipsNoticedAt: () => lost.get({})?.at ?? null,
  };
}

type EndWrites = Pick<SyncWrites, 'stopGig' | 'settleGig' | 'cancelGig' | 'nameRefundAddress' | 'markRefunded'>;

function createStop(db: Db): SyncWrites['stopGig'] {
  const isRunning = and(isGig, GIG_WENT_LIVE, isNull(gigs.stoppedAt), isNull(gigs.settledAt), gt(gigs.endTime, now));
  const stop = prepareChange(db, gigs, { stoppedAt: bound('now') }, isRunning);
  const wake = prepareChange(
    db,
    watches,
    { stoppedAt: bound('now'), nextAt: sql`min(${watches.nextAt}, ${now})` },
    and(equals(watches.gigId, 'gigId'), WATCH_OPEN),
  );
  const isLonger = and(equals(earnings.gigId, 'gigId'), EARNING_HELD, gt(earnings.dueAt, placeholder('dueBy')));
  const hasten = prepare(
    db,
    db
      .update(earnings)
      .set({ dueAt: bound('dueBy') })
      .where(isLonger),
  );
  return db.$client.transaction((gigId, change) => {
    if (!stop({ gigId, ...change })) return false;
    wake({ gigId, ...change });
    hasten.run({ gigId, ...change });
    return true;
  });
}

function createSettlement(db: Db): SyncWrites['settleGig'] {
  const one = { one: sql`1` };
  const isOpen = and(inArray(earningCounts.state, ['held', 'eligible']), gt(earningCounts.n, 0));
  const open = db
    .select(one)
    .from(earningCounts)
    .where(and(sql`${earningCounts.gigId} = ${gigs.id}`, isOpen));
  const watched = db
    .select(one)
    .from(watches)
    .where(and(sql`${watches.gigId} = ${gigs.id}`, WATCH_OPEN));
  const isOver = or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt));
  const isDecided = and(eq(gigs.reservedAmount, 0n), notExists(open), notExists(watched));
  const settle = prepareChange(db, gigs, { settledAt: bound('now') }, and(isGig, GIG_UNSETTLED, isOver, isDecided));
  return (gigId, at) => settle({ gigId, now: at });
}

export function createGigEndWrites(db: Db): EndWrites {
  const cancel = prepareChange(
    db,
    gigs,
    { cancelledAt: bound('now'), startLockHolder: null, startLockUntil: null },
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
    stopGig: createStop(db),
    settleGig: createSettlement(db),
    cancelGig: (gigId, change) => cancel({ gigId, ...change }),
    nameRefundAddress: (gigId, address) => name({ gigId, address }),
    markRefunded: (gigId, at) => refunded({ gigId, now: at }),
  };
}
