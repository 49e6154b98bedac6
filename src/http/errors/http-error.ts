import type { Platform } from '../../domain/account.ts';

/** Faults of a request that are no refusals of the domain. Waits are whole seconds. */
export type HttpFault =
  | { readonly code: 'route_not_found' }
  | { readonly code: 'method_not_allowed'; readonly allowed: readonly string[] }
  | { readonly code: 'body_too_large'; readonly limit: number }
  | { readonly code: 'body_unreadable' }
  | { readonly code: 'body_encoded' }
  | { readonly code: 'rate_limited'; readonly limit: number; readonly retryAfter: number }
  /** What anyone may ask of accounts that they name, and only a client's key of all. */
  | { readonly code: 'names_or_key' }
  | { readonly code: 'foreign_origin' }
  | { readonly code: 'invalid_signature' }
  /** `retryAfter` is null when another try would fail the same way. */
  | { readonly code: 'chain_unreachable'; readonly retryAfter: number | null }
  | { readonly code: 'platform_unreachable'; readonly platform: Platform; readonly retryAfter: number | null }
  | { readonly code: 'unavailable'; readonly retryAfter: number }
  /** What the HTTP parser refuses. */
  | { readonly code: 'malformed_http'; readonly message: string }
  | { readonly code: 'request_timeout' | 'headers_too_long' | 'chunks_too_long' | 'expectation_unknown' }
  | { readonly code: 'internal' };

/** A refusal by the HTTP layer. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;

  constructor(fault: HttpFault, options?: { cause: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}
