import type { ChainWriter, ChainWriters, GigWallets, TransferCall } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { hasPassed } from '../../domain/time.ts';
import type { Transfer, TransferAttempt } from '../../domain/transfer.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Sender, Store } from '../../store/port/index.ts';
import { bumpFees, findGas } from './top-up.ts';

export interface PaymentTiming {
  /** Milliseconds without inclusion after which the same bytes are broadcast again. */
  readonly rebroadcastMs: number;
  /** Milliseconds without inclusion after which the transfer is signed again under its nonce with a higher fee. */
  readonly replaceMs: number;
  /** Milliseconds for which every simulation must refuse a transfer before it fails for good. */
  readonly refusedMs: number;
  /** The same when the node, not the contract, may be the cause. Milliseconds. */
  readonly barelyRefusedMs: number;
}

export const PAYMENT_TIMING: PaymentTiming = {
  rebroadcastMs: 15_000,
  replaceMs: 90_000,
  refusedMs: 10_000,
  barelyRefusedMs: 30_000,
};

export interface PaymentDeps {
  readonly store: Store;
  readonly writers: ChainWriters;
  readonly wallets: GigWallets;
  readonly clock: () => number;
  readonly log: Log;
  readonly timing: PaymentTiming;
  /** Called when a payment begins to wait because the gas tank is too low for it. */
  readonly tankIsLow?: () => void;
}

export function callOf(transfer: Transfer): TransferCall {
  return { from: transfer.sender, token: transfer.token, to: transfer.recipient, amount: transfer.amount };
}

/** The log fields of a transfer. */
export function fieldsOf(transfer: Transfer) {
  const { id, kind, gigId, claimId, state, nonce } = transfer;
  return { transferId: id, kind, gigId, claimId, state, nonce };
}

/** The account index of the signing wallet: the gig's id, or 0 for the gas tank. */
export function walletOf(transfer: Transfer): number {
  return transfer.kind === 'gas' ? 0 : transfer.gigId;
}

export function nonceOf({ id, nonce }: Transfer): number {
  if (nonce === null) throw new TypeError(`transfer ${id} is open without a nonce`);
  return nonce;
}

export function latestAttempt(transfer: Transfer): TransferAttempt {
  const last = transfer.attempts.at(-1);
  if (last === undefined) throw new TypeError(`transfer ${transfer.id} is open without a signed attempt`);
  return last;
}

/** Sends stored bytes. The outcome is read from the chain, never from the answer to the broadcast. */
async function tryBroadcast(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer, attempt: TransferAttempt) {
  try {
    await writer.broadcast(attempt.raw);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn(
      { ...fieldsOf(transfer), hash: attempt.hash, error: summarizeError(error) },
      'broadcast not confirmed',
    );
  }
}

/** Broadcasts stored bytes and records that. */
export async function broadcast(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer, attempt: TransferAttempt) {
  await tryBroadcast(deps, writer, transfer, attempt);
  await deps.store.transaction((tx) => tx.markBroadcast(transfer.id, deps.clock()));
}

/**
 * Signs a transfer again under its own nonce with higher fees; at most one of its attempts can be included.
 * @returns whether a new attempt was broadcast; false when the fee cap or the wallet's balance does not allow it
 */
async function replace(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer, last: TransferAttempt) {
  const nonce = nonceOf(transfer);
  const fees = bumpFees(await writer.fees(), { last, cap: writer.chain.maxFeePerGas });
  if (fees === null) return false;
  if ((await findGas(deps, writer, transfer, last.gas * fees.maxFeePerGas)) !== null) return false;
  const bytes = await writer.sign(walletOf(transfer), { ...callOf(transfer), ...fees, nonce, gas: last.gas });
  const attempt = { ...bytes, ...fees, gas: last.gas, signedAt: deps.clock() };
  if (!(await deps.store.transaction((tx) => tx.addAttempt(transfer.id, { attempt, now: deps.clock() })))) return false;
  deps.log.warn({ ...fieldsOf(transfer), hash: attempt.hash }, 'transfer stuck; broadcast again with a higher fee');
  await broadcast(deps, writer, transfer, attempt);
  return true;
}

/**
 * Broadcasts again the settled transactions that the chain has lost, in a reorganisation deeper than the confirmations:
 * no later nonce can be included before theirs.
 */
export async function fillNonceGap(
  deps: PaymentDeps,
  writer: ChainWriter,
  sender: Sender,
  nonces: { from: number; to: number },
) {
  for (let nonce = nonces.from; nonce < nonces.to; nonce += 1) {
    const lost = await deps.store.transferByNonce(sender, nonce);
    const attempt = lost?.attempts.find(({ hash }) => hash === lost.hash);
    if (lost === null || attempt === undefined) continue;
    deps.log.error(
      { ...fieldsOf(lost), hash: attempt.hash },
      'settled transfer is gone from the chain; broadcast again',
    );
    await tryBroadcast(deps, writer, lost, attempt);
  }
}

/**
 * Broadcasts a transfer again that is not included after a while, later with a higher fee.
 * @param spent how many nonces of its wallet are spent on chain
 */
export async function rebroadcastOrBump(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer, spent: number) {
  const last = latestAttempt(transfer);
  const now = deps.clock();
  const gap = { from: spent, to: nonceOf(transfer) };
  const hasGap = gap.from < gap.to;
  const isStuck = hasPassed(deps.timing.replaceMs, { since: last.signedAt, now });
  // A higher fee does not help a transaction that waits for an earlier nonce.
  if (!hasGap && isStuck && (await replace(deps, writer, transfer, last))) return;
  if (!hasPassed(deps.timing.rebroadcastMs, { since: transfer.updatedAt, now })) return;
  if (hasGap) await fillNonceGap(deps, writer, transfer, gap);
  // Doubled, because a rollup also charges for publishing, which no fee field of the transaction covers.
  await findGas(deps, writer, transfer, 2n * last.gas * last.maxFeePerGas);
  await broadcast(deps, writer, transfer, last);
}
