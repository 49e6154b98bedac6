import type { SignInWay } from '../domain/owners/sign-in.ts';
import type { ClaimContext } from '../services/claims/context.ts';
import type { ServiceContext } from '../services/context.ts';
import type { RefundReads, StartContext } from '../services/gigs/context.ts';

/** What some commands need of a service: a way to sign in, notifications of the mini app, or a chain of names. */
export type CommandNeed = SignInWay | 'notifications' | 'names';

/** What a service with these settings offers to commands. */
export function offeredBy(settings: {
  readonly signIn: readonly SignInWay[];
  readonly notifications: string | null;
  readonly nameRpcUrls: readonly string[];
}): CommandNeed[] {
  const { signIn, notifications, nameRpcUrls } = settings;
  return [
    ...signIn,
    ...(notifications === null ? [] : ['notifications' as const]),
    ...(nameRpcUrls.length === 0 ? [] : ['names' as const]),
  ];
}

export interface BotContext extends ClaimContext, StartContext, RefundReads {
  readonly store: ServiceContext['store'];
  /** The service's public base URL, without a slash at the end. */
  readonly publicUrl: string;
  /** Commands that need anything else are none. */
  readonly offered: readonly CommandNeed[];
}
