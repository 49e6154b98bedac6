import { and, eq, isNull, sql } from 'drizzle-orm';
import type { NewPayment, Payment } from '../../domain/payment.ts';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { createClaimLookup } from './claims.ts';
import { createPaymentLookup } from './payments.ts';
import { bound, equals } from './statements.ts';
import { payments, tips } from './tables.ts';
import { createTokenLookup } from './tokens.ts';

const placeholder = sql.placeholder;

/** Throws a RangeError when the chain of a payment is not its token's. */
export function createTokenCheck(db: Db): (payment: Pick<NewPayment, 'chainId' | 'tokenId'>) => void {
  const tokenById = createTokenLookup(db);
  return ({ chainId, tokenId }) => {
    if (tokenById(tokenId)?.chainId !== chainId) throw new RangeError(`chain ${chainId} has no token ${tokenId}`);
  };
}

/** Inserts a planned payment and returns it. */
function createInsert(db: Db): (payment: NewPayment, now: number) => Payment {
  const paymentById = createPaymentLookup(db);
  const insert = prepare(
    db,
    db
      .insert(payments)
      .values({
        kind: placeholder('kind'),
        chainId: placeholder('chainId'),
        gigId: placeholder('gigId'),
        claimId: placeholder('claimId'),
        tokenId: placeholder('tokenId'),
        recipient: placeholder('recipient'),
        amount: placeholder('amount'),
        place: placeholder('place'),
        state: 'planned',
        dueAt: placeholder('now'),
        createdAt: placeholder('now'),
        updatedAt: placeholder('now'),
      })
      .returning({ id: payments.id }),
  );
  return (payment, now) => {
    const { id } = insert.get({ place: null, ...payment, now });
    const planned = paymentById(id);
    if (planned === null) throw new TypeError(`payment ${id} was not stored`);
    return planned;
  };
}

/** Assigns these tips to a payment and checks their exact sum; a payment without a claim pays none. */
function createAssignment(db: Db): (payment: Payment, tipIds: readonly number[]) => void {
  const claimById = createClaimLookup(db);
  const assign = prepare(
    db,
    db
      .update(tips)
      .set({ paymentId: bound('paymentId') })
      .where(
        and(
          equals(tips.id, 'tipId'),
          eq(tips.status, 'pending'),
          isNull(tips.paymentId),
          equals(tips.claimNonce, 'publicId'),
          equals(tips.userAddress, 'recipient'),
          equals(tips.gigId, 'gigId'),
          equals(tips.tokenId, 'tokenId'),
        ),
      )
      .returning({ amount: tips.amount }),
  );
  return ({ id, kind, claimId, recipient, gigId, token, amount }, tipIds) => {
    if ((claimId !== null) !== tipIds.length > 0) throw new RangeError(`a ${kind} cannot pay ${tipIds.length} tips`);
    if (claimId === null) return;
    const claim = claimById(claimId);
    if (claim === null) throw new RangeError(`there is no claim ${claimId} to pay`);
    let sum = 0n;
    for (const tipId of tipIds) {
      const values = { paymentId: id, tipId, publicId: claim.publicId, recipient, gigId, tokenId: token.id };
      // Drizzle types the row as present, but it is undefined when no tip was changed.
      const tip: { amount: bigint } | undefined = assign.get(values);
      if (tip === undefined)
        throw new RangeError(`tip ${tipId} is not one that claim ${claimId} holds for this payment`);
      sum += tip.amount;
    }
    if (sum !== amount) throw new RangeError(`a payment of ${amount} cannot pay tips of ${sum}`);
  };
}

export function createPaymentPlans(db: Db): Pick<SyncWrites, 'planPayment'> {
  const checkToken = createTokenCheck(db);
  const insert = createInsert(db);
  const assign = createAssignment(db);
  return {
    planPayment: db.$client.transaction((payment, { now, tipIds }) => {
      checkToken(payment);
      const planned = insert(payment, now);
      assign(planned, tipIds);
      return planned;
    }),
  };
}
