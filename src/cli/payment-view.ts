import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { kindOfNumber, type Payment, type TankTransaction } from '../domain/payment.ts';
import { checksummed } from '../domain/token.ts';
import { momentText, plain } from './output.ts';

const SHOWN_REASON = 60;

/** A payment as lists show it in JSON. Amounts are decimal text in whole tokens. */
export function paymentItem(payment: Payment) {
  const { token } = payment;
  return {
    id: payment.id,
    kind: payment.kind,
    state: payment.state,
    gig_id: payment.gigId,
    claim_id: payment.claimId,
    chain: chainById(payment.chainId)?.key ?? String(payment.chainId),
    token: { symbol: token.symbol, address: checksummed(token.address), decimals: token.decimals },
    amount: formatAmount(payment.amount, token.decimals),
    wallet: checksummed(payment.wallet),
    recipient: checksummed(payment.recipient),
    hash: payment.hash,
    block_number: payment.blockNumber === null ? null : Number(payment.blockNumber),
    gas_used: Number(payment.gasUsed),
    failures: payment.failures,
    reason: payment.reason,
    created_at: momentText(payment.createdAt),
    updated_at: momentText(payment.updatedAt),
  };
}

type Item = ReturnType<typeof paymentItem>;

/** The row of a payment in a table. */
export function paymentRow(item: Item) {
  return {
    id: item.id,
    kind: item.kind,
    state: item.state,
    gig: item.gig_id,
    claim: item.claim_id,
    amount: `${item.amount} ${item.token.symbol}`,
    chain: item.chain,
    recipient: item.recipient,
    hash: item.hash,
    reason: item.reason === null ? null : plain(item.reason, SHOWN_REASON),
  };
}

/** A transaction of the gas tank with every signed attempt, without the signed bytes. */
export function toTransaction(transaction: TankTransaction) {
  return {
    id: transaction.id,
    nonce: transaction.nonce,
    is_over: transaction.isOver,
    broadcast_at: momentText(transaction.broadcastAt),
    attempts: transaction.attempts.map((attempt) => ({
      hash: attempt.hash,
      max_fee_per_gas_wei: attempt.maxFeePerGas.toString(),
      max_priority_fee_per_gas_wei: attempt.maxPriorityFeePerGas.toString(),
      gas: Number(attempt.gas),
      signed_at: momentText(attempt.signedAt),
    })),
  };
}

interface Details {
  readonly numbers: readonly string[];
  /** The transaction that holds it, or held it last. */
  readonly transaction: ReturnType<typeof toTransaction> | null;
  /** The ids of its tips. */
  readonly tips: readonly number[];
}

function numberText(number: string): string {
  const kind = kindOfNumber(BigInt(number))?.kind;
  return kind === undefined ? number : `the ${kind}`;
}

function transactionText({ id, nonce, is_over: isOver }: ReturnType<typeof toTransaction>): string {
  return `${id} of the gas tank (nonce ${nonce}): ${isOver ? 'finished' : 'under way'}`;
}

/** The labelled facts of one payment. */
export function paymentFields(item: Item, { numbers, transaction, tips }: Details): Record<string, string> {
  const optional = {
    claim: item.claim_id,
    hash: item.hash,
    block: item.block_number,
    gas: item.gas_used === 0 ? null : item.gas_used,
    failures: item.failures === 0 ? null : item.failures,
    reason: item.reason,
  };
  const lists = { tips: tips.join(', '), numbers: numbers.map(numberText).join(', ') };
  const found = (facts: Record<string, string | number | null>) =>
    Object.entries(facts).flatMap(([label, value]) => (value === null || value === '' ? [] : [[label, String(value)]]));
  return {
    kind: item.kind,
    state: item.state,
    gig: String(item.gig_id),
    amount: `${item.amount} ${item.token.symbol}`,
    token: `${item.token.symbol} ${item.token.address}, chain ${item.chain}`,
    from: item.wallet,
    to: item.recipient,
    ...Object.fromEntries(found(optional)),
    created: item.created_at,
    updated: item.updated_at,
    ...Object.fromEntries(found({ transaction: transaction && transactionText(transaction) })),
    ...Object.fromEntries(
      (transaction?.attempts ?? []).map(({ hash, signed_at: at }, index) => [
        `signed ${index + 1}`,
        `${hash} at ${at}`,
      ]),
    ),
    ...Object.fromEntries(found(lists)),
  };
}
