import { type AnswerBasis, type NoteOddAnswer, plainPath } from '../domain/platforms/odd-answer.ts';
import { isRateLimit } from './retry-after.ts';

/** What a call has sent and got so far. */
export interface Exchange {
  method: string;
  /** With the query. */
  path: string;
  /** 0 until an answer begins. */
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** An exchange before its request. */
export function newExchange(): Exchange {
  return { method: '', path: '', status: 0, headers: {}, body: undefined };
}

/** Notes what a call has sent or got. */
export function fill(exchange: Exchange | undefined, parts: Partial<Exchange>): void {
  if (exchange !== undefined) Object.assign(exchange, parts);
}

/** The words in the paths of both platforms; other parts may be ids or names. */
const PATH_WORDS = new Set(
  (
    '2 v2 farcaster oauth2 token cast casts user users bulk by-address by_username username by me mentions tweets posts ' +
    'notifications conversation reactions reaction quotes followers following search signer webhook webhooks list activity ' +
    'subscriptions liking_users retweeted_by channel frame'
  ).split(' '),
);

/** Whether a status tells by itself that a call failed for now, whatever its body holds: gateways send pages of their own. */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || isRateLimit(status);
}

/** The statuses whose meaning is known, with the body that the platform documents. */
export function isKnownStatus(status: number): boolean {
  return isPassing(status) || [400, 401, 402, 403, 404, 409].includes(status);
}

/** Notes the answer of an exchange; there is nothing to note before one has arrived. */
export function noteExchange(
  note: NoteOddAnswer | undefined,
  { path, ...exchange }: Exchange,
  { service, secrets, basis = 'status' }: { service: string; secrets: readonly string[]; basis?: AnswerBasis },
): void {
  if (exchange.status === 0) return;
  note?.({ ...exchange, path: plainPath(path, PATH_WORDS), service, secrets, basis });
}
