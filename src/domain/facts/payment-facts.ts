import { kindOfNumber, type NumberedPayment, type Payment, type TankTransaction } from '../payments/payment.ts';
import { isoText } from '../time.ts';
import { type Fact, fact, type Piece, tokenJson, tokenTold } from './fact.ts';

export interface ShownPayment {
  readonly payment: NumberedPayment;
  /** The transaction that holds it, or held it last. */
  readonly transaction: TankTransaction | null;
  /** The ids of its tips. */
  readonly tips: readonly number[];
}

interface ListedPayment {
  readonly payment: Payment;
}

function numberText(number: bigint): string {
  const kind = kindOfNumber(number)?.kind;
  return kind === undefined ? String(number) : `the ${kind}`;
}

/** Leaves out the signed bytes. */
function transactionJson({ id, nonce, isOver, broadcastAt, attempts }: TankTransaction) {
  return {
    id,
    nonce,
    is_over: isOver,
    broadcast_at: isoText(broadcastAt),
    attempts: attempts.map((attempt) => ({
      hash: attempt.hash,
      max_fee_per_gas_wei: attempt.maxFeePerGas.toString(),
      max_priority_fee_per_gas_wei: attempt.maxPriorityFeePerGas.toString(),
      gas: Number(attempt.gas),
      signed_at: isoText(attempt.signedAt),
    })),
  };
}

/** What a payment is for. */
export function purposeTold({ payment: { gigId, claimId } }: ListedPayment): readonly Piece[] {
  const gig = { record: 'gig', id: gigId } as const;
  return claimId === null ? [gig] : [gig, ', ', { record: 'claim', id: claimId }];
}

function reasonTold({ payment: { reason, state } }: ListedPayment): Piece | null {
  if (reason === null) return null;
  return state === 'failed' ? { problem: { foreign: reason } } : { foreign: reason };
}

const unlessZero = (count: number | bigint) => (Number(count) === 0 ? null : String(count));

/** The state of a payment, which its page has in the heading. */
export const PAYMENT_STATE = fact<ListedPayment>('state', ({ payment }) => payment.state, { json: 'state' });

const OF_LISTED: readonly Fact<ListedPayment>[] = [
  fact('kind', ({ payment }) => payment.kind, { json: 'kind' }),
  fact('for', purposeTold, { json: ({ payment: { gigId, claimId } }) => ({ gig_id: gigId, claim_id: claimId }) }),
  fact('amount', ({ payment: { amount, token: of } }) => ({ amount, of }), { json: 'amount' }),
  fact('token', ({ payment }) => tokenTold(payment.token), { json: ({ payment }) => tokenJson(payment.token) }),
  fact('from', ({ payment: { wallet: address } }) => ({ address }), { json: 'wallet' }),
  fact('to', ({ payment: { recipient: address } }) => ({ address }), { json: 'recipient' }),
  fact('hash', ({ payment: { hash, chainId } }) => (hash === null ? null : { transaction: hash, chainId }), {
    json: 'hash',
  }),
  fact('block', ({ payment: { blockNumber } }) => (blockNumber === null ? null : String(blockNumber)), {
    json: ({ payment: { blockNumber } }) => ({ block_number: blockNumber === null ? null : Number(blockNumber) }),
  }),
  fact('gas used', ({ payment }) => unlessZero(payment.gasUsed), {
    json: ({ payment }) => ({ gas_used: Number(payment.gasUsed) }),
  }),
  fact('failed attempts', ({ payment }) => unlessZero(payment.failures), {
    json: ({ payment: { failures } }) => ({ failures }),
  }),
  fact('reason', reasonTold, { json: ({ payment: { reason } }) => ({ reason }) }),
  fact('created', ({ payment }) => ({ moment: payment.createdAt }), { json: 'created_at' }),
  fact('updated', ({ payment }) => ({ moment: payment.updatedAt }), { json: 'updated_at' }),
];

/** What lists of payments tell in JSON. */
export const LISTED_PAYMENT_FACTS: readonly Fact<ListedPayment>[] = [PAYMENT_STATE, ...OF_LISTED];

/** The facts of a payment, without its state and its signed attempts. */
export const PAYMENT_FACTS: readonly Fact<ShownPayment>[] = [
  ...OF_LISTED,
  fact(
    'transaction',
    ({ transaction: tank }) =>
      tank && `${tank.id} of the gas tank (nonce ${tank.nonce}): ${tank.isOver ? 'finished' : 'under way'}`,
    { json: ({ transaction: tank }) => ({ transaction: tank && transactionJson(tank) }) },
  ),
  fact('tips', ({ tips }) => tips.join(', ') || null, { json: ({ tips }) => ({ tip_ids: tips }) }),
  fact('numbers', ({ payment: { numbers } }) => numbers.map(numberText).join(', ') || null, {
    json: ({ payment: { numbers } }) => ({ numbers: numbers.map(String) }),
  }),
];
