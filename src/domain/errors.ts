import type { Platform } from './account.ts';
import type { ClaimProblem } from './claims/claim.ts';
import type { Funding } from './gigs/gig.ts';
import type { ClosedBecause } from './gigs/gig-end.ts';
import type { GigAct, Scope } from './operators/actor.ts';

/**
 * Every rule that a caller can break, with the facts to describe it. `http/errors` turns a refusal into a status and a
 * body, `bot/replies` into a sentence.
 */
export type Refusal =
  | { readonly code: 'invalid_api_key' }
  /** The key is valid, but lacks a scope. */
  | { readonly code: 'scope_missing'; readonly scope: Scope }
  | { readonly code: 'invalid_request'; readonly message: string }
  /** Every problem of a request at once, a sentence each. */
  | { readonly code: 'validation_failed'; readonly details: readonly string[] }
  | { readonly code: 'chain_not_found' }
  | { readonly code: 'token_not_found'; readonly address: string; readonly chainKey: string }
  /** Gigs need wallets, and no mnemonic is configured to derive them from. */
  | { readonly code: 'wallets_off' }
  /** An idempotency key was reused with another request. */
  | { readonly code: 'key_reused' }
  | { readonly code: 'gig_not_found'; readonly gigId: number }
  | { readonly code: 'gig_already_live'; readonly gigId: number }
  /** What only a gig before its start takes was asked of one that was live and is over. */
  | { readonly code: 'gig_ended'; readonly gigId: number }
  | { readonly code: 'gig_cancelled'; readonly gigId: number }
  | { readonly code: 'gig_in_progress'; readonly gigId: number }
  | { readonly code: 'gig_not_funded'; readonly gigId: number; readonly funding: Funding }
  | { readonly code: 'not_gig_owner'; readonly gigId: number; readonly act: GigAct }
  /** The client of the gig has not let its owners do this in the browser. */
  | { readonly code: 'owners_may_not'; readonly gigId: number; readonly act: GigAct }
  /** A session of an account may not do this in its first minutes. */
  | { readonly code: 'session_too_new'; readonly gigId: number; readonly act: GigAct }
  /** Tips are only awarded from a gig's start until its time for awards is over. */
  | { readonly code: 'gig_not_running'; readonly gigId: number; readonly phase: ClosedBecause }
  /** Only a gig that is live can be stopped. */
  | { readonly code: 'gig_not_stoppable'; readonly gigId: number; readonly phase: 'created' | 'cancelled' | 'ended' }
  /** Only a gig that is over, and on which nothing is open, can be settled. */
  | { readonly code: 'gig_not_settleable'; readonly gigId: number; readonly why: Unsettleable }
  /** The gig's rules leave no tips to be awarded by request. */
  | { readonly code: 'tips_by_rules_only'; readonly gigId: number }
  /** A post that asks for no payment, or for one that cannot be made. */
  | {
      readonly code: ClaimProblem | 'no_verified_address' | 'no_address' | 'post_too_old' | 'no_tips';
    }
  | { readonly code: 'account_not_found'; readonly platform: Platform; readonly username: string }
  /** `platform` is where it was looked for; Farcaster for a URL of no platform. */
  | { readonly code: 'post_not_found'; readonly platform: Platform }
  /** The post's platform is not configured, so no post of it can be read. */
  | { readonly code: 'platform_off'; readonly platform: Platform }
  /** Also for one of another client. */
  | { readonly code: 'webhook_not_found'; readonly webhookId: number }
  | { readonly code: 'too_many_webhooks' }
  /** A cursor of no event of this ledger; `readFrom` is where to begin again. */
  | { readonly code: 'invalid_cursor'; readonly readFrom: number }
  /** Events need a key to sign them with. */
  | { readonly code: 'signing_off' }
  /** Amounts are decimal text in whole tokens. */
  | { readonly code: 'reward_exceeded'; readonly gigId: number; readonly left: string; readonly symbol: string };

/** Why a gig cannot be settled now; `undecided`: accounts, shares or acts of it are not decided on. */
export type Unsettleable = 'created' | 'cancelled' | 'running' | 'undecided' | 'settled';

export type RefusalCode = Refusal['code'];

/** A broken rule of the service. Expected, never retried, safe to tell the caller. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('message' in refusal ? refusal.message : refusal.code);
    this.refusal = refusal;
  }
}

/** The refusal of a request for a reason that no other code covers; `message` is shown to the caller. */
export function invalidRequest(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/**
 * The database cannot be reached, or did not tell the outcome of a change within the time that is left. The message names
 * the database.
 */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}

/** The database is a side of a copy, so nothing may use it. The message names it, and says what to do where that is known. */
export class StoreMoved extends Error {
  override readonly name = 'StoreMoved';
}

/**
 * Whether a failed external call may be repeated. `safe`: it had no effect, or repeating it has none. `never`: it would
 * fail again. `unknown`: it may have had its effect, so check before repeating it.
 */
export type Retry = 'safe' | 'never' | 'unknown';

/** The kinds of external failure, as far as they change what is done next. */
export type AdapterReason =
  | 'unreachable'
  | 'timeout'
  /** The platform did not answer earlier calls and is paused: this call was not made. */
  | 'paused'
  /** The deadline for sending a reply had passed: nothing was sent. */
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

export interface FaultKind {
  readonly retry: Retry;
  readonly reason: AdapterReason;
}

export interface AdapterFault extends FaultKind {
  /** What failed, in our words: never a secret, a header or a whole external body. */
  readonly message: string;
  /** What the other side has said, cleaned and cut; absent when it has said nothing that may be shown. */
  readonly words?: string | undefined;
  /** How long the other side asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Until when the other side refuses every call of our account, epoch milliseconds; absent when only this one. */
  readonly blockedUntil?: number | undefined;
  /** The platform that failed, where callers are told so; absent for a chain. */
  readonly platform?: Platform | undefined;
  /** The HTTP status of the answer, where that is what failed. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A failure of an external network. The message is ours; the original error is the `cause`. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly retry: Retry;
  readonly reason: AdapterReason;
  readonly words: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly blockedUntil: number | undefined;
  readonly platform: Platform | undefined;
  readonly status: number | undefined;

  constructor(fault: AdapterFault) {
    super(fault.message, { cause: fault.cause });
    this.retry = fault.retry;
    this.reason = fault.reason;
    this.words = fault.words;
    this.retryAfterMs = fault.retryAfterMs;
    this.blockedUntil = fault.blockedUntil;
    this.platform = fault.platform;
    this.status = fault.status;
  }
}

/** What failed, with what the other side has said, for operators. */
export function faultText({ message, words }: AdapterError): string {
  return words === undefined ? message : `${message}; it answered: ${words}`;
}
