import { and, asc, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { FEE_NUMBER, type NumberedPayment, ownNumber, type Payment } from '../../domain/payment.ts';
import type { Tip } from '../../domain/tip.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createAccountReads } from './accounts.ts';
import { equals } from './statements.ts';
import { gigs, IS_FEE_THAT_STANDS, PAYMENT_CONFIRMED, PAYMENT_SENT, payments, tips } from './tables.ts';
import { TIP_COLUMNS } from './tips.ts';
import { createTokenLookup } from './tokens.ts';

const placeholder = sql.placeholder;

export type PaymentRow = typeof payments.$inferSelect;

/** Builds a payment from its row, its token and its gig's wallet. */
export function createPaymentCompletion(db: Db): (row: PaymentRow) => Payment {
  const tokenById = createTokenLookup(db);
  const wallet = prepare(db, db.select({ address: gigs.walletAddress }).from(gigs).where(equals(gigs.id, 'gigId')));
  return ({ tokenId, numbers: _numbers, failedAt: _failedAt, ...row }) => {
    const token = tokenById(tokenId);
    if (token === undefined) throw new TypeError(`payment ${row.id} of an unknown token ${tokenId}`);
    const gig = wallet.get({ gigId: row.gigId });
    if (gig === undefined) throw new TypeError(`payment ${row.id} of an unknown gig ${row.gigId}`);
    return { ...row, token, wallet: gig.address };
  };
}

/** Finds the row of a payment by its id. */
export function createPaymentRow(db: Db): (id: number) => PaymentRow | undefined {
  const byId = prepare(db, db.select().from(payments).where(equals(payments.id, 'id')));
  return (id) => byId.get({ id });
}

/** Finds a payment by its id, or null. */
export function createPaymentLookup(db: Db): (id: number) => Payment | null {
  const row = createPaymentRow(db);
  const complete = createPaymentCompletion(db);
  return (id) => {
    const found = row(id);
    return found === undefined ? null : complete(found);
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
export function createNumberLookup(db: Db): (row: PaymentRow) => bigint[] {
  const number = { number: tips.number };
  const ofPayment = prepare(db, db.select(number).from(tips).where(equals(tips.paymentId, 'id')));
  const paidBefore = prepare(
    db,
    db
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
  const isPaidFee = and(IS_FEE_THAT_STANDS, equals(payments.gigId, 'gigId'), sql`+${payments.state} = 'confirmed'`);
  const feeBefore = prepare(
    db,
    db
      .select({ id: payments.id })
      .from(payments)
      .where(and(isPaidFee, isNull(payments.numbers))),
  );
  return ({ id, gigId, kind, place, numbers }) => {
    if (numbers !== null) return [...numbers];
    const own = ownNumber({ kind, place });
    if (own !== null) return [own];
    const found = kind === 'mark' ? paidBefore.all({ gigId }) : ofPayment.all({ id });
    const fee = kind === 'mark' && feeBefore.get({ gigId }) !== undefined ? [FEE_NUMBER] : [];
    return sortNumbers([...found.map(({ number }) => BigInt(number)), ...fee]);
  };
}

function createTipsOfPayment(db: Db): SyncReads['tipsOfPayment'] {
  const { account } = createAccountReads(db);
  const paid = prepare(db, db.select(TIP_COLUMNS).from(tips).where(equals(tips.paymentId, 'paymentId')));
  return (paymentId): Tip[] => {
    const found = paid.all({ paymentId }).map((tip) => ({ ...tip, username: account(tip)?.username ?? null }));
    return found.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
}

/** What was marked, and what is still to be paid, by numbers. */
function createNumberReads(db: Db): Pick<SyncReads, 'markedNumbers' | 'unpaidTipsByNumber' | 'voidTipsByNumber'> {
  const { account } = createAccountReads(db);
  const marked = prepare(
    db,
    db
      .select({ numbers: payments.numbers })
      .from(payments)
      .where(and(equals(payments.gigId, 'gigId'), sql`+${payments.state} = 'confirmed'`, isNotNull(payments.numbers))),
  );
  const byNumber = (isVoid: boolean) => {
    const isPending = and(eq(tips.status, 'pending'), eq(tips.isVoid, isVoid));
    const tip = prepare(
      db,
      db
        .select(TIP_COLUMNS)
        .from(tips)
        .where(and(equals(tips.gigId, 'gigId'), equals(tips.number, 'number'), isPending)),
    );
    return (gigId: number, numbers: readonly bigint[]) =>
      numbers
        .filter((number) => number <= Number.MAX_SAFE_INTEGER)
        .flatMap((number) => tip.all({ gigId, number }))
        .map((found) => ({ ...found, username: account(found)?.username ?? null }));
  };
  return {
    markedNumbers: (gigId) => sortNumbers(marked.all({ gigId }).flatMap(({ numbers }) => numbers ?? [])),
    unpaidTipsByNumber: byNumber(false),
    voidTipsByNumber: byNumber(true),
  };
}

type PaymentReads = Pick<
  SyncReads,
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

export function createPaymentReads(db: Db): PaymentReads {
  const find = createPaymentRow(db);
  const complete = createPaymentCompletion(db);
  const numbersOf = createNumberLookup(db);
  const inOrder = (condition: SQL | undefined, ...order: [SQL, ...SQL[]]) =>
    prepare(
      db,
      db
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
  const withNumbers = (row: PaymentRow): NumberedPayment => ({ ...complete(row), numbers: numbersOf(row) });
  return {
    payment: (id) => {
      const row = find(id);
      return row === undefined ? null : withNumbers(row);
    },
    paymentsOfClaim: (claimId) => ofClaim.all({ claimId }).map(complete),
    paymentsOfGig: (gigId) => ofGig.all({ gigId }).map(complete),
    tipsOfPayment: createTipsOfPayment(db),
    paymentsInTransaction: (transactionId) => inTransaction.all({ transactionId }).map(withNumbers),
    paymentsConfirmedAbove: (chainId, blockNumber) => above.all({ chainId, blockNumber }).map(withNumbers),
    ...createNumberReads(db),
  };
}
