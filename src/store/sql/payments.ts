import { and, asc, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { FEE_NUMBER, type NumberedPayment, ownNumber, type Payment } from '../../domain/payment.ts';
import type { Tip } from '../../domain/tip.ts';
import type { StoreReads } from '../port/index.ts';
import { createAccountLookup } from './accounts.ts';
import type { Sql, Tables } from './engine.ts';
import { IS_FEE_THAT_STANDS, PAYMENT_CONFIRMED, PAYMENT_SENT } from './payment-tables.ts';
import { equals, readEach } from './statements.ts';
import { tipColumns } from './tips.ts';
import { createTokenLookup } from './tokens.ts';

const placeholder = sql.placeholder;

export type PaymentRow = Tables['payments']['$inferSelect'];

/** Builds a payment from its row, its token and its gig's wallet. */
export function createPaymentCompletion(db: Sql): (row: PaymentRow) => Promise<Payment> {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const tokenById = createTokenLookup(db);
  const wallet = prepare(build.select({ address: gigs.walletAddress }).from(gigs).where(equals(gigs.id, 'gigId')));
  return async ({ tokenId, numbers: _numbers, failedAt: _failedAt, ...row }) => {
    const token = await tokenById(tokenId);
    if (token === undefined) throw new TypeError(`payment ${row.id} of an unknown token ${tokenId}`);
    const gig = await wallet.get({ gigId: row.gigId });
    if (gig === undefined) throw new TypeError(`payment ${row.id} of an unknown gig ${row.gigId}`);
    return { ...row, token, wallet: gig.address };
  };
}

/** Finds the row of a payment by its id. */
export function createPaymentRow({ build, prepare, tables }: Sql): (id: number) => Promise<PaymentRow | undefined> {
  const { payments } = tables;
  const byId = prepare(build.select().from(payments).where(equals(payments.id, 'id')));
  return (id) => byId.get({ id });
}

/** Finds a payment by its id, or null. */
export function createPaymentLookup(db: Sql): (id: number) => Promise<Payment | null> {
  const row = createPaymentRow(db);
  const complete = createPaymentCompletion(db);
  return async (id) => {
    const found = await row(id);
    return found === undefined ? null : await complete(found);
  };
}

/** In numerical order, so that lists of numbers can be compared. */
export function sortNumbers(numbers: readonly bigint[]): bigint[] {
  return numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Whether these are the same numbers, in any order. */
export function areSameNumbers(some: readonly bigint[], others: readonly bigint[]): boolean {
  return sortNumbers(some).join() === sortNumbers(others).join();
}

/**
 * Finds the numbers of a payment: those that were signed or marked, or, of a planned one, those that its tips have now. A
 * mark is for every tip of its gig that was paid and that no payment has marked, and for a fee that was paid so.
 */
export function createNumberLookup({ build, kit, prepare, tables }: Sql): (row: PaymentRow) => Promise<bigint[]> {
  const { payments, tips } = tables;
  const number = { number: tips.number };
  const ofPayment = prepare(build.select(number).from(tips).where(equals(tips.paymentId, 'id')));
  const paidBefore = prepare(
    build
      .select(number)
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
  return async ({ id, gigId, kind, place, numbers }) => {
    if (numbers !== null) return [...numbers];
    const own = ownNumber({ kind, place });
    if (own !== null) return [own];
    const found = await (kind === 'mark' ? paidBefore.all({ gigId }) : ofPayment.all({ id }));
    const fee = kind === 'mark' && (await feeBefore.get({ gigId })) !== undefined ? [FEE_NUMBER] : [];
    return sortNumbers([...found.map(({ number }) => BigInt(number)), ...fee]);
  };
}

/** Adds to a tip the label of its account. */
function createLabelling(db: Sql): (tip: Omit<Tip, 'username'>) => Promise<Tip> {
  const account = createAccountLookup(db);
  return async (tip) => ({ ...tip, username: (await account(tip))?.username ?? null });
}

function createTipsOfPayment(db: Sql): StoreReads['tipsOfPayment'] {
  const { build, prepare, tables } = db;
  const { tips } = tables;
  const label = createLabelling(db);
  const paid = prepare(build.select(tipColumns(tables)).from(tips).where(equals(tips.paymentId, 'paymentId')));
  return async (paymentId) => {
    const found = await readEach(await paid.all({ paymentId }), label);
    return found.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
}

/** What was marked, and what is still to be paid, by numbers. */
function createNumberReads(db: Sql): Pick<StoreReads, 'markedNumbers' | 'unpaidTipsByNumber' | 'voidTipsByNumber'> {
  const { build, kit, prepare, tables } = db;
  const { payments, tips } = tables;
  const label = createLabelling(db);
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
  const byNumber = (isVoid: boolean) => {
    const isPending = and(eq(tips.status, 'pending'), eq(tips.isVoid, isVoid));
    const tip = prepare(
      build
        .select(tipColumns(tables))
        .from(tips)
        .where(and(equals(tips.gigId, 'gigId'), equals(tips.number, 'number'), isPending)),
    );
    return async (gigId: number, numbers: readonly bigint[]) => {
      const possible = numbers.filter((number) => number <= Number.MAX_SAFE_INTEGER);
      const found = await readEach(possible, (number) => tip.all({ gigId, number }));
      return await readEach(found.flat(), label);
    };
  };
  return {
    markedNumbers: async (gigId) => sortNumbers((await marked.all({ gigId })).flatMap(({ numbers }) => numbers ?? [])),
    unpaidTipsByNumber: byNumber(false),
    voidTipsByNumber: byNumber(true),
  };
}

type PaymentReads = Pick<
  StoreReads,
  | 'payment'
  | 'paymentsOfClaim'
  | 'paymentsOfGig'
  | 'tipsOfPayment'
  | 'paymentsInTransaction'
  | 'paymentsConfirmedAbove'
  | 'markedNumbers'
  | 'unpaidTipsByNumber'
  | 'voidTipsByNumber'
>;

export function createPaymentReads(db: Sql): PaymentReads {
  const { build, prepare, tables } = db;
  const { payments } = tables;
  const find = createPaymentRow(db);
  const complete = createPaymentCompletion(db);
  const numbersOf = createNumberLookup(db);
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
  const withNumbers = async (row: PaymentRow): Promise<NumberedPayment> => ({
    ...(await complete(row)),
    numbers: await numbersOf(row),
  });
  return {
    async payment(id) {
      const row = await find(id);
      return row === undefined ? null : await withNumbers(row);
    },
    paymentsOfClaim: async (claimId) => await readEach(await ofClaim.all({ claimId }), complete),
    paymentsOfGig: async (gigId) => await readEach(await ofGig.all({ gigId }), complete),
    tipsOfPayment: createTipsOfPayment(db),
    paymentsInTransaction: async (transactionId) =>
      await readEach(await inTransaction.all({ transactionId }), withNumbers),
    paymentsConfirmedAbove: async (chainId, blockNumber) =>
      await readEach(await above.all({ chainId, blockNumber }), withNumbers),
    ...createNumberReads(db),
  };
}
