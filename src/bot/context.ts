import type { SignInWay } from '../domain/owners/sign-in.ts';
import type { ClaimContext } from '../services/claims/context.ts';
import type { ServiceContext } from '../services/context.ts';
import type { RefundReads, StartContext } from '../services/gigs/context.ts';

export interface BotContext extends ClaimContext, StartContext, RefundReads {
  readonly store: ServiceContext['store'];
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
  readonly signIn: readonly SignInWay[];
}
