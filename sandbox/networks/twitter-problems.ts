import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** How X marks a problem document (RFC 9457). */
export const PROBLEM_TYPE = { 'content-type': 'application/problem+json' } as const;

/** X's error body. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly type: string;
  readonly status: ContentfulStatusCode;
  /** What is wrong in particular. */
  readonly errors?: readonly { readonly message: string }[];
}

/** A problem without a list of what is wrong in particular. */
export function problem(status: ContentfulStatusCode, title: string, detail: string, type = 'about:blank'): Problem {
  return { title, detail, type, status };
}

/** X's refusal of every call while the spending cap of the account is reached, as operators have recorded it in 2026. */
export function spendCapReached(day: string): object {
  return {
    account_id: 1,
    title: 'SpendCapReached',
    detail: `Your enrolled account [1] has reached its billing cycle spend cap. API requests will be blocked until the next cycle begins on ${day}.`,
    reset_date: day,
    type: 'https://api.twitter.com/2/problems/credits',
  };
}

/** X's refusal of a malformed request: the reason stands in its list alone (docs.x.com, x-api/webhooks/quickstart). */
export function invalidRequest(reason: string): Problem {
  const detail = 'One or more parameters to your request was invalid.';
  const type = 'https://api.twitter.com/2/problems/invalid-request';
  return { ...problem(400, 'Invalid Request', detail, type), errors: [{ message: reason }] };
}

/** Answers with a problem. */
export function refuse(c: Context, body: Problem): Response {
  return c.json(body, body.status, PROBLEM_TYPE);
}
