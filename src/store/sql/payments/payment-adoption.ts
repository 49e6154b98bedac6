import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { NewPayment, Payment } from '../../../domain/payments/payment.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import type { MarkedIn } from '../../port/payments.ts';
import { createClaimLookup } from '../claims/claims.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, firstMissing, readEach, theRow } from '../statements.ts';
import { byItsGig } from '../subjects.ts';
import { createFailure, createStrayCount, createSumUpdates, transactionOfHash } from './payment-changes.ts';
import { createTokenCheck } from './payment-plans.ts';
import { IS_FEE_THAT_STANDS, IS_REFUND_THAT_STANDS, IS_RETURN_THAT_STANDS } from './payment-tables.ts';
import {
  areSameNumbers,
  createNumberReads,
  createPaymentCompletion,
  type PaymentRow,
  sortNumbers,
} from './payments.ts';

const placeholder = sql.placeholder;

type Adopted = NewPayment & { numbers: readonly bigint[] };
type Paying = MarkedIn & { tipIds: readonly number[]; now: number };

function createInsert({ build, prepare, tables }: Sql): (payment: Adopted, how: Paying) => Promise<PaymentRow> {
  const { payments } = tables;
  const insert = prepare(
    build
      .insert(payments)
      .values({
        ...boundTo(payments, 'kind', 'chainId', 'gigId', 'claimId', 'tokenId', 'recipient', 'amount', 'place'),
        ...boundTo(payments, 'numbers', 'hash', 'blockNumber', 'gasUsed'),
        state: 'confirmed',
        transactionId: transactionOfHash(tables, placeholder('hash')),
        dueAt: placeholder('now'),
        createdAt: placeholder('now'),
        updatedAt: placeholder('now'),
      })
      .returning(),
  );
  return async (payment, { hash, blockNumber, gasUsed, now }) => {
    const numbers = sortNumbers(payment.numbers);
    return await theRow(insert.get({ place: null, ...payment, numbers, hash, blockNumber, gasUsed, now }));
  };
}

/** What is over stays, and what is sent is refused later. */
function createClearance(db: Sql): (payment: Adopted, how: Paying) => Promise<void> {
  const { build, kit, prepare, tables } = db;
  const { payments, tips } = tables;
  const fail = createFailure(db);
  const ofTip = prepare(build.select({ id: tips.paymentId }).from(tips).where(equals(tips.id, 'tipId')));
  const standing = (condition: SQL) =>
    prepare(
      build
        .select({ id: payments.id })
        .from(payments)
        .where(and(condition, equals(payments.gigId, 'gigId'), kit.isSame(payments.place, placeholder('place')))),
    );
  const ofKind = {
    fee: standing(IS_FEE_THAT_STANDS),
    refund: standing(IS_REFUND_THAT_STANDS),
    return: standing(IS_RETURN_THAT_STANDS),
  };
  return async ({ kind, gigId, place = null }, { tipIds, now }) => {
    const planned = await readEach(tipIds, async (tipId) => (await ofTip.get({ tipId }))?.id);
    if (kind !== 'payout' && kind !== 'mark') planned.push((await ofKind[kind].get({ gigId, place }))?.id);
    for (const id of planned) {
      if (typeof id === 'number') await fail(id, { reason: `${REASON.paidByAnother} is on the chain`, now });
    }
  };
}

/** The tips must be of one account and have the payment's numbers and amount. */
function createTake(db: Sql): (payment: PaymentRow, tipIds: readonly number[]) => Promise<void> {
  const { build, kit, prepare, tables } = db;
  const { tips } = tables;
  const claimById = createClaimLookup(db);
  const { number, amount, platform, platformUserId } = tips;
  const take = prepare(
    build
      .update(tips)
      .set({
        status: 'claimed',
        paymentId: bound('id'),
        userAddress: bound('recipient'),
        txHash: bound('hash'),
        claimedAt: bound('updatedAt'),
      })
      .where(
        and(
          kit.isAmong(tips.id, 'tipIds'),
          eq(tips.status, 'pending'),
          eq(tips.isVoid, false),
          isNull(tips.claimNonce),
          equals(tips.gigId, 'gigId'),
          equals(tips.tokenId, 'tokenId'),
        ),
      )
      .returning({ id: tips.id, number, amount, platform, platformUserId }),
  );
  return async (payment, tipIds) => {
    const { id, claimId, gigId, tokenId, recipient, hash, updatedAt } = payment;
    const taken = await take.all({ id, tipIds, gigId, tokenId, recipient, hash, updatedAt });
    const missing = firstMissing(tipIds, taken);
    if (missing !== undefined) throw new RangeError(`tip ${missing} is not an unpaid one of gig ${gigId} that is free`);
    const owners: readonly (AccountKey | null)[] = claimId === null ? taken : [...taken, await claimById(claimId)];
    const accounts = new Set(owners.map((owner) => `${owner?.platform} ${owner?.platformUserId}`));
    if (accounts.size > 1) throw new RangeError('one payment cannot pay tips of several accounts');
    const numbers = taken.map((tip) => BigInt(tip.number));
    if (!areSameNumbers(numbers, payment.numbers ?? [])) {
      throw new RangeError(
        `a payment of the numbers ${payment.numbers?.join(', ')} cannot pay those of ${numbers.join(', ')}`,
      );
    }
    const sum = taken.reduce((total, tip) => total + tip.amount, 0n);
    if (sum !== payment.amount) throw new RangeError(`a payment of ${payment.amount} cannot pay tips of ${sum}`);
  };
}

/** @throws RangeError when numbers that no tip is to have are an unpaid tip's, or were marked by another payment */
function createStrayCheck(db: Sql): (payment: Adopted) => Promise<void> {
  const reads = createNumberReads(db);
  return async ({ gigId, numbers }) => {
    const [unpaid] = await reads.unpaidTipsByNumber(gigId, numbers);
    if (unpaid !== undefined) throw new RangeError(`number ${unpaid.number} of gig ${gigId} is that of an unpaid tip`);
    const marked = new Set(await reads.markedNumbers(gigId));
    const again = numbers.find((number) => marked.has(number));
    if (again !== undefined) throw new RangeError(`number ${again} of gig ${gigId} is known as paid already`);
  };
}

export const paymentAdoption = noun((db: Sql) => {
  const checkToken = createTokenCheck(db);
  const checkStrays = createStrayCheck(db);
  const clear = createClearance(db);
  const insert = createInsert(db);
  const take = createTake(db);
  const sums = createSumUpdates(db);
  const countStray = createStrayCount(db);
  const complete = createPaymentCompletion(db);
  return {
    reads: {},
    writes: {
      /**
       * Stores a payment that the ledger knows from the chain alone, confirmed: of these unpaid tips, of the gig's fee, or of
       * numbers that no tip has: its amount counts as awarded, because its tips are lost. What another payment had planned for
       * one of the tips, or for the fee, fails, and its other tips can be claimed again.
       * @throws RangeError when a tip is paid, void, another account's, or held by a payment that is sent; when the tips do not
       * have its numbers or add up to its amount; and, without tips, when an unpaid tip has one of its numbers, or another
       * payment has marked it
       */
      adoptPayment: locked(byItsGig, async (payment: Adopted, how: Paying): Promise<Payment> => {
        await checkToken(payment);
        if (how.tipIds.length === 0) await checkStrays(payment);
        await clear(payment, how);
        const row = await insert(payment, how);
        if (how.tipIds.length > 0) await take(row, how.tipIds);
        else await countStray(row, 1n);
        await sums.add([row]);
        return await theRow(complete([row]).then(([adopted]) => adopted));
      }),
    },
  };
});
