import { and, sql } from 'drizzle-orm';
import { addPayout, noPayouts, type PayoutSums } from '../../domain/payout-sums.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { gigPayouts, gigs, IS_FEE_THAT_COUNTS, transfers } from './tables.ts';

const ofGig = equals(gigPayouts.gigId, 'gigId');

/** Reads what each gig has paid from stored sums, so the cost does not depend on the number of payouts. */
export function createGigPayoutReads(db: Db): Pick<SyncReads, 'paidByGig' | 'amountPaidByGig'> {
  const { part, partMs, payouts, amount } = gigPayouts;
  const kept = prepare(db, db.select({ part, partMs, payouts, amount }).from(gigPayouts).where(ofGig).orderBy(part));
  const isPaidFee = and(IS_FEE_THAT_COUNTS, equals(transfers.gigId, 'gigId'), sql`+${transfers.state} = 'confirmed'`);
  const fee = prepare(db, db.select({ amount: transfers.amount }).from(transfers).where(isPaidFee));
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

/** Adds a confirmed transfer to its gig's sums; ignores transfers that are not payouts. */
export function createPayoutCount(db: Db): (transferId: number) => void {
  const { paidByGig } = createGigPayoutReads(db);
  const { kind, gigId, amount, updatedAt } = transfers;
  const confirmed = prepare(
    db,
    db.select({ kind, gigId, amount, at: updatedAt }).from(transfers).where(equals(transfers.id, 'id')),
  );
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
  return (id) => {
    const transfer = confirmed.get({ id });
    const gig = transfer && window.get({ gigId: transfer.gigId });
    if (transfer?.kind !== 'payout' || gig === undefined) return;
    const { gigId, amount, at } = transfer;
    const sums = addPayout(paidByGig(gigId) ?? noPayouts(gig), { startTime: gig.startTime, at, amount });
    // The part length may have changed, so all rows are replaced.
    forget.run({ gigId });
    for (const part of sums.parts) keep.run({ ...part, gigId, partMs: sums.partMs });
  };
}
