import { z } from '@hono/zod-openapi';
import type { Scope } from '../../domain/operators/actor.ts';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.ts';
import { type ApiError, errorResult } from '../errors/error-words.ts';
import { MAX_BODY_BYTES } from '../middleware/body.ts';

/** A time in epoch milliseconds as ISO 8601. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** As {@link iso}; null stays null. */
export function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}

const EXAMPLE_REQUEST_ID = '7f4df9a2-6c1e-4b7d-9d0e-2f1a4c5b6d7e';

/** A text is the message of an `invalid_request`. */
type Cause = ApiError | string;

function resultOf(cause: Cause) {
  const error = typeof cause === 'string' ? ({ code: 'invalid_request', message: cause } as const) : cause;
  return errorResult(error, EXAMPLE_REQUEST_ID);
}

/** An example of an error body. */
export function errorExample(cause: Cause) {
  return { value: resultOf(cause).body };
}

const errorCodeSchema = z
  .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
  .openapi('ErrorCode', { description: 'The kind of the error, for programs.' });

/** What every error body has beside its words. */
const errorFields = {
  code: errorCodeSchema,
  request_id: z
    .string()
    .openapi({ description: 'The `X-Request-Id` of the response, to find the request in the service’s log.' }),
};

/** An error in one sentence. */
export const errorSchema = z
  .object({ error: z.string().openapi({ description: 'What is wrong, in one sentence.' }), ...errorFields })
  .openapi('Error', { description: 'Why the request was refused.' });

/** The response for a wallet that holds too little. */
export const notFundedExample = {
  error: {
    message: 'Gig with id 123 is not funded',
    details: [
      'Expected amount: 100 DEGEN',
      'Actual amount: 0 DEGEN',
      'Token Address: 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
      'Chain: base',
      'Chain id: 8453',
      'Gig wallet address: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    ],
  },
  code: 'gig_not_funded' satisfies ErrorCode,
  request_id: EXAMPLE_REQUEST_ID,
};

/** Why a gig did not start: its wallet does not hold exactly the required amount. */
export const notFundedSchema = z
  .object({
    error: z
      .object({
        message: z.string().openapi({ description: 'What is wrong, in one sentence.' }),
        details: z.array(z.string()).openapi({
          description: 'Expected amount, actual amount, token address, chain, chain id and gig wallet address.',
        }),
      })
      .openapi({ description: 'The funding of the wallet.' }),
    ...errorFields,
  })
  .openapi('NotFunded', {
    description: 'The wallet does not hold exactly what the gig needs.',
    example: notFundedExample,
  });

/** All problems of a request. */
export const validationSchema = z
  .object({
    error: z.literal('Validation failed').openapi({ description: 'Always `Validation failed`.' }),
    details: z.array(z.string()).openapi({ description: 'One sentence for each problem.' }),
    ...errorFields,
  })
  .openapi('ValidationFailed', {
    description: 'All problems of a request.',
    example: errorExample({ code: 'validation_failed', details: ['url is required for like gigs'] }).value,
  });

/** A 400 with one sentence or a list of problems. */
export function badRequest(description: string, ...causes: readonly Cause[]) {
  const { content } = errorResponse(description, ...causes);
  const { examples } = content['application/json'];
  return {
    description,
    content: { 'application/json': { schema: z.union([errorSchema, validationSchema]), examples } },
  };
}

/** A moment as ISO 8601 in UTC. */
export const isoTime = z.iso.datetime().openapi({ example: '2026-11-21T09:30:00.000Z' });

/** A response whose body is an {@link errorSchema}, with examples of why. */
export function errorResponse(description: string, ...causes: readonly Cause[]) {
  const results = causes.map(resultOf);
  const examples = Object.fromEntries(results.map(({ body }, index) => [`example${index + 1}`, { value: body }]));
  const wait = results.map(({ headers }) => headers?.['retry-after']).find((seconds) => seconds !== undefined);
  return {
    description,
    ...(wait === undefined ? {} : { headers: retryAfter(wait) }),
    content: { 'application/json': { schema: errorSchema, examples } },
  };
}

function retryAfter(example: string) {
  return z.object({ 'Retry-After': z.string().openapi({ description: 'Seconds to wait.', example }) });
}

/** The gig of the document's examples. */
export const EXAMPLE_GIG = 123;

/** The response for a gig that is not there, or not the client's. */
export function gigMissing(description = 'There is no such gig') {
  return errorResponse(description, { code: 'gig_not_found', gigId: EXAMPLE_GIG });
}

/** The response while the gig's chain does not answer. */
export function chainAway(description = 'The chain does not answer; nothing was changed') {
  return errorResponse(description, { code: 'chain_unreachable', retryAfter: 5 });
}

/** The response while another request starts or changes the gig. */
export function inProgressResponse(description: string, ...others: readonly Cause[]) {
  return errorResponse(description, { code: 'gig_in_progress', gigId: EXAMPLE_GIG }, ...others);
}

/** The errors that any path under `/api` may return. */
export const apiErrors = {
  429: errorResponse('Too many requests from one client', { code: 'rate_limited', limit: 100, retryAfter: 42 }),
  500: errorResponse('An internal error', { code: 'internal' }),
} as const;

/** The document's description of an operation that needs a key with this scope. */
export function keyedBy(scope: Scope) {
  return { security: [{ apiKey: [] as string[] }], 'x-required-scope': scope };
}

/** The errors of any path under `/api`, and those of operations that need a scope, read a body or are idempotent. */
export function refusals(operation: { scope?: Scope; body?: boolean; once?: boolean } = {}) {
  const { scope, body, once } = operation;
  return {
    ...(scope && {
      401: errorResponse('The API key is missing, unknown, revoked or expired', { code: 'invalid_api_key' }),
      403: errorResponse(`The API key has neither the scope ${scope} nor operator`, {
        code: 'scope_missing',
        scope,
      }),
    }),
    ...(once && {
      409: errorResponse('The Idempotency-Key was used with another body', { code: 'key_reused' }),
    }),
    ...(body && {
      413: errorResponse('The body is too large', { code: 'body_too_large', limit: MAX_BODY_BYTES }),
      415: errorResponse('The body is compressed', { code: 'body_encoded' }),
    }),
    ...apiErrors,
  };
}

/** An answer in JSON. */
export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

/** A JSON body, by its name in the document. */
export function jsonBody<Schema extends z.ZodObject>(
  schema: Schema,
  name: string,
  description: string,
  example: object,
) {
  const documented = schema.openapi(name, { description, example });
  return { required: true, content: { 'application/json': { schema: documented } } } as const;
}
