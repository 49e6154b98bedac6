import { z } from 'zod';
import { AdapterError } from '../../domain/errors.ts';
import type { AnswerBasis } from '../../domain/platforms/odd-answer.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { isKnownStatus, isPassing } from '../exchange.ts';
import {
  type Answered,
  answerFailure,
  badAnswer,
  type Call,
  networkFailure,
  pageFailure,
  reducedCause,
  safeDetail,
  unclear,
} from '../failure.ts';

function text(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}

/**
 * The explanation in an error body: a problem document, `{code, message}` (both in X's OpenAPI), or a list of messages,
 * which is more specific than the other fields.
 */
function explanation(data: unknown): string {
  const general = text(data, 'detail') || text(data, 'message') || text(data, 'title');
  const errors: unknown = typeof data === 'object' && data !== null && 'errors' in data ? data.errors : undefined;
  const particular = Array.isArray(errors) ? text(errors[0], 'message') || text(errors[0], 'detail') : '';
  return general.includes(particular) ? general : `${general} ${particular}`.trim();
}

/** The last path segment of a problem's type; the SDK's own constants hold URLs that X no longer uses. */
function problemType(data: unknown): string {
  return text(data, 'type').split('/').at(-1)?.split('#').at(-1) ?? '';
}

/** The body may not have been parsed: the status is enough. */
function answerOf(error: unknown): Answered | null {
  if (!(error instanceof Error) || !('type' in error)) return null;
  if (error.type === 'response' && 'code' in error && typeof error.code === 'number') {
    const headers = 'headers' in error && typeof error.headers === 'object' ? { ...error.headers } : {};
    return { status: error.code, headers, data: 'data' in error ? error.data : undefined };
  }
  if (error.type !== 'partial-response' || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null || !('statusCode' in response)) return null;
  if (typeof response.statusCode !== 'number') return null;
  const headers = 'headers' in response && typeof response.headers === 'object' ? { ...response.headers } : {};
  return { status: response.statusCode, headers, data: undefined };
}

/** The SDK keeps the network error only in a hidden field. */
function networkCause(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const hidden: unknown = Reflect.get(error, '_options');
  const inner: unknown = typeof hidden === 'object' && hidden !== null ? Reflect.get(hidden, 'error') : undefined;
  return inner ?? error;
}

/** X's problem types of its caps: the spending cap of the account (as a 403) and the usage cap of the product (a 429). */
const CAPS = new Set(['credits', 'usage-capped']);
/** The same by title, because the list of types is X's to change. */
const CAP_TITLES = new Set(['SpendCapReached', 'UsageCapExceeded']);
/** A billing cycle is a month: a date further off is not believed. */
const LONGEST_CAP_MS = 32 * DAY_MS;

/** Until when X blocks the account for a cap that is reached, epoch ms; undefined for any other answer. */
function capEnd(data: unknown, now: number): number | undefined {
  if (!CAPS.has(problemType(data)) && !CAP_TITLES.has(text(data, 'title'))) return undefined;
  const reset = Date.parse(text(data, 'reset_date'));
  // X gives a day without its zone, so the cap may last into it.
  if (reset <= now) return now + HOUR_MS;
  return Number.isNaN(reset) ? now + DAY_MS : Math.min(reset, now + LONGEST_CAP_MS);
}

/** Refusals of the whole app or account, independent of the post: the queue waits for the operator. */
const ACCOUNT_PROBLEMS = new Set([
  'client-forbidden',
  'unsupported-authentication',
  'oauth1-permissions',
  'user-suspended',
]);
/**
 * The same as messages that X addresses to the account or app (docs.x.com, fundamentals/response-codes-and-errors: 64,
 * 220, 261, 326, 453). An author who “has been suspended” concerns only that author's posts.
 */
const OWN_ACCOUNT =
  /\b(your|this) account\b.*\b(suspended|locked|not permitted)\b|\bapp permissions\b|credentials do not allow access|application cannot perform|have access to a subset of/i;
/** The reply rule in X's words since February 2026 (docs.x.com, changelog) and since July 2026. */
const NOT_ENGAGED =
  /not been mentioned or otherwise engaged|only reply to or quote posts where you are mentioned or are the author/i;
const POST_IS_GONE = /\b(deleted|not visible to you)\b/i;

/**
 * What a 403 means; X gives the reason only in words: the reply rule, a duplicate, perhaps of our earlier attempt, or a
 * refusal of the account. Other 403s concern one post: deleted, protected, or its author restricts replies, blocks the
 * bot or is suspended.
 */
function refusal(data: unknown, message: string, cause: unknown): AdapterError | null {
  const detail = explanation(data);
  if (NOT_ENGAGED.test(detail)) {
    return new AdapterError({ reason: 'not_engaged', retry: 'never', message, cause });
  }
  if (/duplicate content/i.test(detail)) {
    return new AdapterError({ reason: 'duplicate', retry: 'unknown', message, cause });
  }
  if (ACCOUNT_PROBLEMS.has(problemType(data)) || OWN_ACCOUNT.test(detail)) {
    return new AdapterError({ reason: 'unauthorized', retry: 'safe', message, cause });
  }
  if (POST_IS_GONE.test(detail)) return new AdapterError({ reason: 'not_found', retry: 'never', message, cause });
  return null;
}

/** Converts any SDK error to an AdapterError. `now` is epoch ms. */
export function xFailure(
  error: unknown,
  call: Call,
  context: { now: number; secrets: readonly string[] },
): AdapterError {
  const { now, secrets } = context;
  const answer = answerOf(error);
  const root = answer === null ? networkCause(error) : error;
  const cause = reducedCause(root, secrets);
  if (answer === null) return networkFailure(root, call, cause);
  // A good status with an SDK error: the response body was cut off or is not JSON.
  if (answer.status < 400) return badAnswer(call, 'the answer broke off or is not JSON', cause);
  const isJson = typeof answer.data === 'object' && answer.data !== null;
  const page = pageFailure({ status: answer.status, isJson, cause }, call);
  if (page !== null) return page;
  const detail = safeDetail(explanation(answer.data), secrets);
  const failure = answerFailure({ status: answer.status, headers: answer.headers, detail, cause }, call, now);
  const { message } = failure;
  const blockedUntil = capEnd(answer.data, now);
  if (blockedUntil !== undefined) {
    return new AdapterError({ reason: 'payment_required', retry: 'safe', message, blockedUntil, cause });
  }
  return answer.status === 403 ? (refusal(answer.data, message, cause) ?? failure) : failure;
}

/** The problem types by which X says that there is no such object, or none for the bot (X's OpenAPI 2.167). */
const ABSENT = new Set([
  'resource-not-found',
  'not-authorized-for-resource',
  'disallowed-resource',
  'resource-unavailable',
]);

/** The other problem types that X documents (X's OpenAPI 2.167, and `credits-depleted` of its API in 2026); '' is about:blank. */
const DOCUMENTED = new Set([
  '',
  'about:blank',
  'client-disconnected',
  'conflict',
  'credits-depleted',
  'duplicate-rules',
  'internal-error',
  'invalid-request',
  'invalid-rules',
  'noncompliant-rules',
  'not-authorized-for-field',
  'operational-disconnect',
  'rate-limit-exceeded',
  'rule-cap',
  'streaming-connection',
]);

function isKnownType(data: unknown): boolean {
  const type = problemType(data);
  return DOCUMENTED.has(type) || ABSENT.has(type) || ACCOUNT_PROBLEMS.has(type) || CAPS.has(type);
}

/** Whether words that are known tell what a 403 means. */
function hasKnownWords(data: unknown): boolean {
  const detail = explanation(data);
  return [NOT_ENGAGED, /duplicate content/i, OWN_ACCOUNT, POST_IS_GONE].some((words) => words.test(detail));
}

/** By what an answer is classified although it is not understood; null for one that is understood. */
function oddBasis({ status, data }: Answered): AnswerBasis | null {
  if (!isKnownType(data)) return hasKnownWords(data) && status === 403 ? 'words' : 'status';
  if (isPassing(status)) return null;
  if (!isKnownStatus(status) || explanation(data) === '') return 'status';
  const isTold =
    ACCOUNT_PROBLEMS.has(problemType(data)) || CAP_TITLES.has(text(data, 'title')) || ABSENT.has(problemType(data));
  return status !== 403 || isTold || CAPS.has(problemType(data)) || hasKnownWords(data) ? null : 'status';
}

/** As {@link oddBasis}, of the error of a call or of a 200 that holds errors. */
export function basisOfOdd(error: unknown): AnswerBasis | null {
  const answer = answerOf(error);
  if (answer !== null) return answer.status < 400 ? null : oddBasis(answer);
  const inside = withoutData.safeParse(error).data?.errors ?? [];
  return inside.every(isKnownType) ? null : 'status';
}

const withoutData = z.object({ errors: z.array(z.unknown()).min(1), data: z.undefined().optional() });

/**
 * The failure in a 200 without `data`, whose `errors` may say that the object is absent, or that X has failed: that
 * proves no absence. Null for every other answer.
 */
export function failureInside(answer: unknown, call: Call, secrets: readonly string[]): AdapterError | null {
  const failed = withoutData.safeParse(answer).data?.errors.find((error) => !ABSENT.has(problemType(error)));
  if (failed === undefined) return null;
  const detail = safeDetail(explanation(failed), secrets);
  const message = `X answered 200 with an error to “${call.what}”${detail === '' ? '' : `: ${detail}`}`;
  return new AdapterError({ reason: 'server_error', retry: unclear(call), message });
}
