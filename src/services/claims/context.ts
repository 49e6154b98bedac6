import type { Platform } from '../../domain/account.ts';
import type { GigWallets } from '../../domain/chains/chain.ts';
import type { ClaimStatus } from '../../domain/claims/claim.ts';
import type { MentionRecord, Platforms, SocialPlatform } from '../../domain/mentions/mention.ts';
import type { ShownTime } from '../../domain/time.ts';
import type { JobContext, NameContext, ServiceContext } from '../context.ts';

export interface ClaimContext extends ServiceContext, NameContext {
  readonly platforms: Platforms;
  /** Null when no mnemonic is configured: nothing can be paid then. */
  readonly wallets: GigWallets | null;
  readonly newId: () => string;
  readonly wakePayments: () => void;
}

/** Renders the outcome of a claim, of which no payout is pending, as the text of a reply. */
export interface OutcomeWords {
  outcome(status: ClaimStatus, mention: MentionRecord, platform: SocialPlatform): string;
  /** Tells that it failed, and why. */
  failure(status: ClaimStatus, mention: MentionRecord, platform: SocialPlatform): string;
}

export interface OutcomeContext extends JobContext {
  readonly platforms: Platforms;
  readonly words: OutcomeWords;
  /** Tells a platform's sending job that there is work. */
  readonly wake: (platform: Platform) => void;
}

export interface UrlClaimContext extends ClaimContext {
  readonly clocks: ShownTime;
}
