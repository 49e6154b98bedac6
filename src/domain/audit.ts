import { formatAmount } from './amount.ts';
import { type Gig, requiredFunds } from './gig.ts';
import type { Payment } from './payment.ts';

/** The comparison of a gig's wallet with the ledger. Amounts are base units of its token. */
export interface Audit {
  readonly blockNumber: bigint;
  readonly held: bigint;
  /** What the wallet must hold by the ledger: its funding, less what was paid and moved to the treasury. */
  readonly expected: bigint;
  /** Sentences about why it does not add up. */
  readonly problems: readonly string[];
  /** Sentences about what is under way; while there are any, nothing is proved. */
  readonly unproved: readonly string[];
  /** Sentences about what is no fault. */
  readonly notes: readonly string[];
}

/** Whether a gig adds up; null when that is not proved. */
export function addsUp({ problems, unproved }: Pick<Audit, 'problems' | 'unproved'>): boolean | null {
  if (problems.length > 0) return false;
  return unproved.length > 0 ? null : true;
}

function sum(payments: readonly Payment[]): bigint {
  return payments.reduce((total, { amount }) => total + amount, 0n);
}

/**
 * Compares what a gig's wallet held in a settled block with the ledger, read after the block. A payment that is sent, or
 * that was confirmed in a later block, may have left the wallet or not.
 */
export function auditGig(
  gig: Gig,
  payments: readonly Payment[],
  { blockNumber, held }: Pick<Audit, 'blockNumber' | 'held'>,
): Audit {
  const { decimals, symbol } = gig.token;
  const text = (units: bigint) => `${formatAmount(units, decimals)} ${symbol}`;
  const confirmed = payments.filter(({ state }) => state === 'confirmed');
  const paid = confirmed.filter((payment) => payment.blockNumber !== null && payment.blockNumber <= blockNumber);
  const open = payments.filter(
    (payment) => payment.state === 'sent' || (confirmed.includes(payment) && !paid.includes(payment)),
  );
  const expected = requiredFunds(gig) - sum(paid);
  const found = { blockNumber, held, expected };
  if (held > expected) {
    return { ...found, problems: [], unproved: [], notes: [`the wallet holds ${text(held - expected)} too much`] };
  }
  if (held === expected) return { ...found, problems: [], unproved: [], notes: [] };
  const missing = `the wallet holds ${text(expected - held)} less than it must`;
  return held >= expected - sum(open)
    ? { ...found, problems: [], unproved: [`${missing}, which payments under way may have moved`], notes: [] }
    : { ...found, problems: [missing], unproved: [], notes: [] };
}
