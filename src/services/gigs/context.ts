import type { GigWallets } from '../../domain/chains/chain.ts';
import type { Verifiers } from '../../domain/earning/payouts/verifier.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Platforms } from '../../domain/mentions/mention.ts';
import type { ChainContext, JobContext, NameContext, ReadContext } from '../context.ts';

export interface StartContext extends ChainContext {
  /** Where the platform's fee goes after a start; null leaves it in the gig's wallet. */
  readonly treasury: Address | null;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface GigContext extends StartContext, JobContext, NameContext {
  readonly platforms: Platforms;
  /** Null without a mnemonic: gigs cannot be created then. */
  readonly wallets: GigWallets | null;
  /** The platform's fee in basis points of the reward. */
  readonly feeBps: number;
  readonly earningOnX: boolean;
  readonly watchesGigs: boolean;
  readonly hasLabels: boolean;
  /** Runs before a platform is asked what a gig is about. @throws DomainError when it may not be */
  readonly beforeAsking?: (() => void) | undefined;
}

export interface StartFundedContext extends StartContext, JobContext {
  /** Names an attempt at a start. */
  readonly newId: () => string;
}

export interface EarningReads extends ReadContext {
  /** The verifiers of bounties; absent: none is asked. */
  readonly verifiers?: Verifiers | undefined;
}

export type FundingContext = ChainContext & JobContext;

/** What reserves a wallet: there are none without a mnemonic. */
export type WalletContext = GigContext & { readonly wallets: GigWallets };

export interface RefundReads extends ReadContext {
  /** Between settlement and refund, in milliseconds. */
  readonly refundDelayMs: number;
}
