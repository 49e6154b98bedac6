import type { Platform } from '../../domain/account.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { type RefusalBy, refusalRow, waitHeader } from '../../domain/refusal-row.ts';

/** `retryAfter` is null when another try would fail the same way. */
interface Wait {
  readonly retryAfter: number | null;
}

function unreachable(what: string): string {
  return `${what} cannot be reached right now; nothing was changed, try again later`;
}

/** Faults of a request that are no refusals of the domain. Waits are whole seconds. */
export const HTTP_FAULTS = {
  body_unreadable: refusalRow(400, 'The connection ended before the whole body arrived'),
  body_too_large: refusalRow<{ readonly limit: number }>(413, 'The body is larger than is read', {
    api: ({ limit }) => `Body is larger than ${limit} bytes`,
  }),
  body_encoded: refusalRow(415, 'The body is compressed', {
    api: 'Compressed bodies are not supported: send the body without Content-Encoding',
  }),
  names_or_key: refusalRow(401, 'Neither accounts are named nor an API key is sent, which would list all accounts', {
    api: 'Name accounts in identifiers, or send an API key, which lists all accounts',
  }),
  foreign_origin: refusalRow(403, 'A web page of another origin sent the request to `/mcp`', {
    api: 'Pages of other origins may not use this path',
  }),
  rate_limited: refusalRow<Wait & { readonly limit: number }>(
    429,
    'Too many requests; try again after `Retry-After` seconds',
    {
      api: ({ limit }) => `Too many requests: at most ${limit} a minute are allowed`,
      // What was asked may need a key.
      headers: (fault) => ({ ...waitHeader(fault.retryAfter), 'cache-control': 'no-store' }),
    },
  ),
  route_not_found: refusalRow(404, 'There is no such path', { api: 'Not found' }),
  method_not_allowed: refusalRow<{ readonly allowed: readonly string[] }>(
    405,
    'The path does not take this method; `Allow` lists its methods',
    {
      api: ({ allowed }) => `This path takes ${allowed.join(', ')} only`,
      headers: ({ allowed }) => ({ allow: allowed.join(', ') }),
    },
  ),
  invalid_signature: refusalRow(401, 'The signature of a platform’s webhook is missing or wrong', {
    api: 'Invalid signature',
  }),
  chain_unreachable: refusalRow<Wait>(503, 'The gig’s chain does not answer; nothing was changed', {
    api: unreachable('The chain of this gig'),
    headers: (fault) => waitHeader(fault.retryAfter),
  }),
  platform_unreachable: refusalRow<Wait & { readonly platform: Platform }>(
    503,
    'The platform does not answer; nothing was changed',
    {
      api: ({ platform }) => unreachable(platformFacts(platform).label),
      headers: (fault) => waitHeader(fault.retryAfter),
    },
  ),
  unavailable: refusalRow<Wait>(
    503,
    'The service cannot process the request now; try again after `Retry-After` seconds',
    {
      api: 'The service cannot process this request right now; try again later',
      headers: (fault) => waitHeader(fault.retryAfter),
    },
  ),
  malformed_http: refusalRow<{ readonly message: string }>(400, 'The request is not valid HTTP/1.1', {
    api: ({ message }) => message,
  }),
  request_timeout: refusalRow(408, 'The request did not arrive in time'),
  chunks_too_long: refusalRow(413, 'The chunk extensions of the request are too long'),
  expectation_unknown: refusalRow(417, 'The Expect header is not 100-continue', {
    api: 'Of the Expect header, only 100-continue is supported',
  }),
  headers_too_long: refusalRow(431, 'The headers of the request are too long'),
  internal: refusalRow(500, 'A defect of the service; its log has the `request_id`', { api: 'Internal server error' }),
};

/** A fault of a request, with the facts to describe it. */
export type HttpFault = RefusalBy<typeof HTTP_FAULTS, keyof typeof HTTP_FAULTS>;
