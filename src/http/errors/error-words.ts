import { formatAmount } from '../../domain/amount.ts';
import type { Refusal, Unsettleable } from '../../domain/errors.ts';
import { MOST_ENDPOINTS } from '../../domain/events/endpoint.ts';
import type { Funding } from '../../domain/gigs/gig.ts';
import { closedWords } from '../../domain/gigs/gig-end.ts';
import { capitalized } from '../../domain/gigs/gig-type.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { ERROR_CODES } from './error-codes.ts';
import type { HttpFault } from './http-error.ts';

/** An error that the API answers. */
export type ApiError = Refusal | HttpFault;

/** What an error says beside its code. */
interface ErrorWords {
  readonly error: string | { readonly message: string; readonly details: readonly string[] };
  readonly details?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** How soon a request may succeed that another one, or a network, has kept from it. */
export const ASK_AGAIN_AFTER_SECONDS = 5;

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
  undecided: 'cannot be settled yet: some of its accounts, shares or acts are undecided',
  settled: 'is settled already',
} as const satisfies Record<Unsettleable, string>;

const KEY_REUSED =
  'This Idempotency-Key was used with another body: send the same body to get the first response again, or use a new key';

function retryAfter(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'retry-after': String(seconds) };
}

function unreachable(what: string): string {
  return `${what} cannot be reached right now; nothing was changed, try again later`;
}

function wordsOf(error: ApiError): ErrorWords {
  switch (error.code) {
    case 'invalid_api_key':
      return { error: 'Invalid API key' };
    case 'scope_missing':
      return { error: `This API key lacks the scope ${error.scope}` };
    case 'invalid_request':
      return { error: error.message };
    case 'validation_failed':
      return { error: 'Validation failed', details: error.details };
    case 'not_a_claim':
      return { error: 'Message must contain "claim my rewards" with an optional Ethereum address' };
    case 'invalid_address':
      return { error: 'Invalid Ethereum address provided' };
    case 'several_addresses':
      return { error: 'Multiple Ethereum addresses found in the cast' };
    case 'no_verified_address':
    case 'no_address':
      return { error: 'No verified address found' };
    case 'post_too_old':
      return { error: 'The post is older than 24 hours' };
    case 'post_not_found':
      return { error: `${capitalized(platformFacts(error.platform).post)} not found` };
    case 'account_not_found':
      return { error: `No account of ${platformFacts(error.platform).label} has the handle ${error.username}` };
    case 'platform_off':
      return { error: `${platformFacts(error.platform).label} is turned off: the operator has not configured it` };
    case 'no_tips':
      return { error: 'No tips found' };
    case 'chain_not_found':
      return { error: 'Chain not found' };
    case 'token_not_found':
      return { error: `Token with address ${error.address} not found on chain ${error.chainKey}` };
    case 'wallets_off':
      return { error: 'Gig wallets are turned off: the operator has not set GIG_WALLET_MNEMONIC' };
    case 'key_reused':
      return { error: KEY_REUSED };
    case 'webhook_not_found':
      return { error: `Webhook with id ${error.webhookId} not found` };
    case 'too_many_webhooks':
      return { error: `A client may have ${MOST_ENDPOINTS} webhooks: delete one first` };
    case 'invalid_cursor':
      return { error: `The cursor names no event of this ledger: read again with after=${error.readFrom}` };
    case 'signing_off':
      return { error: 'Events are turned off: the operator has not set SIGNING_KEY' };
    case 'gig_not_running':
      return { error: `Gig with id ${error.gigId} ${closedWords(error.phase)}` };
    case 'tips_by_rules_only':
      return { error: `Gig with id ${error.gigId} awards tips by its rules alone: their tips_by_request is false` };
    case 'reward_exceeded':
      return {
        error: `The tips exceed the reward of gig with id ${error.gigId}: ${error.left} ${error.symbol} are left`,
      };
    case 'gig_not_found':
      return { error: `Gig with id ${error.gigId} not found` };
    case 'gig_already_live':
      return { error: 'Gig is already live' };
    case 'gig_ended':
      return { error: `Gig with id ${error.gigId} has ended` };
    case 'gig_cancelled':
      return { error: `Gig with id ${error.gigId} is cancelled` };
    case 'gig_not_stoppable':
      return { error: `Gig with id ${error.gigId} ${NOT_STOPPABLE[error.phase]}` };
    case 'gig_not_settleable':
      return { error: `Gig with id ${error.gigId} ${NOT_SETTLEABLE[error.why]}` };
    case 'gig_in_progress':
      return {
        error: `Gig with id ${error.gigId} is currently being processed`,
        headers: retryAfter(ASK_AGAIN_AFTER_SECONDS),
      };
    case 'gig_not_funded':
      return { error: notFunded(error.gigId, error.funding) };
    case 'not_gig_owner':
      return { error: `Only an owner of gig with id ${error.gigId} may ${error.act} it` };
    case 'owners_may_not':
      return {
        error: `The client of gig with id ${error.gigId} does not let its owners ${error.act} it: owners_may_award is false`,
      };
    case 'session_too_new':
      return {
        error: `Wait until 10 minutes after you signed in: then you can ${error.act} gig with id ${error.gigId}`,
      };
    case 'route_not_found':
      return { error: 'Not found' };
    case 'method_not_allowed':
      return {
        error: `This path takes ${error.allowed.join(', ')} only`,
        headers: { allow: error.allowed.join(', ') },
      };
    case 'body_too_large':
      return { error: `Body is larger than ${error.limit} bytes` };
    case 'body_encoded':
      return { error: 'Compressed bodies are not supported: send the body without Content-Encoding' };
    case 'body_unreadable':
      return { error: 'The connection ended before the whole body arrived' };
    case 'rate_limited':
      return {
        error: `Too many requests: at most ${error.limit} a minute are allowed`,
        // What was asked may need a key.
        headers: { ...retryAfter(error.retryAfter), 'cache-control': 'no-store' },
      };
    case 'names_or_key':
      return { error: 'Name accounts in identifiers, or send an API key, which lists all accounts' };
    case 'foreign_origin':
      return { error: 'Pages of other origins may not use this path' };
    case 'invalid_signature':
      return { error: 'Invalid signature' };
    case 'chain_unreachable':
      return { error: unreachable('The chain of this gig'), headers: retryAfter(error.retryAfter) };
    case 'platform_unreachable':
      return {
        error: unreachable(platformFacts(error.platform).label),
        headers: retryAfter(error.retryAfter),
      };
    case 'unavailable':
      return {
        error: 'The service cannot process this request right now; try again later',
        headers: retryAfter(error.retryAfter),
      };
    case 'malformed_http':
      return { error: error.message };
    case 'request_timeout':
      return { error: 'The request did not arrive in time' };
    case 'headers_too_long':
      return { error: 'The headers of the request are too long' };
    case 'chunks_too_long':
      return { error: 'The chunk extensions of the request are too long' };
    case 'expectation_unknown':
      return { error: 'Of the Expect header, only 100-continue is supported' };
    case 'internal':
      return { error: 'Internal server error' };
  }
}

/** The sentence of an error. */
export function errorText(error: ApiError): string {
  const { error: said } = wordsOf(error);
  return typeof said === 'string' ? said : said.message;
}

/** The response to a request that failed. */
export interface ErrorResult {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function errorResult(error: ApiError, requestId: string): ErrorResult {
  const { headers, ...words } = wordsOf(error);
  const { code } = error;
  return { status: ERROR_CODES[code].status, body: { ...words, code, request_id: requestId }, headers };
}
