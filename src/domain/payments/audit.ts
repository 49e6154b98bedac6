import { formatAmount } from '../amount.ts';
import { type Gig, requiredFunds } from '../gigs/gig.ts';
import type { Payment } from './payment.ts';

/** What the chain says about a gig's wallet, as of one settled block. */
export interface WalletFacts {
  readonly blockNumber: bigint;
  /** Base units of the gig's token; null when its contract does not tell. */
  readonly held: bigint | null;
  /** Whether each number that is marked is one of the ledger's payments. */
  readonly isExplained: boolean;
  /** Numbers of confirmed payments that are not marked. */
  readonly unmarked: readonly bigint[];
}

/** What the ledger says about a gig, read after the chain. */
export interface GigBooks {
  /** The block in which its funding was seen. */
  readonly startBlock: bigint;
  /** Whether it is still to be checked that its funding was settled; a reorganisation may have moved it to a later block. */
  readonly awaitsCheck: boolean;
  /** What its payouts moved that were confirmed in blocks up to that of the audit. */
  readonly paidOut: bigint;
  readonly plannedPayouts: number;
  /** All its other payments. */
  readonly payments: readonly Payment[];
  /** Why it was frozen before the audit, or null. */
  readonly freeze: string | null;
  /** Void tips that the chain has paid all the same. */
  readonly voidPaid: readonly number[];
}

/** The comparison of a gig's wallet with the ledger. Amounts are base units of its token. */
export interface Audit {
  readonly blockNumber: bigint;
  /** Null when the token's contract does not tell. */
  readonly held: bigint | null;
  /** What the wallet must hold by the ledger: its funding, less what was paid, and what returns under way take besides. */
  readonly expected: bigint;
  /** Sentences about why it does not add up. */
  readonly problems: readonly string[];
  /** Sentences about what is under way or cannot be known; while there are any, nothing is proved. */
  readonly unproved: readonly string[];
  /** Sentences about what is no fault of the books. */
  readonly notes: readonly string[];
  /** Planned payments that waited because the gig was frozen before the audit. */
  readonly waiting: number;
}

/** Whether a gig adds up; null when that is not proved. */
export function addsUp({ problems, unproved }: Audit): boolean | null {
  if (problems.length > 0) return false;
  return unproved.length > 0 ? null : true;
}

function sumOf(payments: readonly Payment[]): bigint {
  return payments.reduce((total, { amount }) => total + amount, 0n);
}

/** What is left of the reward besides the refund: of tips that were voided after it was planned. The ledger owes it to no account. */
function unclaimed({ rewardAmount, awardedAmount, refundedAt }: Gig, payments: readonly Payment[]): bigint {
  if (refundedAt === null) return 0n;
  const refunds = payments.filter(({ kind }) => kind === 'refund');
  // One that failed can be planned again, unless another one stands in its place.
  const refund = refunds.find(({ state }) => state !== 'failed') ?? refunds.at(-1);
  const left = rewardAmount - awardedAmount - (refund?.amount ?? 0n);
  return left > 0n ? left : 0n;
}

/** Returns of the gig's own token that have not left the wallet for sure: what they take is held besides what is owed. */
function openReturns({ token }: Gig, all: readonly Payment[], blockNumber: bigint): Payment[] {
  const isOpen = ({ state, ...payment }: Payment) =>
    state === 'planned' || state === 'sent' || (state === 'confirmed' && (payment.blockNumber ?? 0n) > blockNumber);
  return all.filter((payment) => payment.kind === 'return' && payment.token.id === token.id && isOpen(payment));
}

/**
 * What the wallet must hold by the ledger, and the least that it may hold while payments are under way. Returns are made of
 * what it holds besides: until one has left, that must be there as well.
 */
function expectedIn(
  gig: Gig,
  { paidOut, payments: all }: GigBooks,
  blockNumber: bigint,
): { most: bigint; least: bigint } {
  const payments = all.filter(({ kind }) => kind !== 'return');
  const confirmed = payments.filter(({ state }) => state === 'confirmed');
  const paid = confirmed.filter((payment) => payment.blockNumber !== null && payment.blockNumber <= blockNumber);
  const later = confirmed.filter((payment) => !paid.includes(payment));
  const sent = payments.filter(({ state }) => state === 'sent');
  const returns = openReturns(gig, all, blockNumber);
  const mayHaveLeft = [...later, ...sent, ...returns.filter(({ state }) => state !== 'planned')];
  const most = requiredFunds(gig) - paidOut - sumOf(paid) - unclaimed(gig, payments) + sumOf(returns);
  return { most, least: most - sumOf(mayHaveLeft) };
}

/** Whether the wallet held the funding in the block of the audit for sure, unless it was taken from it. */
function isFunded({ startBlock, awaitsCheck }: GigBooks, { blockNumber }: WalletFacts): boolean {
  return !awaitsCheck && startBlock <= blockNumber;
}

function unprovedOf(facts: WalletFacts, books: GigBooks): string[] {
  const { isExplained, unmarked, held } = facts;
  const { startBlock } = books;
  return [
    ...(!isFunded(books, facts) ? [`its funding, seen in block ${startBlock}, is not settled yet`] : []),
    ...(held === null ? ['its token contract does not answer with the balance of the wallet'] : []),
    ...(isExplained ? [] : ['the wallet has paid something that the ledger does not know yet']),
    ...(unmarked.length === 0
      ? []
      : [`the ledger has numbers as paid that the chain does not: ${unmarked.join(', ')}`]),
  ];
}

function notesOf({ voidPaid }: GigBooks): string[] {
  return voidPaid.map((id) => `tip ${id} is void, and the chain has paid it`);
}

function countWaiting({ payments, plannedPayouts, freeze }: GigBooks): number {
  return freeze === null ? 0 : plannedPayouts + payments.filter(({ state }) => state === 'planned').length;
}

/**
 * Compares what a gig's wallet held in a settled block with the ledger. It must hold its funding less payouts and fee; a
 * payment that is sent, or was confirmed in a later block, may have left it or not. Anyone can send a surplus.
 */
export function auditGig(gig: Gig, books: GigBooks, facts: WalletFacts): Audit {
  const { decimals, symbol } = gig.token;
  const { blockNumber, held } = facts;
  const text = (units: bigint) => `${formatAmount(units, decimals)} ${symbol}`;
  const { most: expected, least } = expectedIn(gig, books, blockNumber);
  const unproved = unprovedOf(facts, books);
  const notes = notesOf(books);
  const found = { blockNumber, held, expected, waiting: countWaiting(books) };
  if (held === null || !isFunded(books, facts) || held === expected) {
    return { ...found, problems: [], unproved, notes };
  }
  if (held > expected) {
    const surplus = `the wallet holds ${text(held - expected)} more than it must; this is harmless`;
    return { ...found, problems: [], unproved, notes: [surplus, ...notes] };
  }
  const missing = text(expected - held);
  if (held >= least) {
    const underWay = `${missing} may have left the wallet with payments that are under way`;
    return { ...found, problems: [], unproved: [...unproved, underWay], notes };
  }
  const problem = `the wallet holds ${text(held)} and must hold ${text(expected)}: ${missing} are missing`;
  return { ...found, problems: [problem], unproved, notes };
}
