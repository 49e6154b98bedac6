import { and, eq, sql } from 'drizzle-orm';
import { addPayout, noPayouts, type PayoutSums } from '../../domain/payout-sums.ts';
import type { Db, SyncReads } from '../sqlite/kit.ts';
import { gigPayouts, gigs, IS_FEE_THAT_COUNTS, transfers } from './tables.ts';

const placeholder = sql.placeholder;
const ofGig = eq(gigPayouts.gigId, placeholder('gigId'));

/** What each gig has paid, from sums that are kept: a gig may have any number of payouts. */
export function createGigPayoutReads(db: Db): Pick<SyncReads, 'paidByGig' | 'amountPaidByGig'> {
  const { part, partMs, payouts, amount } = gigPayouts;
  const kept = db.select({ part, partMs, payouts, amount }).from(gigPayouts).where(ofGig).orderBy(part).prepare();
  const isPaidFee = and(
    IS_FEE_THAT_COUNTS,
    eq(transfers.gigId, placeholder('gigId')),
    sql`+${transfers.state} = 'confirmed'`,
  );
  const fee = db.select({ amount: transfers.amount }).from(transfers).where(isPaidFee).prepare();
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

/** Makes what adds a confirmed transfer to its gig's sums; one that is no payout changes nothing. */
export function createPayoutCount(db: Db): (transferId: number) => void {
  const { paidByGig } = createGigPayoutReads(db);
  const { kind, gigId, amount, updatedAt } = transfers;
  const confirmed = db
    .select({ kind, gigId, amount, at: updatedAt })
    .from(transfers)
    .where(eq(transfers.id, placeholder('id')))
    .prepare();
  const window = db
    .select({ startTime: gigs.startTime, duration: gigs.duration })
    .from(gigs)
    .where(eq(gigs.id, placeholder('gigId')))
    .prepare();
  const forget = db.delete(gigPayouts).where(ofGig).prepare();
  const keep = db
    .insert(gigPayouts)
    .values({
      gigId: placeholder('gigId'),
      part: placeholder('part'),
      partMs: placeholder('partMs'),
      payouts: placeholder('payouts'),
      amount: placeholder('amount'),
    })
    .prepare();
  return (id) => {
    const transfer = confirmed.get({ id });
    const gig = transfer && window.get({ gigId: transfer.gigId });
    if (transfer?.kind !== 'payout' || gig === undefined) return;
    const { gigId, amount, at } = transfer;
    const sums = addPayout(paidByGig(gigId) ?? noPayouts(gig), { startTime: gig.startTime, at, amount });
    // Rows of one length of part replace those of another as a whole.
    forget.run({ gigId });
    for (const part of sums.parts) keep.run({ ...part, gigId, partMs: sums.partMs });
  };
}
