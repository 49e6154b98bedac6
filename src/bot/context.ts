import type { SignInWay } from '../domain/owners/sign-in.ts';
import type { ClaimContext } from '../services/claims/context.ts';
import type { ServiceContext } from '../services/context.ts';
import type { RefundReads, StartContext } from '../services/gigs/context.ts';

/** What commands of the bot need. */
export interface BotContext extends ClaimContext, StartContext, RefundReads {
  readonly store: ServiceContext['store'];
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
  /** How people may sign in to the console. */
  readonly signIn: readonly SignInWay[];
}
