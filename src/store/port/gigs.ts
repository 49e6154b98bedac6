import type { Platform } from '../../domain/account.ts';
import type { Tip } from '../../domain/gigs/tip.ts';
import type { Token } from '../../domain/gigs/token.ts';

/**
 * Filters gigs by phase at `now` and by platform. `live`: started and not over; `active`: live and inside the window;
 * `ended`: started and over; `cancelled`: never started, and not to be.
 */
export interface GigFilter {
  readonly phase: 'created' | 'live' | 'active' | 'ended' | 'cancelled' | 'all';
  readonly now: number;
  /** All when absent. */
  readonly platforms?: readonly Platform[] | undefined;
}

/** Pending tips, and the tokens that they are in, by id. */
export interface PendingTips {
  readonly tips: readonly Tip[];
  readonly tokens: ReadonlyMap<number, Token>;
}
