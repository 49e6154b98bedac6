import { formatAmount } from './amount.ts';
import type { Inclusion, TokensSent } from './chain.ts';
import { type Gig, requiredFunds } from './gig.ts';
import type { Token } from './token.ts';
import { OPEN_STATES, type Transfer } from './transfer.ts';
import { type AcknowledgedActivity, type FoundActivity, judgeActivity } from './unrecognized-activity.ts';

/** The state of a gig's wallet on chain as of one block. */
export interface WalletFacts {
  readonly blockNumber: bigint;
  /** Base units of the gig's token. */
  readonly held: bigint;
  /** The nonces spent between the gig's start and the block: from `first` up to `end - 1`. */
  readonly nonces: { readonly first: number; readonly end: number };
  /** Transfer events out of the wallet since the start; empty for the native asset, which has no events. */
  readonly sent: readonly TokensSent[];
  /** The inclusions of the transfers that were looked up, by transfer id; null when the chain shows none. */
  readonly inclusions: ReadonlyMap<number, Inclusion | null>;
}

/** Why a gig does not add up. Only unrecognized activity can be acknowledged; the other kinds cannot. */
export type Problem = FoundActivity | { readonly kind: 'missing' | 'payment'; readonly text: string };

/** The comparison of a gig's wallet with the ledger. Amounts are base units of its token. */
export interface Audit {
  readonly blockNumber: bigint;
  readonly held: bigint;
  /** What the wallet must hold by the ledger: its funding, less what was paid and moved to the treasury. */
  readonly expected: bigint;
  /** Empty when the gig adds up. */
  readonly problems: readonly Problem[];
  /** Sentences about what the ledger settled and the chain does not show; while there are any, nothing is proved. */
  readonly unproved: readonly string[];
  /** Sentences about what is no fault: a surplus, nonces spent by unknown transactions, acknowledged activity. */
  readonly notes: readonly string[];
}

/** Whether a gig adds up; null when that is not proved. */
export function addsUp({ problems, unproved }: Pick<Audit, 'problems' | 'unproved'>): boolean | null {
  if (problems.length > 0) return false;
  return unproved.length > 0 ? null : true;
}

/** A transfer as of the block, in the ledger and on chain. */
interface Position {
  readonly transfer: Transfer;
  /** Whether the chain included it by then, as far as it was looked up. */
  readonly included: boolean;
  /** What it moved on chain. */
  readonly moved: bigint;
  /** What it may have moved by the ledger: one amount when it is over, either of two while it may be included. */
  readonly allowed: readonly bigint[];
  /** Whether the ledger settled it in a later block, and the chain does not show it there either. */
  readonly lost: boolean;
  /** What it took from its sender without gas: by the ledger when settled there, else on chain. */
  readonly outflow: bigint;
  /** Wei. */
  readonly burned: bigint;
}

function amountText(token: Token, units: bigint): string {
  return `${formatAmount(units, token.decimals)} ${token.symbol}`;
}

function sentBy({ attempts }: Transfer, sent: readonly TokensSent[]): bigint {
  return sent.reduce((sum, each) => (attempts.some(({ hash }) => hash === each.hash) ? sum + each.amount : sum), 0n);
}

function isSettledBy({ blockNumber }: Transfer, block: bigint): boolean {
  return blockNumber !== null && blockNumber <= block;
}

/** What a finished transfer has moved by the ledger. */
function settledAmount({ state, amount }: Transfer): bigint {
  return state === 'confirmed' ? amount : 0n;
}

/** What a transfer may have moved by the block, according to the ledger. */
function allowedAmounts(transfer: Transfer, block: bigint): readonly bigint[] {
  const settled = settledAmount(transfer);
  if (isSettledBy(transfer, block) || transfer.state === 'replaced' || transfer.state === 'failed') return [settled];
  return [0n, transfer.amount];
}

function isSettledAbove({ blockNumber }: Transfer, block: bigint): boolean {
  return blockNumber !== null && blockNumber > block;
}

/**
 * Whether a transfer must be looked up on chain: it is native and has no events, it may still be included, it was
 * settled above the block and a reorganisation may have undone it, or its token's events do not match.
 */
export function mustLookUp(gig: Gig, transfer: Transfer, facts: Pick<WalletFacts, 'blockNumber' | 'sent'>): boolean {
  if (transfer.attempts.length === 0) return false;
  if (gig.token.isNative) return true;
  if (transfer.kind === 'gas') return false;
  if (OPEN_STATES.includes(transfer.state) || isSettledAbove(transfer, facts.blockNumber)) return true;
  return !allowedAmounts(transfer, facts.blockNumber).includes(sentBy(transfer, facts.sent));
}

function positionOf(transfer: Transfer, { blockNumber, sent, inclusions }: WalletFacts): Position {
  const inclusion = inclusions.get(transfer.id) ?? null;
  const found = inclusion && inclusion.blockNumber <= blockNumber ? inclusion : null;
  const moved = found?.moved ?? sentBy(transfer, sent);
  const allowed = allowedAmounts(transfer, blockNumber);
  const isSettled = isSettledBy(transfer, blockNumber);
  return {
    transfer,
    included: found !== null || moved > 0n,
    moved,
    allowed,
    lost: isSettledAbove(transfer, blockNumber) && inclusion?.moved !== settledAmount(transfer),
    outflow: isSettled ? (allowed[0] ?? 0n) : moved,
    burned: (isSettled ? transfer.gasSpent : found?.gasSpent) ?? 0n,
  };
}

/** How the transfer changes the wallet's balance; for the native asset this includes gas. */
function changeBy({ transfer, outflow, burned }: Position, { token }: Gig): bigint {
  if (transfer.kind === 'gas') return token.isNative ? outflow : 0n;
  return token.isNative ? -outflow - burned : -outflow;
}

function transferProblems({ transfer, moved, allowed }: Position): Problem[] {
  if (allowed.includes(moved)) return [];
  const { id, token, state } = transfer;
  const wanted = amountText(token, allowed.at(-1) ?? 0n);
  const text = `transfer ${id} is ${state} with ${wanted}, and the chain moved ${amountText(token, moved)}`;
  return [{ kind: 'payment', text }];
}

function lossText({ transfer: { id, state, blockNumber }, lost }: Position): string[] {
  if (!lost) return [];
  return [
    `transfer ${id} was ${state} in block ${blockNumber}, and the chain does not show that now: the audit is inconclusive`,
  ];
}

/** Transactions that took tokens from the wallet and belong to no transfer. */
function strangers({ token }: Gig, transfers: readonly Transfer[], { sent }: WalletFacts): FoundActivity[] {
  const own = new Set(transfers.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)));
  return sent
    .filter(({ hash }) => !own.has(hash))
    .map(({ hash, amount }) => {
      const text = `transaction ${hash} took ${amountText(token, amount)} and is not in the ledger`;
      return { kind: 'transaction', hash, text };
    });
}

/** The nonces from `first` up to `end` that no transfer of the wallet has. */
export function unknownNonces(transfers: readonly Transfer[], { first, end }: WalletFacts['nonces']): number[] {
  const own = new Set(transfers.filter(({ kind }) => kind !== 'gas').map(({ nonce }) => nonce));
  const all = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return all.filter((nonce) => !own.has(nonce));
}

function strangeNonces(transfers: readonly Transfer[], { nonces }: WalletFacts): FoundActivity[] {
  const unknown = unknownNonces(transfers, nonces);
  return unknown.map((nonce) => ({
    kind: 'nonce',
    nonce,
    text: `nonce ${nonce} was spent by a transaction that is not in the ledger`,
  }));
}

function unspentNonces(transfers: readonly Transfer[], { nonces, blockNumber }: WalletFacts): Problem[] {
  const unspent = transfers.filter(
    (transfer) => transfer.kind !== 'gas' && isSettledBy(transfer, blockNumber) && (transfer.nonce ?? 0) >= nonces.end,
  );
  return unspent.map(({ id, state, nonce }) => {
    return { kind: 'payment', text: `transfer ${id} is ${state}, and its nonce ${nonce} is not spent` };
  });
}

/**
 * The activity to acknowledge so that a gig pays again. Null when money is missing, a payment differs, or something is
 * unproved.
 */
export function acknowledgeable({ problems, unproved }: Pick<Audit, 'problems' | 'unproved'>): FoundActivity[] | null {
  const uses = problems.filter((problem) => problem.kind === 'nonce' || problem.kind === 'transaction');
  return unproved.length === 0 && uses.length === problems.length ? uses : null;
}

/** Nonces of a transfer that an unknown transaction spent; the transfer was then planned again. */
function takenNonces(positions: readonly Position[], { nonces }: WalletFacts): string[] {
  return positions.flatMap(({ transfer: { kind, nonce, blockNumber }, included }) =>
    kind !== 'gas' && nonce !== null && nonce < nonces.end && blockNumber === null && !included
      ? [`nonce ${nonce} was spent by a transaction that is not ours`]
      : [],
  );
}

/**
 * Compares the chain's facts about a live gig's wallet with the gig's transfers: it must hold its funding less payouts
 * and fees (natively also less gas burned, plus gas sent), and each outflow and nonce must belong to a transfer or be
 * acknowledged. Read the transfers after the block, so that none is missing.
 */
export function auditGig(
  gig: Gig,
  transfers: readonly Transfer[],
  facts: WalletFacts,
  accepted: readonly AcknowledgedActivity[] = [],
): Audit {
  const { token } = gig;
  const { blockNumber, held } = facts;
  // Gas sent to the wallet does not change its balance of an ERC-20 token.
  const counted = transfers.filter(({ kind }) => kind !== 'gas' || token.isNative);
  const positions = counted.map((transfer) => positionOf(transfer, facts));
  const expected = positions.reduce((sum, position) => sum + changeBy(position, gig), requiredFunds(gig));
  const text = (units: bigint) => amountText(token, units);
  const missing = `the wallet holds ${text(held)} and must hold ${text(expected)}: ${text(expected - held)} are missing`;
  const surplus = `the wallet holds ${text(held - expected)} more than it must; this is harmless`;
  const outflows = judgeActivity(strangers(gig, transfers, facts), accepted);
  const spent = judgeActivity(strangeNonces(transfers, facts), accepted);
  return {
    blockNumber,
    held,
    expected,
    problems: [
      ...(held < expected ? [{ kind: 'missing', text: missing } as const] : []),
      ...outflows.problems,
      ...positions.flatMap(transferProblems),
      ...spent.problems,
      ...unspentNonces(transfers, facts),
    ],
    unproved: positions.flatMap(lossText),
    notes: [...(held > expected ? [surplus] : []), ...outflows.notes, ...spent.notes, ...takenNonces(positions, facts)],
  };
}
