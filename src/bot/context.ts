import type { SignInWay } from '../domain/owners/sign-in.ts';
import type { ClaimContext } from '../services/claims/context.ts';
import type { ServiceContext } from '../services/context.ts';
import type { RefundReads, StartContext } from '../services/gigs/context.ts';

/** What some commands need of a service: a way to sign in, or notifications of the mini app. */
export type CommandNeed = SignInWay | 'notifications';

/** What a service with these settings offers to commands. */
export function offeredBy(settings: {
  readonly signIn: readonly SignInWay[];
  readonly notifications: string | null;
}): CommandNeed[] {
  const { signIn, notifications } = settings;
  return notifications === null ? [...signIn] : [...signIn, 'notifications'];
}

export interface BotContext extends ClaimContext, StartContext, RefundReads {
  readonly store: ServiceContext['store'];
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
  /** Commands that need anything else are none. */
  readonly offered: readonly CommandNeed[];
}
