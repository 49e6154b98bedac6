import type { RefusalReason } from '../../../domain/earning/earning.ts';
import type { Awardable } from '../../../domain/earning/payouts/by-rank.ts';
import type { PayoutProgress, PayoutStep } from '../../../domain/earning/payouts/payout.ts';
import type { Joining, RoundPart } from '../../../domain/earning/payouts/rounds.ts';
import type { DecidingStep } from '../../../domain/earning/watch-step.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { WatchContext, WatchedGig } from '../context.ts';

/** The part of an account that becomes eligible, null where there are no parts, or why it comes too late. */
export type Join = (account: Joining) => RoundPart | RefusalReason | null;

/** A way of paying, with what a rule says for it: the half that reads and changes the store. */
export interface PayingWay {
  /** The steps during which the chain is asked; during others only the platform is. */
  readonly asksChain?: readonly DecidingStep['kind'][];
  /** How far a gig is in paying. @param open.first the first eligible account by rank; undefined without any */
  progress(
    deps: WatchContext,
    watched: WatchedGig,
    open: { readonly first: Awardable | undefined; readonly isAnyHeld: boolean },
  ): Promise<PayoutProgress>;
  /** Runs in the transaction that judges accounts. */
  joining?(tx: StoreTx, gig: Gig): Promise<Join>;
  /** Runs before a step is taken. @throws AdapterError when the step has to wait for the chain */
  check?(deps: WatchContext, gig: Gig, step: DecidingStep): Promise<void>;
  /** Takes one of the steps that its progress gives. @returns when the next one is due; null when it is due at once */
  take(deps: WatchContext, watched: WatchedGig, step: PayoutStep): Promise<number | null>;
}
