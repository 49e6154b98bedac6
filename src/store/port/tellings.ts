import type { AccountKey } from '../../domain/account.ts';
import type { GigEvent, GigFacts, Telling } from '../../domain/notice.ts';

/** Reads of who is told of a gig. */
export interface TellingReads {
  /** What an owner is told of a gig; null when nothing was ever settled about it. */
  telling(gigId: number, owner: AccountKey): Promise<Telling | null>;
  /** All tellings that are open, oldest first. */
  openTellings(): Promise<Telling[]>;
  /** What decides about the events of a gig, which costs less than the whole gig; null when there is no such gig. */
  gigFacts(gigId: number): Promise<GigFacts | null>;
}

/** Changes of who is told of a gig, inside a transaction. */
export interface TellingWrites {
  /** Stores what an owner is told of a gig from now on; replaces what was stored about that owner. */
  keepTelling(telling: Telling): Promise<void>;
  /** Adds to the events that count as told; false when they are no longer `from`, or the telling is not open. */
  markTold(
    of: Pick<Telling, 'gigId' | 'owner'>,
    change: { from: readonly GigEvent[]; told: readonly GigEvent[] },
  ): Promise<boolean>;
  /** Open → over; false when it is not open. */
  endTelling(of: Pick<Telling, 'gigId' | 'owner'>): Promise<boolean>;
}
