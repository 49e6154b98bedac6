import { plain } from '../plain-text.ts';
import { refusalRow } from '../refusal-row.ts';
import type { Scope } from './actor.ts';

/** Names of the API and of settings inside problems that the console shows, and what they mean there. */
const FOR_PEOPLE = [
  ['so describe in words who earns', 'so choose to award from a list'],
  ['custom_bounty gigs', 'bounties'],
  ['custom_bounty', 'bounty'],
  ['must be hold, because hold gigs have no other rule', 'must be the one for holding a token'],
  [/ with [A-Z_]+=true$/, ''],
] as const;

/** A problem of a request, in words for people. */
export function problemForPeople(problem: string): string {
  return FOR_PEOPLE.reduce((text, [name, words]) => text.replace(name, words), problem);
}

const TOO_MUCH = /^award is more than max_amount, which is (.+)$/;

function sentenceForPeople(problem: string): string {
  const [, most] = TOO_MUCH.exec(problem) ?? [];
  return most === undefined ? `The ${problemForPeople(problem)}.` : `This gig pays at most ${most} per account.`;
}

/** What is wrong with a request itself, or with who makes it. */
export const REQUEST_REFUSALS = {
  invalid_request: refusalRow<{ readonly message: string }>(
    400,
    'The request is malformed, or asks for what cannot be done; `error` says what',
    { api: ({ message }) => message },
  ),
  /** Every problem of a request at once, a sentence each. */
  validation_failed: refusalRow<{ readonly details: readonly string[] }>(
    400,
    'The body is invalid; `details` has one sentence for each problem',
    {
      api: 'Validation failed',
      body: ({ details }, error) => ({ error, details }),
      person: ({ details }) => details.map(sentenceForPeople).join(' '),
      cli: ({ details }) => details.map((problem) => plain(problem)).join('\n'),
    },
  ),
  invalid_api_key: refusalRow(401, 'The API key is missing, unknown, revoked or expired', {
    api: 'Invalid API key',
    person: 'This API key is not valid. It may be mistyped, revoked or expired.',
    cli: 'The API key is not valid.',
  }),
  scope_missing: refusalRow<{ readonly scope: Scope }>(403, 'The API key lacks the scope that the operation needs', {
    api: ({ scope }) => `This API key lacks the scope ${scope}`,
    person: ({ scope }) => `This API key does not have the scope ${scope}, which is needed to log in.`,
    cli: ({ scope }) => `The API key lacks the scope ${scope}.`,
  }),
  key_reused: refusalRow(409, 'The Idempotency-Key was used with another body', {
    api: 'This Idempotency-Key was used with another body: send the same body to get the first response again, or use a new key',
    person: 'This form was already sent with other values. Reload the page and try again.',
    cli: 'The idempotency key was used for another request: use a new key, or send the same request again.',
  }),
};
