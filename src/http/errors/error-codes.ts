import type { RefusalCode } from '../../domain/errors.ts';
import type { HttpFault } from './http-error.ts';

/** What a program tells errors apart by: the `code` of every error body. */
export type ErrorCode = RefusalCode | HttpFault['code'];

interface CodeFacts {
  readonly status: number;
  /** When it is answered, a sentence without a full stop. */
  readonly when: string;
}

/** Every code of an error, in the order of `docs/api.md`: what is wrong with the request, with what it asks for, and elsewhere. */
export const ERROR_CODES = {
  invalid_request: {
    status: 400,
    when: 'The request is malformed, or asks for what cannot be done; `error` says what',
  },
  validation_failed: { status: 400, when: 'The body is invalid; `details` has one sentence for each problem' },
  body_unreadable: { status: 400, when: 'The connection ended before the whole body arrived' },
  body_too_large: { status: 413, when: 'The body is larger than is read' },
  body_encoded: { status: 415, when: 'The body is compressed' },
  invalid_api_key: { status: 401, when: 'The API key is missing, unknown, revoked or expired' },
  names_or_key: {
    status: 401,
    when: 'Neither accounts are named nor an API key is sent, which would list all accounts',
  },
  scope_missing: { status: 403, when: 'The API key lacks the scope that the operation needs' },
  foreign_origin: { status: 403, when: 'A web page of another origin sent the request to `/mcp`' },
  key_reused: { status: 409, when: 'The Idempotency-Key was used with another body' },
  rate_limited: { status: 429, when: 'Too many requests; try again after `Retry-After` seconds' },
  invalid_cursor: { status: 400, when: 'The cursor names no event of this ledger, as after a backup was restored' },
  route_not_found: { status: 404, when: 'There is no such path' },
  method_not_allowed: { status: 405, when: 'The path does not take this method; `Allow` lists those that it takes' },
  gig_not_found: { status: 404, when: 'There is no such gig, or it is another client’s' },
  webhook_not_found: { status: 404, when: 'There is no such webhook, or it is another client’s' },
  too_many_webhooks: { status: 409, when: 'The client has as many webhooks as it may have' },
  account_not_found: { status: 404, when: 'No account of the platform has this handle' },
  chain_not_found: { status: 404, when: 'There is no such chain, or the service does not use it' },
  token_not_found: { status: 404, when: 'There is no token at this address of the chain' },
  gig_already_live: { status: 400, when: 'The gig is live, which the operation does not allow' },
  gig_ended: { status: 400, when: 'The gig was live and has ended' },
  gig_cancelled: { status: 400, when: 'The gig is cancelled' },
  gig_in_progress: { status: 409, when: 'Another request starts or changes the gig' },
  gig_not_funded: { status: 400, when: 'The gig’s wallet does not hold exactly what the gig needs' },
  not_gig_owner: { status: 403, when: 'The account does not own the gig' },
  owners_may_not: { status: 403, when: 'The gig’s client does not let its owners do this in the browser' },
  session_too_new: { status: 403, when: 'A session of an account may not do this in its first 10 minutes' },
  gig_not_running: { status: 400, when: 'The gig has not started, or its award period is over' },
  gig_not_stoppable: { status: 400, when: 'The gig is not live' },
  gig_not_settleable: { status: 400, when: 'The gig has not ended, is settled, or is not fully decided' },
  tips_by_rules_only: { status: 400, when: 'The gig awards tips by its rules alone' },
  reward_exceeded: { status: 400, when: 'The tips exceed what is left of the gig’s reward' },
  not_a_claim: { status: 400, when: 'The post does not ask to claim' },
  invalid_address: { status: 400, when: 'The post names an address that is not valid' },
  several_addresses: { status: 400, when: 'The post names several addresses' },
  no_verified_address: { status: 400, when: 'The author has no verified address, and the post names none' },
  no_address: { status: 400, when: 'The post names no address, which the platform needs' },
  post_too_old: { status: 400, when: 'The post is too old to claim by' },
  post_not_found: { status: 404, when: 'There is no such post' },
  no_tips: { status: 404, when: 'The author has nothing to claim' },
  platform_off: { status: 503, when: 'The operator has not configured the platform' },
  wallets_off: { status: 503, when: 'The operator has not configured wallets for gigs' },
  signing_off: { status: 503, when: 'The operator has not set the key that signs events' },
  invalid_signature: { status: 401, when: 'The signature of a platform’s webhook is missing or wrong' },
  chain_unreachable: { status: 503, when: 'The gig’s chain does not answer; nothing was changed' },
  platform_unreachable: { status: 503, when: 'The platform does not answer; nothing was changed' },
  unavailable: {
    status: 503,
    when: 'The service cannot process the request now; try again after `Retry-After` seconds',
  },
  malformed_http: { status: 400, when: 'The request is not valid HTTP/1.1' },
  request_timeout: { status: 408, when: 'The request did not arrive in time' },
  chunks_too_long: { status: 413, when: 'The chunk extensions of the request are too long' },
  expectation_unknown: { status: 417, when: 'The Expect header is not 100-continue' },
  headers_too_long: { status: 431, when: 'The headers of the request are too long' },
  internal: { status: 500, when: 'A defect of the service; its log has the `request_id`' },
} as const satisfies Record<ErrorCode, CodeFacts>;
