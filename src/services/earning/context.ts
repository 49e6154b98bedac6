import type { AccountKey } from '../../domain/account.ts';
import type { Chains } from '../../domain/chains/chain.ts';
import type { SpamLabel } from '../../domain/earning/earning.ts';
import type { Verifiers } from '../../domain/earning/payouts/verifier.ts';
import type { ActReader } from '../../domain/earning/platform.ts';
import type { EarningRules } from '../../domain/earning/terms/rules.ts';
import { FAILURE_PAUSES, type GigWatch } from '../../domain/earning/watch.ts';
import type { WatchTiming } from '../../domain/earning/watch-step.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Platforms, SocialPlatform } from '../../domain/mentions/mention.ts';
import type { JobContext, ServiceContext } from '../context.ts';
import type { LearnPaid } from '../gigs/steps/check-step.ts';
import type { HeldSteps } from '../gigs/steps/held-steps.ts';
import type { AskingLanes } from './decide/asking-lanes.ts';
import type { EarningMemory } from './memory.ts';
import type { EarningCounter } from './tally.ts';

/** How the engine paces itself. Milliseconds. */
export interface EarningTiming extends WatchTiming {
  /** How long one step may hold the watch of a gig. */
  readonly leaseMs: number;
  /** After a failed step, before the next one; twice as long after each further one. */
  readonly failedMs: number;
  readonly longestFailedMs: number;
}

/** Production values, but for the time between looks, which is configured. */
export const EARNING_TIMING: Omit<EarningTiming, 'lookMs'> = {
  pageMs: 6_000,
  leaseMs: 120_000,
  failedMs: FAILURE_PAUSES.failedMs,
  longestFailedMs: FAILURE_PAUSES.longestFailedMs,
};

/** What watches gigs and awards what is earned. */
export interface WatchContext extends JobContext {
  readonly platforms: Platforms;
  /** A draw is decided by a block of its gig's chain. */
  readonly chains: Chains;
  /** What the operator's file says about an account. */
  readonly labelOf: (account: AccountKey) => SpamLabel;
  /** Absent: every bounty is decided by hand. */
  readonly verifiers?: Verifiers | undefined;
  /** Where verifiers are asked; absent: in the lane of the step. */
  readonly lanes?: AskingLanes;
  /** Absent: no wallet pays anything here. */
  readonly learnPaid?: LearnPaid | undefined;
  /** Where it is kept that a step waits; absent for a person, who waits for nothing. */
  readonly heldSteps?: HeldSteps | undefined;
  /** Absent: nothing is counted. */
  readonly counter?: EarningCounter;
  readonly timing: EarningTiming;
  /** What is remembered from step to step; one for all gigs of a process. */
  readonly memory: EarningMemory;
  readonly newId: () => string;
}

/** What decides on submissions by hand. */
export interface HandContext extends ServiceContext {
  /** Absent: no wallet pays anything here. */
  readonly learnPaid?: LearnPaid | undefined;
}

/** A watched gig with all that a step needs. */
export interface WatchedGig {
  readonly gig: Gig;
  readonly rules: EarningRules;
  readonly watch: GigWatch;
  /** The lease of the watch, which this process holds while nobody else has it. */
  readonly lease: string;
  readonly reader: ActReader;
  /** The bot on the gig's platform. */
  readonly bot: SocialPlatform['bot'];
  /** When the look began that reads acts now; absent otherwise. */
  readonly seeingSince?: number;
}
