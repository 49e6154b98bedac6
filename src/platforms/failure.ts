import { AdapterError, type Retry } from '../domain/errors.ts';
import { retryAfterMs } from './retry-after.ts';

/** One call to a platform, as far as its failure is concerned. */
export interface Call {
  /** `Neynar` or `X`. */
  readonly network: string;
  /** What was asked, in our words. */
  readonly what: string;
  /** Whether it posts something: then an unclear outcome must be looked up before it is done again. */
  readonly sends: boolean;
}

/** An answer with an error status. `detail` is the platform's own explanation, already free of secrets. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly detail: string;
  readonly cause: unknown;
}

const MAX_DETAIL = 200;

/** Failures that happen before a request's first byte leaves: name look-up and the TLS handshake. */
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

/** The code of what stops a request right before it is written, because its time is over. */
export const TOO_LATE = 'TOO_LATE';

const TIMEOUTS = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ABORT_ERR', 'DEADLINE']);

/** What may be repeated after a failure that leaves open whether the request was carried out. */
export function unclear(call: Call): Retry {
  return call.sends ? 'unknown' : 'safe';
}

/** Cuts a foreign explanation to one short line without any of the secrets. */
export function safeDetail(detail: string, secrets: readonly string[]): string {
  const line = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), detail)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}

/**
 * A foreign error reduced to name, message and code. SDK errors carry the request, and with it every credential;
 * anything that prints an error whole would print those.
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

/** An answer whose status says that the call failed. `now` is epoch ms. */
export function answerFailure(answer: ErrorAnswer, call: Call, now: number): AdapterError {
  const { status, headers, cause } = answer;
  const message = sentence(call, status, answer.detail);
  const delay = retryAfterMs(headers, now);
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

/** An answer that came with a good status and is not what was asked for: HTML, broken JSON, a missing field. */
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
  // Node reports one failure for each address of a name together.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(nothingSent);
  if (NOTHING_SENT.has(field(error, 'code')) || field(error, 'syscall') === 'connect') return true;
  return error instanceof Error && error.cause !== undefined && nothingSent(error.cause);
}

/** No whole answer came. `safe` to repeat when nothing had left this machine. */
export function networkFailure(error: unknown, call: Call, cause: unknown): AdapterError {
  const code = field(error, 'code');
  if (code === TOO_LATE) {
    const message = `${call.network} was not called for “${call.what}”: its time was over`;
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
