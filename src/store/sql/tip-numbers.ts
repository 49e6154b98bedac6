import { and, eq, gte, isNull, lt, notExists, sql } from 'drizzle-orm';
import { type NewTip, OTHER_NUMBERS, otherNumber } from '../../domain/tip.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs, PAYMENT_SENT, payments, tips } from './tables.ts';

/**
 * Adds an amount, which may be negative, to the awarded sum of a gig, and takes so many of its tip numbers.
 * @returns the first of the numbers; they are consecutive
 * @throws RangeError when there is no such gig
 */
type GigCount = (gigId: number, added: { readonly amount: bigint; readonly numbers: number }) => number;

/** What a gig has awarded and the numbers that it has given, in one update. */
export function createGigCount(db: Db): GigCount {
  const isGig = equals(gigs.id, 'gigId');
  const awarded = prepare(db, db.select({ soFar: gigs.awardedAmount }).from(gigs).where(isGig));
  const count = prepare(
    db,
    db
      .update(gigs)
      .set({
        awardedAmount: bound('sum'),
        nextTipNumber: sql`${gigs.nextTipNumber} + ${sql.placeholder('numbers')}`,
      })
      .where(isGig)
      .returning({ next: gigs.nextTipNumber }),
  );
  return (gigId, { amount, numbers }) => {
    const row = awarded.get({ gigId });
    if (row === undefined) throw new RangeError(`there is no gig ${gigId} to award tips from`);
    return count.get({ gigId, sum: String(row.soFar + amount), numbers }).next - numbers;
  };
}

/** Counts a batch of tips with one update for each gig; the result gives their numbers, in the order of the tips. */
export function createBatchCount(count: GigCount): (added: readonly NewTip[]) => (gigId: number) => number {
  return (added) => {
    const nextOf = new Map<number, number>();
    for (const [gigId, ofGig] of Map.groupBy(added, (tip) => tip.gigId)) {
      const amount = ofGig.reduce((sum, tip) => sum + tip.amount, 0n);
      nextOf.set(gigId, count(gigId, { amount, numbers: ofGig.length }));
    }
    return (gigId) => {
      const number = nextOf.get(gigId);
      if (number === undefined) throw new RangeError(`no tip of gig ${gigId} was counted`);
      nextOf.set(gigId, number + 1);
      return number;
    };
  };
}

export function createTipNumberReads(db: Db): Pick<SyncReads, 'otherTipNumbers'> {
  const isOther = and(equals(tips.gigId, 'gigId'), gte(tips.number, OTHER_NUMBERS), eq(tips.status, 'pending'));
  const others = prepare(db, db.select({ number: tips.number }).from(tips).where(isOther));
  return { otherTipNumbers: (gigId) => others.all({ gigId }).map(({ number }) => BigInt(number)) };
}

export function createTipNumberWrites(db: Db): Pick<SyncWrites, 'renumberTip' | 'skipTipNumbers'> {
  const isTip = equals(tips.id, 'id');
  const isUnpaid = and(eq(tips.status, 'pending'), eq(tips.isVoid, false), isNull(tips.txHash));
  // A signed payment may still be included and mark the number that it was signed with.
  const sent = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.id, tips.paymentId), PAYMENT_SENT));
  const unpaid = prepare(
    db,
    db
      .select({
        gigId: tips.gigId,
        number: tips.number,
        createdAt: tips.createdAt,
        amount: tips.amount,
        platform: tips.platform,
        platformUserId: tips.platformUserId,
      })
      .from(tips)
      .where(and(isTip, isUnpaid, notExists(sent))),
  );
  const renumber = prepareChange(db, tips, { number: bound('number') }, isTip);
  const isBehind = and(equals(gigs.id, 'gigId'), lt(gigs.nextTipNumber, sql.placeholder('next')));
  const skip = prepareChange(db, gigs, { nextTipNumber: bound('next') }, isBehind);
  return {
    renumberTip: db.$client.transaction((id) => {
      // Drizzle types the row as present, but it is undefined when the tip may not be renumbered.
      const tip: Parameters<typeof otherNumber>[0] | undefined = unpaid.get({ id });
      if (tip === undefined) return null;
      const number = otherNumber(tip);
      renumber({ id, number });
      return number;
    }),
    skipTipNumbers(gigId, next) {
      if (!Number.isSafeInteger(next) || next < 0 || next > OTHER_NUMBERS)
        throw new RangeError(`${next} cannot be the number of a tip`);
      return skip({ gigId, next });
    },
  };
}
