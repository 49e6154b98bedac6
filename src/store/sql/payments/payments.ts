import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Tip } from '../../../domain/gigs/tip.ts';
import {
  FEE_NUMBER,
  type NumberedPayment,
  ownNumber,
  PAYMENT_KINDS,
  type Payment,
} from '../../../domain/payments/payment.ts';
import { createAccountLookup } from '../claims/accounts.ts';
import type { Sql, Tables } from '../engine.ts';
import { tipColumns } from '../gigs/tips.ts';
import { createTokenLookups } from '../gigs/tokens.ts';
import { locked, noun } from '../noun.ts';
import { distinct, equals, readEach } from '../statements.ts';
import { byClaim, byGig, nothing } from '../subjects.ts';
import { IS_FEE_THAT_STANDS, PAYMENT_CONFIRMED, PAYMENT_SENT } from './payment-tables.ts';

const placeholder = sql.placeholder;

export type PaymentRow = Tables['payments']['$inferSelect'];

/** Builds payments from their rows, their tokens and their gigs' wallets. */
export function createPaymentCompletion(db: Sql): (rows: readonly PaymentRow[]) => Promise<Payment[]> {
  const { build, kit, prepare, tables } = db;
  const { gigs } = tables;
  const findTokens = createTokenLookups(db);
  const wallets = prepare(
    build.select({ id: gigs.id, wallet: gigs.walletAddress }).from(gigs).where(kit.isAmong(gigs.id, 'ids')),
  );
  return async (rows) => {
    if (rows.length === 0) return [];
    const [tokens, found] = await Promise.all([
      findTokens(distinct(rows.map((row) => row.tokenId))),
      wallets.all({ ids: distinct(rows.map((row) => row.gigId)) }),
    ]);
    const walletOf = new Map(found.map(({ id, wallet }) => [id, wallet]));
    return rows.map(({ tokenId, numbers: _numbers, failedAt: _failedAt, ...row }) => {
      const token = tokens.get(tokenId);
      if (token === undefined) throw new TypeError(`payment ${row.id} of an unknown token ${tokenId}`);
      const wallet = walletOf.get(row.gigId);
      if (wallet === undefined) throw new TypeError(`payment ${row.id} of an unknown gig ${row.gigId}`);
      return { ...row, token, wallet };
    });
  };
}

/** Finds the rows of payments by their ids, in any order. */
export function createPaymentRows({
  build,
  kit,
  prepare,
  tables,
}: Sql): (ids: readonly number[]) => Promise<PaymentRow[]> {
  const { payments } = tables;
  const byIds = prepare(build.select().from(payments).where(kit.isAmong(payments.id, 'ids')));
  return (ids) => byIds.all({ ids });
}

/** Finds payments by their ids, in any order. */
export function createPaymentLookups(db: Sql): (ids: readonly number[]) => Promise<Payment[]> {
  const find = createPaymentRows(db);
  const complete = createPaymentCompletion(db);
  return async (ids) => await complete(ids.length === 0 ? [] : await find(ids));
}

/** Finds a payment by its id, or null. */
export function createPaymentLookup(db: Sql): (id: number) => Promise<Payment | null> {
  const find = createPaymentLookups(db);
  return async (id) => (await find([id]))[0] ?? null;
}

const OTHER_KINDS = PAYMENT_KINDS.filter((kind) => kind !== 'payout');

/** Finds the payments of a gig but for its payouts, of which there may be many. Oldest first. */
export function createOtherPayments(db: Sql): (gigId: number) => Promise<Payment[]> {
  const { build, prepare, tables } = db;
  const { payments } = tables;
  const complete = createPaymentCompletion(db);
  const ofGig = prepare(
    build
      .select()
      .from(payments)
      .where(and(equals(payments.gigId, 'gigId'), inArray(payments.kind, OTHER_KINDS)))
      .orderBy(asc(payments.id)),
  );
  return async (gigId) => await complete(await ofGig.all({ gigId }));
}

/** In numerical order, so that lists of numbers can be compared. */
export function sortNumbers(numbers: readonly bigint[]): bigint[] {
  return numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Whether these are the same numbers, in any order. */
export function areSameNumbers(some: readonly bigint[], others: readonly bigint[]): boolean {
  return sortNumbers(some).join() === sortNumbers(others).join();
}

type NumberedRow = Pick<PaymentRow, 'id' | 'gigId' | 'kind' | 'place' | 'numbers'>;

/**
 * Finds what a mark is for: every tip of its gig that was paid and that no payment has marked, and a fee that was paid so.
 */
function createMarkNumbers({ build, kit, prepare, tables }: Sql): (gigId: number) => Promise<bigint[]> {
  const { payments, tips } = tables;
  const paidBefore = prepare(
    build
      .select({ number: tips.number })
      .from(tips)
      .where(
        and(
          equals(tips.gigId, 'gigId'),
          eq(tips.status, 'claimed'),
          sql`not exists (select 1 from ${payments} where ${payments.id} = ${tips.paymentId} and ${payments.numbers} is not null)`,
        ),
      ),
  );
  const isPaidFee = and(
    IS_FEE_THAT_STANDS,
    equals(payments.gigId, 'gigId'),
    sql`${kit.noWayIn(payments.state)} = 'confirmed'`,
  );
  const feeBefore = prepare(
    build
      .select({ id: payments.id })
      .from(payments)
      .where(and(isPaidFee, isNull(payments.numbers))),
  );
  return async (gigId) => {
    const found = (await paidBefore.all({ gigId })).map(({ number }) => BigInt(number));
    return (await feeBefore.get({ gigId })) === undefined ? found : [...found, FEE_NUMBER];
  };
}

/**
 * Finds the numbers of payments: those that were signed or marked, or, of a planned one, those that its tips have now.
 * @returns tells those of one of the rows, lowest first
 */
export function createNumberLookup(db: Sql): (rows: readonly NumberedRow[]) => Promise<(row: NumberedRow) => bigint[]> {
  const { build, kit, prepare, tables } = db;
  const { tips } = tables;
  const ofMark = createMarkNumbers(db);
  const ofTips = prepare(
    build.select({ id: tips.paymentId, number: tips.number }).from(tips).where(kit.isAmong(tips.paymentId, 'ids')),
  );
  return async (rows) => {
    const open = rows.filter((row) => row.numbers === null && ownNumber(row) === null);
    const marks = open.filter(({ kind }) => kind === 'mark');
    const ids = open.filter(({ kind }) => kind !== 'mark').map(({ id }) => id);
    const paid = Map.groupBy(ids.length === 0 ? [] : await ofTips.all({ ids }), ({ id }) => id);
    const marked = new Map(await readEach(marks, async ({ id, gigId }) => [id, await ofMark(gigId)] as const));
    return (row) => {
      if (row.numbers !== null) return [...row.numbers];
      const own = ownNumber(row);
      if (own !== null) return [own];
      return sortNumbers(marked.get(row.id) ?? (paid.get(row.id) ?? []).map(({ number }) => BigInt(number)));
    };
  };
}

/** Builds payments with their numbers from their rows. */
export function createNumbering(db: Sql): (rows: readonly PaymentRow[]) => Promise<NumberedPayment[]> {
  const complete = createPaymentCompletion(db);
  const findNumbers = createNumberLookup(db);
  return async (rows) => {
    const [payments, numbersOf] = await Promise.all([complete(rows), findNumbers(rows)]);
    const numbers = new Map(rows.map((row) => [row.id, numbersOf(row)]));
    return payments.map((payment) => ({ ...payment, numbers: numbers.get(payment.id) ?? [] }));
  };
}

function createLabelling(db: Sql): (tip: Omit<Tip, 'username'>) => Promise<Tip> {
  const account = createAccountLookup(db);
  return async (tip) => ({ ...tip, username: (await account(tip))?.username ?? null });
}

function createTipsOfPayment(db: Sql) {
  const { build, prepare, tables } = db;
  const { tips } = tables;
  const label = createLabelling(db);
  const paid = prepare(build.select(tipColumns(tables)).from(tips).where(equals(tips.paymentId, 'paymentId')));
  return async (paymentId: number): Promise<Tip[]> => {
    const found = await readEach(await paid.all({ paymentId }), label);
    return found.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
}

function createUnpaidByNumber(db: Sql) {
  const { build, prepare, tables } = db;
  const { tips } = tables;
  const label = createLabelling(db);
  const isUnpaid = and(eq(tips.status, 'pending'), eq(tips.isVoid, false));
  const byNumber = prepare(
    build
      .select(tipColumns(tables))
      .from(tips)
      .where(and(equals(tips.gigId, 'gigId'), equals(tips.number, 'number'), isUnpaid)),
  );
  return async (gigId: number, numbers: readonly bigint[]): Promise<Tip[]> => {
    const possible = numbers.filter((number) => number <= Number.MAX_SAFE_INTEGER);
    const found = await readEach(possible, (number) => byNumber.all({ gigId, number }));
    return await readEach(found.flat(), label);
  };
}

/** What was marked, and what is still to be paid, by numbers. */
export function createNumberReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { payments } = tables;
  const marked = prepare(
    build
      .select({ numbers: payments.numbers })
      .from(payments)
      .where(
        and(
          equals(payments.gigId, 'gigId'),
          sql`${kit.noWayIn(payments.state)} = 'confirmed'`,
          isNotNull(payments.numbers),
        ),
      ),
  );
  const isConfirmed = and(equals(payments.gigId, 'gigId'), eq(payments.state, 'confirmed'));
  const byPayouts = prepare(
    build
      .select({ id: payments.id, numbers: payments.numbers })
      .from(payments)
      .where(and(isConfirmed, eq(payments.kind, 'payout'), gt(payments.id, placeholder('after'))))
      .orderBy(asc(payments.id))
      .limit(placeholder('limit')),
  );
  const byOthers = prepare(
    build
      .select({ numbers: payments.numbers })
      .from(payments)
      .where(and(isConfirmed, inArray(payments.kind, OTHER_KINDS))),
  );
  return {
    /** The numbers that a gig's confirmed payments have marked. Tips that were paid before the contract are not in it. */
    markedNumbers: locked(
      byGig,
      async (gigId: number): Promise<bigint[]> =>
        sortNumbers((await marked.all({ gigId })).flatMap(({ numbers }) => numbers ?? [])),
    ),
    /** The numbers that the confirmed payouts of a gig have marked, oldest first; `after` is a payment's id. */
    markedByPayouts: locked(
      byGig,
      async (
        gigId: number,
        page: { after: number; limit: number },
      ): Promise<{ readonly id: number; readonly numbers: readonly bigint[] }[]> =>
        (await byPayouts.all({ gigId, ...page })).map(({ id, numbers }) => ({ id, numbers: numbers ?? [] })),
    ),
    /** Those that its other confirmed payments have marked. Fee, refund and returns are among them, if they were made. */
    markedByOthers: locked(
      byGig,
      async (gigId: number): Promise<bigint[]> =>
        sortNumbers((await byOthers.all({ gigId })).flatMap(({ numbers }) => numbers ?? [])),
    ),
    /** Unpaid tips of a gig, not void, with these numbers, in their order. */
    unpaidTipsByNumber: locked(byGig, createUnpaidByNumber(db)),
  };
}

export const payments = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { payments } = tables;
  const find = createPaymentRows(db);
  const complete = createPaymentCompletion(db);
  const number = createNumbering(db);
  const inOrder = (condition: SQL | undefined, ...order: [SQL, ...SQL[]]) =>
    prepare(
      build
        .select()
        .from(payments)
        .where(condition)
        .orderBy(...order),
    );
  const byId = asc(payments.id);
  const ofClaim = inOrder(equals(payments.claimId, 'claimId'), byId);
  const ofGig = inOrder(equals(payments.gigId, 'gigId'), byId);
  const inTransaction = inOrder(and(PAYMENT_SENT, equals(payments.transactionId, 'transactionId')), byId);
  const isAbove = gt(payments.blockNumber, placeholder('blockNumber'));
  const above = inOrder(
    and(PAYMENT_CONFIRMED, equals(payments.chainId, 'chainId'), isAbove, isNotNull(payments.numbers)),
    asc(payments.blockNumber),
    byId,
  );
  return {
    reads: {
      payment: locked(
        nothing,
        async (id: number): Promise<NumberedPayment | null> => (await number(await find([id])))[0] ?? null,
      ),
      /** Oldest first. */
      paymentsOfClaim: locked(
        byClaim,
        async (claimId: number): Promise<Payment[]> => await complete(await ofClaim.all({ claimId })),
      ),
      /** Every payment of a gig, oldest first. Of a large gig it takes seconds. */
      paymentsOfGig: locked(
        byGig,
        async (gigId: number): Promise<Payment[]> => await complete(await ofGig.all({ gigId })),
      ),
      /** The fees, marks, refunds and returns of a gig, oldest first: all its payments but for the payouts. */
      otherPaymentsOfGig: locked(byGig, createOtherPayments(db)),
      /** A payment's tips: to be paid, paid, or failed and not taken by another claim since. Oldest first. */
      tipsOfPayment: locked(nothing, createTipsOfPayment(db)),
      paymentsInTransaction: locked(
        nothing,
        async (transactionId: number): Promise<NumberedPayment[]> =>
          await number(await inTransaction.all({ transactionId })),
      ),
      /** Payments of a chain whose numbers were marked in a block above this one, lowest block first. */
      paymentsConfirmedAbove: locked(
        nothing,
        async (chainId: number, blockNumber: bigint): Promise<NumberedPayment[]> =>
          await number(await above.all({ chainId, blockNumber })),
      ),
      ...createNumberReads(db),
    },
    writes: {},
  };
});
