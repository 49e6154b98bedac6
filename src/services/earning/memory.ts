import { AdapterError } from '../../domain/errors.ts';

/**
 * What a process remembers of watched gigs, by their ids; epoch milliseconds. It is lost when the process ends, and then a
 * platform is only asked once more.
 */
export interface EarningMemory {
  /** When accounts may be settled again, after the platform did not answer about them. */
  readonly settleAfter: Map<number, number>;
  /** Since when the platform says that what a gig is about does not exist. */
  readonly goneSince: Map<number, number>;
}

export function createEarningMemory(): EarningMemory {
  return { settleAfter: new Map(), goneSince: new Map() };
}

/** What a gig is about is gone when its platform says so again, this much later: one answer may be wrong. */
export const GONE_MS = 300_000;

/** Requires that the platform has said so before, long enough ago. @throws AdapterError to be asked again */
export function requireGone({ goneSince }: EarningMemory, gigId: number, now: number): void {
  const since = goneSince.get(gigId);
  if (since !== undefined && now - since >= GONE_MS) return;
  if (since === undefined || since > now) goneSince.set(gigId, now);
  const message = 'What the gig is about is not known there; that has to be said twice';
  throw new AdapterError({ retry: 'never', reason: 'not_found', message });
}
