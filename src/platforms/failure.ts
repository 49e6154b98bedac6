import { AdapterError, type Retry } from '../domain/errors.ts';
import { retryAfterMs } from './retry-after.ts';

/** The facts about a call that its errors need. */
export interface Call {
  /** `Neynar` or `X`. */
  readonly network: string;
  /** The purpose of the call, in our words. */
  readonly what: string;
  /** Whether it posts something: then an unclear outcome must be looked up before a retry. */
  readonly sends: boolean;
}

/** An error response. `detail` is the platform's own explanation, already free of secrets. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly detail: string;
  readonly cause: unknown;
}

/** An error response as an SDK's error holds it; `data` is its body, if that could be read. */
export interface Answered {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly data: unknown;
}

const MAX_DETAIL = 200;

/** Failures before a request's first byte leaves: name look-up and the TLS handshake. */
const NOTHING_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_INVALID_PROTOCOL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The code of the error that stops a request right before it is written, because its time limit has passed. */
export const TOO_LATE = 'TOO_LATE';

const TIMEOUTS = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ABORT_ERR', 'DEADLINE']);

/** How to retry after a failure that leaves open whether the request was carried out. */
export function unclear(call: Call): Retry {
  return call.sends ? 'unknown' : 'safe';
}

/** Cuts a foreign explanation to one short line without secrets. */
export function safeDetail(detail: string, secrets: readonly string[]): string {
  const line = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), detail)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}

/**
 * Reduces a foreign error to name, message and code. SDK errors carry the request with all credentials, and printing a
 * whole error would print those.
 */
export function reducedCause(error: unknown, secrets: readonly string[]): Error {
  if (!(error instanceof Error)) return new Error(safeDetail(String(error), secrets));
  const reduced = new Error(safeDetail(error.message, secrets));
  reduced.name = error.name;
  return Object.assign(reduced, 'code' in error && typeof error.code === 'string' ? { code: error.code } : {});
}

function sentence(call: Call, status: number, detail: string): string {
  return `${call.network} answered ${status} to “${call.what}”${detail === '' ? '' : `: ${detail}`}`;
}

/** The error for a response with an error status. `now` is epoch ms. */
export function answerFailure(answer: ErrorAnswer, call: Call, now: number): AdapterError {
  const { status, cause } = answer;
  const message = sentence(call, status, answer.detail);
  const delay = retryAfterMs(answer, now);
  switch (status) {
    case 401:
      return new AdapterError({ reason: 'unauthorized', retry: 'safe', message, cause });
    case 402:
      return new AdapterError({ reason: 'payment_required', retry: 'safe', message, cause });
    case 403:
      return new AdapterError({ reason: 'forbidden', retry: 'never', message, cause });
    case 404:
      return new AdapterError({ reason: 'not_found', retry: 'never', message, cause });
    case 408:
      return new AdapterError({ reason: 'timeout', retry: unclear(call), message, cause });
    case 409:
      return new AdapterError({ reason: 'duplicate', retry: unclear(call), message, cause });
    case 420:
    case 429:
      return new AdapterError({ reason: 'rate_limited', retry: 'safe', message, retryAfterMs: delay, cause });
  }
  if (status >= 500) {
    return new AdapterError({ reason: 'server_error', retry: unclear(call), message, retryAfterMs: delay, cause });
  }
  if (status >= 400) return new AdapterError({ reason: 'rejected', retry: 'never', message, cause });
  return new AdapterError({ reason: 'bad_response', retry: unclear(call), message, cause });
}

/**
 * The error for a page with 403 or 404, or null for another answer. Platforms refuse, and say that an object is absent, in JSON: a
 * page comes from something in front of their API, and proves neither.
 */
export function pageFailure(
  { status, isJson, cause }: { readonly status: number; readonly isJson: boolean; readonly cause: unknown },
  call: Call,
): AdapterError | null {
  const isPage = (status === 403 || status === 404) && !isJson;
  return isPage ? badAnswer(call, `it is a page that says ${status}`, cause) : null;
}

/** The error for a response with a good status but an unexpected body: HTML, broken JSON, a missing field. */
export function badAnswer(call: Call, detail: string, cause?: unknown): AdapterError {
  return new AdapterError({
    reason: 'bad_response',
    retry: unclear(call),
    message: `${call.network} gave no usable answer to “${call.what}”: ${detail}`,
    cause,
  });
}

function field(error: unknown, name: 'code' | 'syscall' | 'message'): string {
  if (typeof error !== 'object' || error === null || !(name in error)) return '';
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}

function nothingSent(error: unknown): boolean {
  // Node combines the failures for all addresses of a name.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(nothingSent);
  if (NOTHING_SENT.has(field(error, 'code')) || field(error, 'syscall') === 'connect') return true;
  return error instanceof Error && error.cause !== undefined && nothingSent(error.cause);
}

/** The error when no complete response arrived. `safe` to repeat if no byte had left this machine. */
export function networkFailure(error: unknown, call: Call, cause: unknown): AdapterError {
  const code = field(error, 'code');
  if (code === TOO_LATE) {
    const message = `${call.network} was not called for “${call.what}”: the deadline had passed`;
    return new AdapterError({ reason: 'too_late', retry: 'safe', message, cause });
  }
  const timedOut = TIMEOUTS.has(code) || /timeout/i.test(field(error, 'message'));
  return new AdapterError({
    reason: timedOut ? 'timeout' : 'unreachable',
    retry: nothingSent(error) ? 'safe' : unclear(call),
    message: `${call.network} ${timedOut ? 'did not answer in time' : 'could not be reached'} for “${call.what}”${code === '' ? '' : ` (${code})`}`,
    cause,
  });
}
