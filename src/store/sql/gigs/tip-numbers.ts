import { and, type Column, eq, gte, isNull, lt, min, notExists, type SQL, sql } from 'drizzle-orm';
import { type NewTip, OTHER_NUMBERS, otherNumber } from '../../../domain/gigs/tip.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { PAYMENT_SENT } from '../payments/payment-tables.ts';
import { bound, equals, prepareChange, typed } from '../statements.ts';
import { byGig, byGigOfTip } from '../subjects.ts';

const WORD = 256;
/** Their numbers are read in a few milliseconds. */
const WORDS_AT_ONCE = 40;

/** What changes in the counts of a gig; amounts may be negative. */
interface Counted {
  readonly awarded: bigint;
  /** Nothing when absent. */
  readonly voided?: bigint;
  /** How many tip numbers are taken. */
  readonly numbers: number;
}

/**
 * Adds to the awarded and the voided sum of a gig, and takes so many of its tip numbers.
 * @returns the first of the numbers; they are consecutive
 * @throws RangeError when there is no such gig
 */
type GigCount = (gigId: number, added: Counted) => Promise<number>;

/**
 * What a gig has awarded and voided, and the numbers that it has given, in one update.
 * @param least it gives no number below it
 */
export function createGigCount({ build, kit, prepare, tables }: Sql, least: SQL = sql`0`): GigCount {
  const { gigs } = tables;
  const { awardedAmount, voidedAmount } = gigs;
  const isGig = equals(gigs.id, 'gigId');
  const update = (sums: { awardedAmount: SQL; voidedAmount: SQL }) =>
    prepare(
      build
        .update(gigs)
        .set({
          ...sums,
          nextTipNumber: sql`${kit.greatest(gigs.nextTipNumber, least)} + ${sql.placeholder('numbers')}`,
        })
        .where(isGig)
        .returning({ next: gigs.nextTipNumber }),
    );
  const firstOf = (
    row: { readonly next: number } | undefined,
    { gigId, numbers }: { gigId: number; numbers: number },
  ) => {
    if (row === undefined) throw new RangeError(`there is no gig ${gigId} to award tips from`);
    return row.next - numbers;
  };
  if (kit.isServer) {
    const sum = (column: Column, name: string) => sql`${column} + ${typed(column, name)}`;
    const add = update({ awardedAmount: sum(awardedAmount, 'awarded'), voidedAmount: sum(voidedAmount, 'voided') });
    return async (gigId, { awarded, voided = 0n, numbers }) =>
      firstOf(await add.get({ gigId, awarded, voided, numbers }), { gigId, numbers });
  }
  // An amount is text there, and adding numbers of this size is left to JavaScript.
  const soFar = prepare(build.select({ awarded: awardedAmount, voided: voidedAmount }).from(gigs).where(isGig));
  const set = update({ awardedAmount: bound('awarded'), voidedAmount: bound('voided') });
  return async (gigId, { awarded, voided = 0n, numbers }) => {
    const row = await soFar.get({ gigId });
    const sums = row && { awarded: String(row.awarded + awarded), voided: String(row.voided + voided) };
    return firstOf(sums && (await set.get({ gigId, ...sums, numbers })), { gigId, numbers });
  };
}

/** Counts a batch of tips with one update for each gig; the result gives their numbers, in the order of the tips. */
export function createBatchCount(count: GigCount): (added: readonly NewTip[]) => Promise<(gigId: number) => number> {
  return async (added) => {
    const nextOf = new Map<number, number>();
    for (const [gigId, ofGig] of Map.groupBy(added, (tip) => tip.gigId)) {
      const awarded = ofGig.reduce((sum, tip) => sum + tip.amount, 0n);
      nextOf.set(gigId, await count(gigId, { awarded, numbers: ofGig.length }));
    }
    return (gigId) => {
      const number = nextOf.get(gigId);
      if (number === undefined) throw new RangeError(`no tip of gig ${gigId} was counted`);
      nextOf.set(gigId, number + 1);
      return number;
    };
  };
}

function createRenumbering(db: Sql) {
  const { build, prepare, tables } = db;
  const { payments, tips } = tables;
  const isTip = equals(tips.id, 'id');
  const isUnpaid = and(eq(tips.status, 'pending'), eq(tips.isVoid, false), isNull(tips.txHash));
  // A signed payment may still be included and mark the number that it was signed with.
  const sent = build
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.id, tips.paymentId), PAYMENT_SENT));
  const unpaid = prepare(
    build
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
  return {
    /**
     * Gives a tip its {@link otherNumber} and returns it, because the chain has paid the old one to another. The old number
     * is never given again. Null when the tip is paid or void, there is no such tip, or a signed payment of it may still be
     * included: its bytes name the old number.
     */
    renumberTip: locked(byGigOfTip, async (id: number): Promise<number | null> => {
      const tip = await unpaid.get({ id });
      if (tip === undefined) return null;
      const number = otherNumber(tip);
      await renumber({ id, number });
      return number;
    }),
  };
}

export const tipNumbers = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigs, tips } = tables;
  const word = sql<bigint>`${tips.number} >> 8`.mapWith(BigInt);
  const isFrom = and(equals(tips.gigId, 'gigId'), gte(tips.number, sql.placeholder('firstNumber')));
  const first = prepare(
    build
      .select({ number: min(tips.number) })
      .from(tips)
      .where(isFrom),
  );
  const words = prepare(
    build
      .selectDistinct({ word })
      .from(tips)
      .where(and(isFrom, lt(tips.number, sql.placeholder('endNumber')))),
  );
  const isBehind = and(equals(gigs.id, 'gigId'), lt(gigs.nextTipNumber, sql.placeholder('next')));
  const skip = prepareChange(db, gigs, { nextTipNumber: bound('next') }, isBehind);
  return {
    reads: {
      /**
       * Some of the words of marks (256 numbers each) that hold the numbers of a gig's tips, from a number on. The next ones
       * begin at `next`; null when these are the last.
       */
      tipWords: locked(
        byGig,
        async (gigId: number, least: number): Promise<{ words: bigint[]; next: number | null }> => {
          const from = (await first.get({ gigId, firstNumber: least }))?.number ?? null;
          if (from === null) return { words: [], next: null };
          const to = (Math.floor(from / WORD) + WORDS_AT_ONCE) * WORD;
          return {
            words: (await words.all({ gigId, firstNumber: from, endNumber: to })).map((row) => row.word),
            next: to,
          };
        },
      ),
    },
    writes: {
      ...createRenumbering(db),
      /**
       * Skips the numbers of a gig's tips below `next`, which the chain may have paid for tips that this store has lost.
       * False when the gig has given them already, or there is no such gig.
       * @throws RangeError when `next` is not an integer of zero or more
       */
      skipTipNumbers: locked(byGig, async (gigId: number, next: number): Promise<boolean> => {
        if (!Number.isSafeInteger(next) || next < 0 || next > OTHER_NUMBERS)
          throw new RangeError(`${next} cannot be the number of a tip`);
        return await skip({ gigId, next });
      }),
    },
  };
});
