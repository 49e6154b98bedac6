import type { BlockRef } from '../chains/block.ts';
import type { Fees } from '../chains/chain.ts';
import { troubleReason } from '../chains/endpoint-trouble.ts';
import { hasPassed } from '../time.ts';
import type { Objection } from './payer-chain.ts';
import type { TankTransaction } from './payment.ts';

/** How long the sender of payments waits. Milliseconds. */
export interface StepTiming {
  /** Without inclusion, after which the same bytes are broadcast again. */
  readonly rebroadcastMs: number;
  /** Without inclusion although blocks come, after which a transaction may be signed again with higher fees. */
  readonly raiseMs: number;
  /** At least so long until it is tried again to settle a transaction of which the endpoint could not tell. */
  readonly settleMs: number;
}

/** What decides on a transaction of the gas tank that is not over. */
export interface OpenTransaction {
  readonly nonce: TankTransaction['nonce'];
  readonly broadcastAt: TankTransaction['broadcastAt'];
  readonly attempts: TankTransaction['attempts'];
  /** When it was last tried to settle it, without success, epoch milliseconds; null before. */
  readonly triedAt: number | null;
  /** Why the endpoint refused its last bytes; null when it took them, or did not say. */
  readonly objection: Objection | null;
}

/** What a chain says, as one look at it found. */
export interface ChainFacts {
  readonly latest: BlockRef;
  /** The newest block that is deep enough to count. */
  readonly settled: BlockRef;
  /** The settled block that the ledger counts on; null before the first payment. */
  readonly anchor: BlockRef | null;
  readonly isAnchorCanonical: boolean;
  /** How many nonces the gas tank has spent in the newest block. */
  readonly spentNonces: number;
  /** How many it has spent in the settled one. */
  readonly settledNonces: number;
}

export interface LedgerFacts<Open extends OpenTransaction> {
  /** By nonce. */
  readonly open: readonly Open[];
  /** When the next planned payment is due, epoch milliseconds; null when none is planned. */
  readonly dueAt: number | null;
  /** When the next deposit is due, epoch milliseconds; null or absent when there is none. */
  readonly depositDueAt?: number | null;
}

export type PaymentStep<Open extends OpenTransaction> =
  /** The chain has lost blocks that counted: what was confirmed in them is looked up again. */
  | { readonly kind: 'recheck'; readonly anchor: BlockRef }
  /** These are over: the outcome of their payments is read from the chain. */
  | { readonly kind: 'settle'; readonly transactions: readonly Open[] }
  /** Its last bytes are broadcast, for the first time or again. */
  | { readonly kind: 'offer'; readonly transaction: Open }
  /** It is signed again under its nonce, with higher fees, if the chain asks for more now; else it is broadcast again. */
  | { readonly kind: 'raise'; readonly transaction: Open }
  /** It waits for a nonce before its own that nobody spends: its payments are planned again, for that nonce. */
  | { readonly kind: 'release'; readonly transaction: Open }
  /** The endpoint refuses it: its payments are planned again, and fewer at a time are sent under its nonce. */
  | { readonly kind: 'shrink'; readonly transaction: Open }
  /** Planned payments are sent, in a transaction with this nonce. */
  | { readonly kind: 'send'; readonly nonce: number }
  /** A deposit is sent, in a transaction with this nonce. */
  | { readonly kind: 'deposit'; readonly nonce: number }
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' };

/** In per cent of the last fees: those of a replacement, and the least that nodes commonly accept. */
export const RAISED = 125n;
export const LEAST_RAISED = 110n;

/** The smaller of two amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * Fees that replace a stuck transaction: those of now, but clearly above its last ones, and at most the cap in wei; null
 * when the cap leaves no room.
 * @param by in per cent of the last ones
 */
export function raisedFees(
  now: Fees,
  { last, cap, by = RAISED }: { last: Fees; cap: bigint; by?: bigint },
): Fees | null {
  const raised = (fee: bigint) => (fee * by) / 100n + 1n;
  const isEnough = (fee: bigint, before: bigint) => fee * 100n >= before * LEAST_RAISED;
  const maxFeePerGas = smaller(cap, greater(now.maxFeePerGas, raised(last.maxFeePerGas)));
  const priority = greater(now.maxPriorityFeePerGas, raised(last.maxPriorityFeePerGas));
  const maxPriorityFeePerGas = smaller(maxFeePerGas, priority);
  const isAccepted =
    isEnough(maxFeePerGas, last.maxFeePerGas) && isEnough(maxPriorityFeePerGas, last.maxPriorityFeePerGas);
  return isAccepted ? { maxFeePerGas, maxPriorityFeePerGas } : null;
}

/** Whether a transaction offers less than one that is signed now: else a higher fee is no help. */
export function isUnderpriced(last: Fees, now: Fees): boolean {
  return now.maxFeePerGas > last.maxFeePerGas || now.maxPriorityFeePerGas > last.maxPriorityFeePerGas;
}

/** The last signed version of a transaction. */
export function lastAttempt({ attempts }: { readonly attempts: TankTransaction['attempts'] }) {
  return attempts.at(-1) ?? attempts[0];
}

/** Longer than any block that a transaction waits for while its fees are high enough. Milliseconds. */
const LONG_MS = 5 * 60_000;

/** Why a transaction that the endpoint takes stands still: it was first signed long ago. Null when it was not. */
export function whyNotIncluded({ attempts: [first] }: TankTransaction, now: number): string | null {
  if (!hasPassed(LONG_MS, { since: first.signedAt, now })) return null;
  return troubleReason('not_included', `it was signed more than ${LONG_MS / 60_000} minutes ago`);
}

function followUp<Open extends OpenTransaction>(
  transaction: Open,
  { chain, now, timing, maxFeePerGas }: { chain: ChainFacts; now: number; timing: StepTiming; maxFeePerGas: bigint },
): PaymentStep<Open> {
  const { broadcastAt, nonce, objection } = transaction;
  const last = lastAttempt(transaction);
  if (broadcastAt === null) return { kind: 'offer', transaction };
  // The same bytes will never pass.
  if (objection === 'too_large') return { kind: 'shrink', transaction };
  if (hasPassed(timing.raiseMs, { since: last.signedAt, now })) {
    // A higher fee does not help a transaction that waits for an earlier nonce.
    if (nonce > chain.spentNonces) return { kind: 'release', transaction };
    const hasRoom = raisedFees(last, { last, cap: maxFeePerGas }) !== null;
    if (objection !== null) return { kind: objection === 'too_cheap' && hasRoom ? 'raise' : 'shrink', transaction };
    // While no block comes, no fee is high enough.
    const hasBlock = last.signedBlock === null || chain.latest.number > last.signedBlock;
    if (hasBlock && hasRoom) return { kind: 'raise', transaction };
  }
  const isDue = hasPassed(timing.rebroadcastMs, { since: broadcastAt, now });
  return isDue ? { kind: 'offer', transaction } : { kind: 'wait' };
}

/** The longest pause until a transaction is tried again to settle, in the shortest ones; each is a part of the time so far. */
const LONGEST = 60;
const PART = 4;

/** Those that are over, but for those that were tried a moment ago; the longest untried first. */
function findOver<Open extends OpenTransaction>(
  open: readonly Open[],
  { chain, now, timing }: { chain: ChainFacts; now: number; timing: StepTiming },
): Open[] {
  const isDue = (transaction: Open) => {
    const { triedAt: since } = transaction;
    if (since === null) return true;
    const waited = since - lastAttempt(transaction).signedAt;
    const pause = Math.min(Math.max(waited / PART, timing.settleMs), LONGEST * timing.settleMs);
    return hasPassed(pause, { since, now });
  };
  const over = open.filter((transaction) => transaction.nonce < chain.settledNonces && isDue(transaction));
  return over.toSorted((a, b) => (a.triedAt ?? 0) - (b.triedAt ?? 0));
}

/**
 * The next step of the sender of a chain. One transaction at a time waits for a block; how many wait to be settled does
 * not matter. Any answer of a node may be old or wrong: a number is paid once, whatever is sent, so a wrong step costs
 * time or gas.
 */
export function nextStep<Open extends OpenTransaction>(
  ledger: LedgerFacts<Open>,
  chain: ChainFacts,
  { now, timing, maxFeePerGas }: { now: number; timing: StepTiming; maxFeePerGas: bigint },
): PaymentStep<Open> {
  const { anchor } = chain;
  if (anchor !== null && !chain.isAnchorCanonical) return { kind: 'recheck', anchor };
  const transactions = findOver(ledger.open, { chain, now, timing });
  if (transactions.length > 0) return { kind: 'settle', transactions };
  const pending = ledger.open.find(({ nonce }) => nonce >= chain.spentNonces);
  if (pending !== undefined) return followUp(pending, { chain, now, timing, maxFeePerGas });
  const { dueAt, depositDueAt = null } = ledger;
  const isPaymentDue = dueAt !== null && dueAt <= now;
  // What has waited longer goes first.
  const isDepositNext = depositDueAt !== null && depositDueAt <= now && !(isPaymentDue && dueAt < depositDueAt);
  if (isDepositNext) return { kind: 'deposit', nonce: chain.spentNonces };
  if (isPaymentDue) return { kind: 'send', nonce: chain.spentNonces };
  const isDone = dueAt === null && depositDueAt === null && ledger.open.length === 0;
  return { kind: isDone ? 'done' : 'wait' };
}
