import { and, sql } from 'drizzle-orm';
import { addPayout, noPayouts, type PayoutSums, removePayout } from '../../domain/payout-sums.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { gigPayouts, gigs, IS_FEE_THAT_STANDS, payments } from './tables.ts';

const ofGig = equals(gigPayouts.gigId, 'gigId');

/** Reads what each gig has paid from stored sums, so the cost does not depend on the number of payouts. */
export function createGigPayoutReads(db: Db): Pick<SyncReads, 'paidByGig' | 'amountPaidByGig'> {
  const { part, partMs, payouts, amount } = gigPayouts;
  const kept = prepare(db, db.select({ part, partMs, payouts, amount }).from(gigPayouts).where(ofGig).orderBy(part));
  const isPaid = and(IS_FEE_THAT_STANDS, equals(payments.gigId, 'gigId'), sql`+${payments.state} = 'confirmed'`);
  const fee = prepare(db, db.select({ amount: payments.amount }).from(payments).where(isPaid));
  function paidByGig(gigId: number): PayoutSums | null {
    const rows = kept.all({ gigId });
    const [first] = rows;
    if (first === undefined) return null;
    return { partMs: first.partMs, parts: rows.map(({ part, payouts, amount }) => ({ part, payouts, amount })) };
  }
  return {
    paidByGig,
    amountPaidByGig(gigId) {
      const parts = paidByGig(gigId)?.parts ?? [];
      return parts.reduce((sum, { amount }) => sum + amount, fee.get({ gigId })?.amount ?? 0n);
    },
  };
}

/** One confirmed payout of a gig: when it was final, and its amount in base units of the gig's token. */
interface ConfirmedPayout {
  readonly gigId: number;
  readonly at: number;
  readonly amount: bigint;
}

/** Adds a payout to its gig's sums, and takes one back that was added before. */
export function createPayoutSums(db: Db): Record<'add' | 'takeBack', (payout: ConfirmedPayout) => void> {
  const { paidByGig } = createGigPayoutReads(db);
  const window = prepare(
    db,
    db.select({ startTime: gigs.startTime, duration: gigs.duration }).from(gigs).where(equals(gigs.id, 'gigId')),
  );
  const forget = prepare(db, db.delete(gigPayouts).where(ofGig));
  const keep = prepare(
    db,
    db.insert(gigPayouts).values({
      gigId: sql.placeholder('gigId'),
      part: sql.placeholder('part'),
      partMs: sql.placeholder('partMs'),
      payouts: sql.placeholder('payouts'),
      amount: sql.placeholder('amount'),
    }),
  );
  const change = (by: typeof addPayout) => (payout: ConfirmedPayout) => {
    const { gigId } = payout;
    const gig = window.get({ gigId });
    if (gig === undefined) throw new TypeError(`a payout of an unknown gig ${gigId}`);
    const { startTime } = gig;
    const sums = by(paidByGig(gigId) ?? noPayouts(gig), { ...payout, startTime });
    // The part length may have changed, so all rows are replaced.
    forget.run({ gigId });
    for (const part of sums.parts) keep.run({ ...part, gigId, partMs: sums.partMs });
  };
  return { add: change(addPayout), takeBack: change(removePayout) };
}
