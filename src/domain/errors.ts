import type { Platform } from './account.ts';
import type { Scope } from './actor.ts';
import type { ClaimProblem } from './claim.ts';
import type { Funding } from './gig.ts';

/**
 * Every rule a caller can break, with the facts each door needs to say so in its own words.
 * `http/errors` turns a refusal into a status and a body, `bot/replies` into a sentence.
 */
export type Refusal =
  | { readonly code: 'invalid_api_key' }
  /** The key works, but may not do this. */
  | { readonly code: 'scope_missing'; readonly scope: Scope }
  | { readonly code: 'invalid_request'; readonly message: string }
  /** Every problem of a request at once, a sentence each. */
  | { readonly code: 'validation_failed'; readonly details: readonly string[] }
  | { readonly code: 'chain_not_found' }
  | { readonly code: 'token_not_found'; readonly address: string; readonly chainKey: string }
  /** Gigs need wallets, and no mnemonic is configured to derive them from. */
  | { readonly code: 'wallets_off' }
  /** An idempotency key came again with another request. */
  | { readonly code: 'key_reused' }
  | { readonly code: 'gig_not_found'; readonly gigId: number }
  | { readonly code: 'gig_already_live'; readonly gigId: number }
  | { readonly code: 'gig_in_progress'; readonly gigId: number }
  | { readonly code: 'gig_not_funded'; readonly gigId: number; readonly funding: Funding }
  | { readonly code: 'not_gig_owner'; readonly gigId: number }
  /** Tips are only earned while a gig is live and inside its window. */
  | { readonly code: 'gig_not_running'; readonly gigId: number; readonly phase: 'created' | 'scheduled' | 'ended' }
  /** A post that asks for no payment, or for one that cannot be made. */
  | {
      readonly code: ClaimProblem | 'no_verified_address' | 'no_address' | 'post_too_old' | 'no_tips';
    }
  /** `platform` is where it was looked for; Farcaster for what is no URL of either network. */
  | { readonly code: 'post_not_found'; readonly platform: Platform }
  /** Amounts are decimal text in whole tokens. */
  | { readonly code: 'reward_exceeded'; readonly gigId: number; readonly left: string; readonly symbol: string };

export type RefusalCode = Refusal['code'];

/** A broken rule of ours. Expected, never retried, safe to tell the caller. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('message' in refusal ? refusal.message : refusal.code);
    this.refusal = refusal;
  }
}

/**
 * Whether a failed call to the outside may be made again.
 * `safe`: it had no effect, or repeating it has none. `never`: it would fail again.
 * `unknown`: it may have had its effect; look before doing it again.
 */
export type Retry = 'safe' | 'never' | 'unknown';

/** What went wrong outside, as far as it changes what we do next. */
export type AdapterReason =
  | 'unreachable'
  | 'timeout'
  /** The platform was silent before, and is left alone for a while: it was not called. */
  | 'paused'
  /** The time in which a reply might be sent was over: nothing was sent. */
  | 'too_late'
  | 'rate_limited'
  | 'unauthorized'
  | 'payment_required'
  | 'forbidden'
  | 'not_engaged'
  | 'duplicate'
  | 'not_found'
  | 'rejected'
  | 'server_error'
  | 'bad_response';

export interface AdapterFault {
  readonly retry: Retry;
  readonly reason: AdapterReason;
  /** What failed, in our words: never a secret, a header or a whole foreign body. */
  readonly message: string;
  /** How long the other side asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failure of a network we depend on. The message is ours; the foreign error is the `cause`. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly retry: Retry;
  readonly reason: AdapterReason;
  readonly retryAfterMs: number | undefined;

  constructor(fault: AdapterFault) {
    super(fault.message, { cause: fault.cause });
    this.retry = fault.retry;
    this.reason = fault.reason;
    this.retryAfterMs = fault.retryAfterMs;
  }
}
