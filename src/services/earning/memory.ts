import { AdapterError } from '../../domain/errors.ts';

/** Epoch milliseconds. */
interface Pause {
  readonly since: number;
  readonly until: number;
}

/**
 * What a process remembers of watched gigs, by their ids; epoch milliseconds. It is lost when the process ends, and then a
 * platform is only asked once more.
 */
export interface EarningMemory {
  /** Since when and until when accounts are not settled, because the platform did not answer about them. */
  readonly settlePauses: Map<number, Pause>;
  /** The same for everything that is decided, because the chain did not tell what the gig's wallet has paid. */
  readonly decidePauses: Map<number, Pause>;
  /** Since when the platform says that what a gig is about does not exist. */
  readonly goneSince: Map<number, number>;
}

export function createEarningMemory(): EarningMemory {
  return { settlePauses: new Map(), decidePauses: new Map(), goneSince: new Map() };
}

/** When a pause of a gig is over; null without one. */
export function endOfPause(pauses: ReadonlyMap<number, Pause>, gigId: number, now: number): number | null {
  const pause = pauses.get(gigId);
  if (pause === undefined) return null;
  // The clock was set back: how much of the pause is over is not known.
  return now < pause.since ? now : pause.until;
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
