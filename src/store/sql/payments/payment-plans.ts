import { and, eq, isNull, sql } from 'drizzle-orm';
import type { NewPayment, Payment } from '../../../domain/payments/payment.ts';
import { createClaimLookup } from '../claims/claims.ts';
import type { Sql } from '../engine.ts';
import { createTokenLookup } from '../gigs/tokens.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, firstMissing, theRow } from '../statements.ts';
import { byItsGig } from '../subjects.ts';
import { createPaymentLookup } from './payments.ts';

const placeholder = sql.placeholder;

/** Throws a RangeError when the chain of a payment is not its token's. */
export function createTokenCheck(db: Sql): (payment: Pick<NewPayment, 'chainId' | 'tokenId'>) => Promise<void> {
  const tokenById = createTokenLookup(db);
  return async ({ chainId, tokenId }) => {
    const token = await tokenById(tokenId);
    if (token?.chainId !== chainId) throw new RangeError(`chain ${chainId} has no token ${tokenId}`);
  };
}

function createInsert(db: Sql): (payment: NewPayment, now: number) => Promise<Payment> {
  const { build, prepare, tables } = db;
  const { payments } = tables;
  const paymentById = createPaymentLookup(db);
  const insert = prepare(
    build
      .insert(payments)
      .values({
        ...boundTo(payments, 'kind', 'chainId', 'gigId', 'claimId', 'tokenId', 'recipient', 'amount', 'place'),
        state: 'planned',
        dueAt: placeholder('now'),
        createdAt: placeholder('now'),
        updatedAt: placeholder('now'),
      })
      .returning({ id: payments.id }),
  );
  return async (payment, now) => {
    const { id } = await theRow(insert.get({ place: null, ...payment, now }));
    const planned = await paymentById(id);
    if (planned === null) throw new TypeError(`payment ${id} was not stored`);
    return planned;
  };
}

/** A payment without a claim pays no tips. */
function createAssignment(db: Sql): (payment: Payment, tipIds: readonly number[]) => Promise<void> {
  const { build, kit, prepare, tables } = db;
  const { tips } = tables;
  const claimById = createClaimLookup(db);
  const assign = prepare(
    build
      .update(tips)
      .set({ paymentId: bound('paymentId') })
      .where(
        and(
          kit.isAmong(tips.id, 'tipIds'),
          eq(tips.status, 'pending'),
          isNull(tips.paymentId),
          equals(tips.claimNonce, 'publicId'),
          equals(tips.userAddress, 'recipient'),
          equals(tips.gigId, 'gigId'),
          equals(tips.tokenId, 'tokenId'),
        ),
      )
      .returning({ id: tips.id, amount: tips.amount }),
  );
  return async ({ id, kind, claimId, recipient, gigId, token, amount }, tipIds) => {
    if ((claimId !== null) !== tipIds.length > 0) throw new RangeError(`a ${kind} cannot pay ${tipIds.length} tips`);
    if (claimId === null) return;
    const claim = await claimById(claimId);
    if (claim === null) throw new RangeError(`there is no claim ${claimId} to pay`);
    const values = { paymentId: id, tipIds, publicId: claim.publicId, recipient, gigId, tokenId: token.id };
    const assigned = await assign.all(values);
    const missing = firstMissing(tipIds, assigned);
    if (missing !== undefined)
      throw new RangeError(`tip ${missing} is not one that claim ${claimId} holds for this payment`);
    const sum = assigned.reduce((total, tip) => total + tip.amount, 0n);
    if (sum !== amount) throw new RangeError(`a payment of ${amount} cannot pay tips of ${sum}`);
  };
}

export const paymentPlans = noun((db: Sql) => {
  const checkToken = createTokenCheck(db);
  const insert = createInsert(db);
  const assign = createAssignment(db);
  return {
    reads: {},
    writes: {
      /**
       * Plans a payment of these tips; none for a fee or a mark. Throws a RangeError when the tips are not what its claim took
       * for its recipient from its gig and in its token, when another payment pays one of them already, or when they do not
       * add up to its amount.
       */
      planPayment: locked(
        byItsGig,
        async (payment: NewPayment, { now, tipIds }: { now: number; tipIds: readonly number[] }): Promise<Payment> => {
          await checkToken(payment);
          const planned = await insert(payment, now);
          await assign(planned, tipIds);
          return planned;
        },
      ),
    },
  };
});
