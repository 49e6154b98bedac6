import { and, sql } from 'drizzle-orm';
import { addPayout, noPayouts, type PayoutSums, removePayout } from '../../domain/payout-sums.ts';
import type { StoreReads } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { IS_FEE_THAT_STANDS } from './payment-tables.ts';
import { equals } from './statements.ts';

function ofGig({ gigPayouts }: Tables) {
  return equals(gigPayouts.gigId, 'gigId');
}

/** Reads what each gig has paid from stored sums, so the cost does not depend on the number of payouts. */
export function createGigPayoutReads({
  build,
  kit,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'paidByGig' | 'amountPaidByGig'> {
  const { gigPayouts, payments } = tables;
  const { part, partMs, payouts, amount } = gigPayouts;
  const kept = prepare(
    build.select({ part, partMs, payouts, amount }).from(gigPayouts).where(ofGig(tables)).orderBy(part),
  );
  const isPaid = and(
    IS_FEE_THAT_STANDS,
    equals(payments.gigId, 'gigId'),
    sql`${kit.noWayIn(payments.state)} = 'confirmed'`,
  );
  const fee = prepare(build.select({ amount: payments.amount }).from(payments).where(isPaid));
  async function paidByGig(gigId: number): Promise<PayoutSums | null> {
    const rows = await kept.all({ gigId });
    const [first] = rows;
    if (first === undefined) return null;
    return { partMs: first.partMs, parts: rows.map(({ part, payouts, amount }) => ({ part, payouts, amount })) };
  }
  return {
    paidByGig,
    async amountPaidByGig(gigId) {
      const parts = (await paidByGig(gigId))?.parts ?? [];
      return parts.reduce((sum, { amount }) => sum + amount, (await fee.get({ gigId }))?.amount ?? 0n);
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
export function createPayoutSums(db: Sql): Record<'add' | 'takeBack', (payout: ConfirmedPayout) => Promise<void>> {
  const { build, prepare, tables } = db;
  const { gigPayouts, gigs } = tables;
  const { paidByGig } = createGigPayoutReads(db);
  const window = prepare(
    build.select({ startTime: gigs.startTime, duration: gigs.duration }).from(gigs).where(equals(gigs.id, 'gigId')),
  );
  const forget = prepare(build.delete(gigPayouts).where(ofGig(tables)));
  const keep = prepare(
    build.insert(gigPayouts).values({
      gigId: sql.placeholder('gigId'),
      part: sql.placeholder('part'),
      partMs: sql.placeholder('partMs'),
      payouts: sql.placeholder('payouts'),
      amount: sql.placeholder('amount'),
    }),
  );
  const change = (by: typeof addPayout) => async (payout: ConfirmedPayout) => {
    const { gigId } = payout;
    const gig = await window.get({ gigId });
    if (gig === undefined) throw new TypeError(`a payout of an unknown gig ${gigId}`);
    const { startTime } = gig;
    const sums = by((await paidByGig(gigId)) ?? noPayouts(gig), { ...payout, startTime });
    // The part length may have changed, so all rows are replaced.
    await forget.run({ gigId });
    for (const part of sums.parts) await keep.run({ ...part, gigId, partMs: sums.partMs });
  };
  return { add: change(addPayout), takeBack: change(removePayout) };
}
