import type { Context } from 'hono';
import type { Platform } from '../../domain/account.ts';
import { formatAmount } from '../../domain/amount.ts';
import {
  AdapterError,
  DomainError,
  type Refusal,
  StoreAway,
  StoreMoved,
  type Unsettleable,
} from '../../domain/errors.ts';
import type { Funding } from '../../domain/gigs/gig.ts';
import { closedWords } from '../../domain/gigs/gig-end.ts';
import { capitalized } from '../../domain/gigs/gig-type.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { summarizeError } from '../../log.ts';
import { scopeMissingText } from './api-key.ts';
import { type App, type AppEnv, answer, type HttpResult } from './context.ts';

/** The error for an idempotency key that was used with another body. */
export const KEY_REUSED =
  'This Idempotency-Key was used with another body: send the same body to get the first response again, or use a new key';

/** The error for a body with a Content-Encoding. */
export const BODY_ENCODED = 'Compressed bodies are not supported: send the body without Content-Encoding';

/** Faults of a request before any domain rule applies. Durations are whole seconds. */
export type HttpFault =
  | { readonly code: 'route_not_found' }
  | { readonly code: 'body_too_large'; readonly limit: number }
  | { readonly code: 'body_unreadable' }
  | { readonly code: 'body_encoded' }
  | { readonly code: 'rate_limited'; readonly limit: number; readonly retryAfter: number }
  | { readonly code: 'invalid_signature' }
  | { readonly code: 'unavailable'; readonly retryAfter: number };

/** A refusal by the HTTP layer. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;

  constructor(fault: HttpFault, options?: { cause: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}

const ASK_AGAIN_AFTER_SECONDS = 5;

function notFunded(gigId: number, { expected, actual, token, chain, walletAddress }: Funding) {
  const amount = (units: bigint) => `${formatAmount(units, token.decimals)} ${token.symbol}`;
  return {
    message: `Gig with id ${gigId} is not funded`,
    details: [
      `Expected amount: ${amount(expected)}`,
      `Actual amount: ${amount(actual)}`,
      `Token Address: ${checksummed(token.address)}`,
      `Chain: ${chain.key}`,
      `Chain id: ${chain.id}`,
      `Gig wallet address: ${checksummed(walletAddress)}`,
    ],
  };
}

const NOT_STOPPABLE = {
  created: 'is not live: cancel it instead',
  cancelled: 'is cancelled',
  ended: 'has ended',
} as const;

const NOT_SETTLEABLE = {
  created: 'is not live: cancel it instead',
  cancelled: 'is cancelled',
  running: 'has not ended: stop it first',
  undecided: 'cannot be settled yet: accounts, shares or acts of it are not decided about',
  settled: 'is settled already',
} as const satisfies Record<Unsettleable, string>;

function ofRefusal(refusal: Refusal): HttpResult {
  switch (refusal.code) {
    case 'invalid_api_key':
      return { status: 401, body: { error: 'Invalid API key' } };
    case 'scope_missing':
      return { status: 403, body: { error: scopeMissingText(refusal.scope) } };
    case 'invalid_request':
      return { status: 400, body: { error: refusal.message } };
    case 'validation_failed':
      return { status: 400, body: { error: 'Validation failed', details: refusal.details } };
    case 'not_a_claim':
      return {
        status: 400,
        body: { error: 'Message must contain "claim my rewards" with an optional Ethereum address' },
      };
    case 'invalid_address':
      return { status: 400, body: { error: 'Invalid Ethereum address provided' } };
    case 'several_addresses':
      return { status: 400, body: { error: 'Multiple Ethereum addresses found in the cast' } };
    case 'no_verified_address':
    case 'no_address':
      return { status: 400, body: { error: 'No verified address found' } };
    case 'post_too_old':
      return { status: 400, body: { error: 'The post is older than 24 hours' } };
    case 'post_not_found':
      return { status: 404, body: { error: `${capitalized(platformFacts(refusal.platform).post)} not found` } };
    case 'platform_off':
      return {
        status: 503,
        body: { error: `${platformFacts(refusal.platform).label} is turned off: the operator has not configured it` },
      };
    case 'no_tips':
      return { status: 404, body: { error: 'No tips found' } };
    case 'chain_not_found':
      return { status: 404, body: { error: 'Chain not found' } };
    case 'token_not_found':
      return {
        status: 404,
        body: { error: `Token with address ${refusal.address} not found on chain ${refusal.chainKey}` },
      };
    case 'wallets_off':
      return {
        status: 503,
        body: { error: 'Gig wallets are turned off: the operator has not set GIG_WALLET_MNEMONIC' },
      };
    case 'key_reused':
      return { status: 409, body: { error: KEY_REUSED } };
    case 'gig_not_running':
      return { status: 400, body: { error: `Gig with id ${refusal.gigId} ${closedWords(refusal.phase)}` } };
    case 'tips_by_rules_only':
      return {
        status: 400,
        body: {
          error: `Gig with id ${refusal.gigId} awards tips by its rules alone: their tips_by_request is false`,
        },
      };
    case 'reward_exceeded':
      return {
        status: 400,
        body: {
          error: `The tips exceed the reward of gig with id ${refusal.gigId}: ${refusal.left} ${refusal.symbol} are left`,
        },
      };
    case 'gig_not_found':
      return { status: 404, body: { error: `Gig with id ${refusal.gigId} not found` } };
    case 'gig_already_live':
      return { status: 400, body: { error: 'Gig is already live' } };
    case 'gig_ended':
      return { status: 400, body: { error: `Gig with id ${refusal.gigId} has ended` } };
    case 'gig_cancelled':
      return { status: 400, body: { error: `Gig with id ${refusal.gigId} is cancelled` } };
    case 'gig_not_stoppable':
      return { status: 400, body: { error: `Gig with id ${refusal.gigId} ${NOT_STOPPABLE[refusal.phase]}` } };
    case 'gig_not_settleable':
      return { status: 400, body: { error: `Gig with id ${refusal.gigId} ${NOT_SETTLEABLE[refusal.why]}` } };
    case 'gig_in_progress':
      return {
        status: 409,
        body: { error: `Gig with id ${refusal.gigId} is currently being processed` },
        headers: { 'retry-after': String(ASK_AGAIN_AFTER_SECONDS) },
      };
    case 'gig_not_funded':
      return { status: 400, body: { error: notFunded(refusal.gigId, refusal.funding) } };
    case 'not_gig_owner':
      return { status: 403, body: { error: `Only an owner of gig with id ${refusal.gigId} may ${refusal.act} it` } };
  }
}

/** The error of a request that a chain, or this platform, did not answer. */
export function unreachableText(platform?: Platform): string {
  const what = platform === undefined ? 'The chain of this gig' : platformFacts(platform).label;
  return `${what} cannot be reached right now; nothing was changed, try again later`;
}

/** The error for work that this instance cannot do now. */
export const UNAVAILABLE = 'The service cannot process this request right now; try again later';

/** The error for a body that is larger than `limit` bytes. */
export function tooLargeText(limit: number): string {
  return `Body is larger than ${limit} bytes`;
}

/** What is told of a refusal, as the API says it. */
export function refusalText(refusal: Refusal): string {
  const { body } = ofRefusal(refusal);
  return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : refusal.code;
}

function ofFault(fault: HttpFault): HttpResult {
  switch (fault.code) {
    case 'route_not_found':
      return { status: 404, body: { error: 'Not found' } };
    case 'body_too_large':
      return { status: 413, body: { error: tooLargeText(fault.limit) } };
    case 'body_encoded':
      return { status: 415, body: { error: BODY_ENCODED } };
    case 'body_unreadable':
      return { status: 400, body: { error: 'The connection ended before the whole body arrived' } };
    case 'rate_limited':
      return {
        status: 429,
        body: { error: `Too many requests: at most ${fault.limit} a minute are allowed` },
        // What was asked may need a key.
        headers: { 'retry-after': String(fault.retryAfter), 'cache-control': 'no-store' },
      };
    case 'invalid_signature':
      return { status: 401, body: { error: 'Invalid signature' } };
    case 'unavailable':
      return {
        status: 503,
        body: { error: UNAVAILABLE },
        headers: { 'retry-after': String(fault.retryAfter) },
      };
  }
}

function ofAdapterError(error: AdapterError): HttpResult {
  const wait = Math.max(1, Math.ceil((error.retryAfterMs ?? ASK_AGAIN_AFTER_SECONDS * 1000) / 1000));
  return {
    status: 503,
    body: { error: unreachableText(error.platform) },
    headers: error.retry === 'never' ? {} : { 'retry-after': String(wait) },
  };
}

/** How soon a request may succeed while the database is away. */
const STORE_AWAY_SECONDS = 2;
/** How soon another instance may answer a request in place of one whose store was moved. */
export const STORE_MOVED_SECONDS = 10;

const INTERNAL: HttpResult = { status: 500, body: { error: 'Internal server error' } };

/** Has the error of a path that nothing serves rendered as a page, if a browser asked for one. */
export type ShowMissingPage = (c: Context<AppEnv>) => void;

function tell(c: Context<AppEnv>, error: HttpResult): Response | Promise<Response> {
  return c.get('errorPage')?.(error) ?? answer(c, error);
}

/**
 * Answers every error of this app, and logs defects and upstream failures. Unknown errors get a fixed sentence, because
 * their message may hold secrets.
 */
export function installErrorHandler(app: App, showMissingPage: ShowMissingPage): void {
  app.notFound((c) => {
    if (c.get('errorPage') === undefined) showMissingPage(c);
    return tell(c, ofFault({ code: 'route_not_found' }));
  });
  app.onError((error, c) => {
    if (error instanceof DomainError) return tell(c, ofRefusal(error.refusal));
    const log = c.get('request').log();
    if (error instanceof HttpError) {
      if (error.cause !== undefined)
        log.error({ error: summarizeError(error.cause) }, 'request could not be processed');
      if (error.fault.code === 'route_not_found') showMissingPage(c);
      return tell(c, ofFault(error.fault));
    }
    if (error instanceof AdapterError) {
      log.warn({ reason: error.reason, error: summarizeError(error) }, 'upstream request failed');
      return tell(c, ofAdapterError(error));
    }
    if (error instanceof StoreAway) {
      log.error({ error: summarizeError(error) }, 'database cannot be reached');
      return tell(c, ofFault({ code: 'unavailable', retryAfter: STORE_AWAY_SECONDS }));
    }
    if (error instanceof StoreMoved) {
      log.error({ error: summarizeError(error) }, 'database was moved');
      return tell(c, ofFault({ code: 'unavailable', retryAfter: STORE_MOVED_SECONDS }));
    }
    log.error({ error: summarizeError(error) }, 'request failed');
    return tell(c, INTERNAL);
  });
}
