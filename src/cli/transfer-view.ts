import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { checksummed } from '../domain/token.ts';
import { OPEN_STATES, type Transfer } from '../domain/transfer.ts';
import { momentText, plain } from './output.ts';

const SHOWN_REASON = 60;

/** The hash of the included attempt or, while one may still be included, of the newest. */
function hashOf({ state, hash, attempts }: Transfer): string | null {
  return OPEN_STATES.includes(state) ? (attempts.at(-1)?.hash ?? null) : hash;
}

/** A transfer as lists show it in JSON. Amounts are decimal text in whole tokens, gas is wei. */
export function transferItem(transfer: Transfer) {
  const { token } = transfer;
  return {
    id: transfer.id,
    kind: transfer.kind,
    state: transfer.state,
    gig_id: transfer.gigId,
    claim_id: transfer.claimId,
    chain: chainById(transfer.chainId)?.key ?? String(transfer.chainId),
    token: { symbol: token.symbol, address: checksummed(token.address), decimals: token.decimals },
    amount: formatAmount(transfer.amount, token.decimals),
    sender: checksummed(transfer.sender),
    recipient: checksummed(transfer.recipient),
    nonce: transfer.nonce,
    hash: hashOf(transfer),
    block_number: transfer.blockNumber === null ? null : Number(transfer.blockNumber),
    gas_spent_wei: transfer.gasSpent === null ? null : transfer.gasSpent.toString(),
    reason: transfer.reason,
    created_at: momentText(transfer.createdAt),
    updated_at: momentText(transfer.updatedAt),
  };
}

type Item = ReturnType<typeof transferItem>;

/** The row of a transfer in a table. */
export function transferRow(item: Item) {
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

/** Every signed attempt of a transfer, without the signed bytes. */
export function toAttempts({ attempts }: Transfer) {
  return attempts.map((attempt) => ({
    hash: attempt.hash,
    max_fee_per_gas_wei: attempt.maxFeePerGas.toString(),
    max_priority_fee_per_gas_wei: attempt.maxPriorityFeePerGas.toString(),
    gas: Number(attempt.gas),
    signed_at: momentText(attempt.signedAt),
  }));
}

/** The labelled facts of one transfer. */
export function transferFields(item: Item, attempts: ReturnType<typeof toAttempts>): Record<string, string> {
  const optional = {
    claim: item.claim_id,
    nonce: item.nonce,
    hash: item.hash,
    block: item.block_number,
    gas: item.gas_spent_wei === null ? null : `${item.gas_spent_wei} wei`,
    reason: item.reason,
  };
  return {
    kind: item.kind,
    state: item.state,
    gig: String(item.gig_id),
    amount: `${item.amount} ${item.token.symbol}`,
    token: `${item.token.symbol} ${item.token.address}, chain ${item.chain}`,
    from: item.sender,
    to: item.recipient,
    ...Object.fromEntries(
      Object.entries(optional).flatMap(([label, value]) => (value === null ? [] : [[label, String(value)]])),
    ),
    created: item.created_at,
    updated: item.updated_at,
    ...Object.fromEntries(
      attempts.map(({ hash, signed_at: at }, index) => [`signed ${index + 1}`, `${hash} at ${at}`]),
    ),
  };
}
