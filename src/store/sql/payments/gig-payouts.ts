import { and, count, eq, gt, sql } from 'drizzle-orm';
import type { GigBooks } from '../../../domain/payments/audit.ts';
import {
  addPayout,
  noPayouts,
  type PayoutPart,
  type PayoutSums,
  removePayout,
} from '../../../domain/payments/payout-sums.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals, givenRows } from '../statements.ts';
import { byGig } from '../subjects.ts';
import { IS_FEE_THAT_STANDS, PAYMENT_CONFIRMED } from './payment-tables.ts';
import { createOtherPayments, createPaymentCompletion } from './payments.ts';

/** See {@link GigBooks}. */
type GigPaid = Pick<GigBooks, 'paidOut' | 'plannedPayouts' | 'payments'>;

/** `rows` are in the order of their parts. */
function sumsOf(rows: readonly (PayoutPart & Pick<PayoutSums, 'partMs'>)[] = []): PayoutSums | null {
  const [first] = rows;
  if (first === undefined) return null;
  return { partMs: first.partMs, parts: rows.map(({ part, payouts, amount }) => ({ part, payouts, amount })) };
}

function ofGig({ gigPayouts }: Tables) {
  return equals(gigPayouts.gigId, 'gigId');
}

/** Finds what a gig has paid in stored sums, so that the cost does not depend on the number of payouts. */
export function createPayoutLookup({ build, prepare, tables }: Sql): (gigId: number) => Promise<PayoutSums | null> {
  const { gigPayouts } = tables;
  const { part, partMs, payouts, amount } = gigPayouts;
  const kept = prepare(
    build.select({ part, partMs, payouts, amount }).from(gigPayouts).where(ofGig(tables)).orderBy(part),
  );
  return async (gigId) => sumsOf(await kept.all({ gigId }));
}

/** `at` is when the payout was final; `amount` is in base units of its token. */
interface ConfirmedPayout {
  readonly gigId: number;
  readonly tokenId: number;
  readonly at: number;
  readonly amount: bigint;
}

/** Payouts in another token than their gig's do not count. */
type SumChange = (payouts: readonly ConfirmedPayout[]) => Promise<void>;

/** Adds payouts to their gigs' sums, and takes back what was added before. The sums of each gig are read and written once. */
export function createPayoutSums(db: Sql): Record<'add' | 'takeBack', SumChange> {
  const { build, kit, prepare, tables } = db;
  const { gigPayouts, gigs } = tables;
  const { gigId, part, partMs, payouts, amount } = gigPayouts;
  const gigsByIds = prepare(
    build
      .select({ id: gigs.id, tokenId: gigs.tokenId, startTime: gigs.startTime, duration: gigs.duration })
      .from(gigs)
      .where(kit.isAmong(gigs.id, 'gigIds')),
  );
  const areOfGigs = kit.isAmong(gigId, 'gigIds');
  const kept = prepare(
    build.select({ gigId, part, partMs, payouts, amount }).from(gigPayouts).where(areOfGigs).orderBy(gigId, part),
  );
  const forget = prepare(build.delete(gigPayouts).where(areOfGigs));
  const { rows, given } = givenRows(db, 'parts', { gigId, part, partMs, payouts, amount });
  const keep = prepare(
    build
      .insert(gigPayouts)
      .select(
        sql`select ${given.gigId}, ${given.part}, ${given.partMs}, ${given.payouts}, ${given.amount} from ${rows}`,
      ),
  );
  const change = (by: typeof addPayout) => async (confirmed: readonly ConfirmedPayout[]) => {
    const ofGigs = Map.groupBy(confirmed, (payout) => payout.gigId);
    const found = ofGigs.size === 0 ? [] : await gigsByIds.all({ gigIds: [...ofGigs.keys()] });
    const changed = found.flatMap((gig) => {
      const own = (ofGigs.get(gig.id) ?? []).filter(({ tokenId }) => tokenId === gig.tokenId);
      return own.length === 0 ? [] : { gig, own };
    });
    if (changed.length === 0) return;
    const gigIds = changed.map(({ gig }) => gig.id);
    const before = Map.groupBy(await kept.all({ gigIds }), (row) => row.gigId);
    const parts = changed.flatMap(({ gig, own }) => {
      const { id, startTime } = gig;
      const sums = own.reduce(
        (sum, payout) => by(sum, { ...payout, startTime }),
        sumsOf(before.get(id)) ?? noPayouts(gig),
      );
      return sums.parts.map((each) => ({ ...each, gigId: id, partMs: sums.partMs }));
    });
    // The part length may have changed, so all rows are replaced.
    await forget.run({ gigIds });
    if (parts.length > 0) await keep.run({ parts });
  };
  return { add: change(addPayout), takeBack: change(removePayout) };
}

export const gigPayouts = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { payments } = tables;
  const paidByGig = createPayoutLookup(db);
  const isPaid = and(
    IS_FEE_THAT_STANDS,
    equals(payments.gigId, 'gigId'),
    sql`${kit.noWayIn(payments.state)} = 'confirmed'`,
  );
  const fee = prepare(build.select({ amount: payments.amount }).from(payments).where(isPaid));
  const complete = createPaymentCompletion(db);
  const others = createOtherPayments(db);
  const isPayout = and(equals(payments.gigId, 'gigId'), eq(payments.kind, 'payout'));
  const sent = prepare(
    build
      .select()
      .from(payments)
      .where(and(isPayout, eq(payments.state, 'sent'))),
  );
  const planned = prepare(
    build
      .select({ payouts: count() })
      .from(payments)
      .where(and(isPayout, eq(payments.state, 'planned'))),
  );
  // Those of the newest blocks alone, of all gigs of the chain.
  const isLater = and(equals(payments.chainId, 'chainId'), gt(payments.blockNumber, sql.placeholder('blockNumber')));
  const ofGig = eq(kit.noWayIn(payments.gigId), sql.placeholder('gigId'));
  const later = prepare(
    build
      .select()
      .from(payments)
      .where(and(PAYMENT_CONFIRMED, isLater, ofGig, eq(payments.kind, 'payout'))),
  );
  return {
    reads: {
      /**
       * What the ledger has of a gig's payments, at one moment: what its payouts have moved up to a block of its chain, those
       * that are sent or were confirmed later, and all but payouts. The cost does not depend on the number of payouts.
       */
      gigPaid: locked(
        byGig,
        async (gigId: number, { chainId, blockNumber }: { chainId: number; blockNumber: bigint }): Promise<GigPaid> => {
          const parts = (await paidByGig(gigId))?.parts ?? [];
          const newest = await later.all({ gigId, chainId, blockNumber });
          const open = [...(await sent.all({ gigId })), ...newest];
          return {
            paidOut:
              parts.reduce((sum, { amount }) => sum + amount, 0n) -
              newest.reduce((sum, { amount }) => sum + amount, 0n),
            plannedPayouts: (await planned.get({ gigId }))?.payouts ?? 0,
            payments: [...(await others(gigId)), ...(await complete(open))],
          };
        },
      ),
      /** What the confirmed payouts of a gig's tips moved; null when there are none. Read from stored sums. */
      paidByGig: locked(byGig, paidByGig),
      /** What a gig's confirmed payouts and fee moved, without gas, in base units of its token. */
      amountPaidByGig: locked(byGig, async (gigId: number): Promise<bigint> => {
        const parts = (await paidByGig(gigId))?.parts ?? [];
        return parts.reduce((sum, { amount }) => sum + amount, (await fee.get({ gigId }))?.amount ?? 0n);
      }),
    },
    writes: {},
  };
});
