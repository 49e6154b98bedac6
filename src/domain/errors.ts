import type { Platform } from './account.ts';
import { CLAIM_REFUSALS } from './claims/claim-refusals.ts';
import { EVENT_REFUSALS } from './events/event-refusals.ts';
import { GIG_REFUSALS } from './gigs/gig-refusals.ts';
import type { Measure } from './mentions/reply-text.ts';
import { REQUEST_REFUSALS } from './operators/request-refusals.ts';
import type { RefusalBy, RowTable } from './refusal-row.ts';
import { X402_REFUSALS } from './x402/x402-refusals.ts';

/** Every rule that a caller can break, by its code. */
export const REFUSALS = {
  ...REQUEST_REFUSALS,
  ...GIG_REFUSALS,
  ...CLAIM_REFUSALS,
  ...EVENT_REFUSALS,
  ...X402_REFUSALS,
};

export type RefusalCode = keyof typeof REFUSALS;

/** A broken rule, with the facts to describe it. */
export type Refusal<Code extends RefusalCode = RefusalCode> = RefusalBy<typeof REFUSALS, Code>;

const ROWS: RowTable<typeof REFUSALS> = REFUSALS;

/** What people read of a refusal in a browser. */
export function personText<Code extends RefusalCode>(refusal: Refusal<Code>): string {
  return ROWS[refusal.code].person(refusal);
}

/** What the operator reads of a refusal at the command line. */
export function commandLineText<Code extends RefusalCode>(refusal: Refusal<Code>): string {
  return ROWS[refusal.code].cli(refusal);
}

/** The bot's reply to what is refused. */
export function refusalReply<Code extends RefusalCode>(refusal: Refusal<Code>, measure: Measure): string {
  return ROWS[refusal.code].bot(refusal, measure);
}

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

/** A later version has migrated the database, so that this one cannot use it. The message names the database. */
export class SchemaNewer extends Error {
  override readonly name = 'SchemaNewer';
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
