import type { GigWallets } from '../../domain/chains/chain.ts';
import type { Verifiers } from '../../domain/earning/payouts/verifier.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Platforms } from '../../domain/mentions/mention.ts';
import type { ChainContext, JobContext, ReadContext } from '../context.ts';

/** What a start of a gig needs. */
export interface StartContext extends ChainContext {
  /** Where the platform's fee goes after a start; null leaves it in the gig's wallet. */
  readonly treasury: Address | null;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** What creation and change of gigs need. */
export interface GigContext extends StartContext, JobContext {
  readonly platforms: Platforms;
  /** Null without a mnemonic: gigs cannot be created then. */
  readonly wallets: GigWallets | null;
  /** The platform's fee in basis points of the reward. */
  readonly feeBps: number;
  /** Whether gigs may be for posts on X. */
  readonly earningOnX: boolean;
  /** Whether the service watches gigs at all. */
  readonly watchesGigs: boolean;
  /** Whether the operator has set a file of spam labels. */
  readonly hasLabels: boolean;
  /** Runs before a platform is asked what a gig is about. @throws DomainError when it may not be */
  readonly beforeAsking?: (() => void) | undefined;
}

/** What starts gigs by itself. */
export interface StartFundedContext extends StartContext, JobContext {
  /** Names an attempt at a start. */
  readonly newId: () => string;
}

/** What is read of how gigs are earned. */
export interface EarningReads extends ReadContext {
  /** The verifiers of bounties; absent: none is asked. */
  readonly verifiers?: Verifiers | undefined;
}

/** What the funding of started gigs is checked with. */
export type FundingContext = ChainContext & JobContext;

/** What reserves a wallet: there are none without a mnemonic. */
export type WalletContext = GigContext & { readonly wallets: GigWallets };

/** What is read of the end of a gig. */
export interface RefundReads extends ReadContext {
  /** Between settlement and refund, in milliseconds. */
  readonly refundDelayMs: number;
}
