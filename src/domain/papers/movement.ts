import { type Gig, requiredFunds } from '../gigs/gig.ts';
import type { Token } from '../gigs/token.ts';
import type { Payment } from '../payments/payment.ts';

/** What a movement of money was for; `reward` is a payout in the papers of its earner. */
export type Purpose = 'funding' | 'payout' | 'fee' | 'refund' | 'return' | 'reward';

/** Money that a gig's wallet, or an earner, got or sent. */
export interface Movement {
  readonly purpose: Purpose;
  readonly gigId: number;
  readonly token: Token;
  /** Base units. */
  readonly amount: bigint;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The transaction; null where the ledger does not know it. */
  readonly hash: string | null;
}

/** Whether the money came in. */
export function isIncoming({ purpose }: Movement): boolean {
  return purpose === 'funding' || purpose === 'reward';
}

/** What a started gig was paid with; null for a gig that never started, of which the ledger knows only what returned. */
export function fundingOf(gig: Gig, hash: string | null): Movement | null {
  if (gig.status !== 'live') return null;
  const at = gig.wentLiveAt ?? gig.startTime;
  return { purpose: 'funding', gigId: gig.id, token: gig.token, amount: requiredFunds(gig), at, hash };
}

/** What confirmed payments of a gig have moved. Money that a return sends back has come in before, beyond what the gig needed. */
export function movementsOf(payments: readonly Payment[]): Movement[] {
  return payments.flatMap(({ kind, gigId, token, amount, hash, updatedAt: at }): Movement[] => {
    if (kind === 'mark') return [];
    const moved = { gigId, token, amount, at };
    const sent = { ...moved, purpose: kind, hash };
    return kind === 'return' ? [{ ...moved, purpose: 'funding', hash: null }, sent] : [sent];
  });
}

/** What confirmed payouts have brought to their account. */
export function rewardsOf(payouts: readonly Payment[]): Movement[] {
  return movementsOf(payouts).map((movement) => ({ ...movement, purpose: 'reward' }));
}
