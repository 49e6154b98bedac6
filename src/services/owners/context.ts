import type { Platforms } from '../../domain/mentions/mention.ts';
import type { OwnerCreators } from '../../domain/owners/owner-gigs.ts';
import type { SignInWays } from '../../domain/owners/sign-in.ts';
import type { ResolveHandle } from '../claims/resolve-handle.ts';
import type { JobContext, ServiceContext } from '../context.ts';
import type { GigContext } from '../gigs/context.ts';

/** What makes secrets. */
export interface Chance {
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface SignInContext extends ServiceContext, Chance {
  readonly signIn: SignInWays;
}

export interface LinkContext extends JobContext {
  readonly platforms: Platforms;
}

export interface OwnerLimits {
  readonly ownerCreate: OwnerCreators;
  /** How many gigs of one owner are created or live at the same time. */
  readonly ownerOpenGigs: number;
}

/** Counts what owners have platforms asked. @returns why so many more may not be asked about, as a clause; null when they may */
export type AskingBudget = (owner: string, count: number) => string | null;

export interface CreationContext extends GigContext {
  readonly config: OwnerLimits;
  /** For what new gigs are about: of owners whom the operator allowed, and of others. */
  readonly targetBudgets: { readonly allowed: AskingBudget; readonly strangers: AskingBudget };
}

export interface AwardContext extends ServiceContext {
  readonly platforms: Platforms;
  readonly resolve: ResolveHandle;
  /** For handles. */
  readonly whyNotAsk: AskingBudget;
  /** For ids. */
  readonly whyNotAskIds: AskingBudget;
}
