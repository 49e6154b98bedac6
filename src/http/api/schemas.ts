import { z } from '@hono/zod-openapi';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.ts';
import { type ApiError, errorResult } from '../errors/error-words.ts';

/** A time in epoch milliseconds as ISO 8601. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** As {@link iso}; null stays null. */
export function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}

/** The gig of the document's examples. */
export const EXAMPLE_GIG = 123;

const EXAMPLE_REQUEST_ID = '7f4df9a2-6c1e-4b7d-9d0e-2f1a4c5b6d7e';

/** Why a request is refused; a text is the message of an `invalid_request`. */
export type Cause = ApiError | string;

function errorOf(cause: Cause): ApiError {
  return typeof cause === 'string' ? { code: 'invalid_request', message: cause } : cause;
}

function exampleOf(cause: Cause) {
  return errorResult(errorOf(cause), EXAMPLE_REQUEST_ID);
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

const errorSchema = z
  .object({ error: z.string().openapi({ description: 'What is wrong, in one sentence.' }), ...errorFields })
  .openapi('Error', { description: 'Why the request was refused.' });

/** The refusal of a gig whose wallet holds too little. */
export const NOT_FUNDED: Cause = {
  code: 'gig_not_funded',
  gigId: EXAMPLE_GIG,
  funding: {
    expected: 100n * 10n ** 18n,
    actual: 0n,
    token: {
      id: 1,
      createdAt: 0,
      chainId: 8453,
      address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
      isNative: false,
      name: 'Degen',
      symbol: 'DEGEN',
      decimals: 18,
      imageUrl: '',
      coingeckoId: null,
    },
    chain: { key: 'base', id: 8453 },
    walletAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  },
};

const notFundedSchema = z
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
    example: exampleOf(NOT_FUNDED).body,
  });

const validationSchema = z
  .object({
    error: z.literal('Validation failed').openapi({ description: 'Always `Validation failed`.' }),
    details: z.array(z.string()).openapi({ description: 'One sentence for each problem.' }),
    ...errorFields,
  })
  .openapi('ValidationFailed', {
    description: 'All problems of a request.',
    example: exampleOf({ code: 'validation_failed', details: ['url is required for like gigs'] }).body,
  });

const textField = (description: string) => z.string().openapi({ description });

const paymentSchema = z
  .object({
    x402Version: z.literal(2).openapi({ description: 'The version of x402.' }),
    error: textField('Why the gig is not paid, in the words of x402.'),
    resource: z
      .object({
        url: textField('Where the gig is paid for.'),
        description: textField('The gig, in words.'),
        mimeType: textField('The type of the answer.'),
      })
      .openapi({ description: 'What is paid for.' }),
    accepts: z
      .array(
        z.object({
          scheme: z.literal('exact').openapi({ description: 'A transfer of exactly the amount.' }),
          network: textField('The chain, as `eip155:` and its id.'),
          amount: textField('Reward and fee, in base units.'),
          asset: textField('The contract of the token.'),
          payTo: textField('The wallet of the gig.'),
          maxTimeoutSeconds: z.int().openapi({ description: 'How long the authorization must last.' }),
          extra: z
            .object({ name: textField('The name that is signed.'), version: textField('The version that is signed.') })
            .openapi({ description: 'The domain of EIP-712 of the token.' }),
        }),
      )
      .openapi({ description: 'The ways to pay: one, or none where no gig is named.' }),
    extensions: z.record(z.string(), z.unknown()).openapi({ description: '`gig.info.gig_id`: the id of the gig.' }),
    ...errorFields,
  })
  .openapi('PaymentRequired', { description: 'The payment required, also in the header `PAYMENT-REQUIRED`.' });

/** A moment as ISO 8601 in UTC. */
export const isoTime = z.iso.datetime().openapi({ example: '2026-11-21T09:30:00.000Z' });

function retryAfter(example: string) {
  return z.object({ 'Retry-After': z.string().openapi({ description: 'Seconds to wait.', example }) });
}

/** A response whose body is an error, with examples of why. */
export function errorResponse(description: string, causes: readonly Cause[], schema: z.ZodType = errorSchema) {
  const results = causes.map(exampleOf);
  const examples = Object.fromEntries(results.map(({ body }, index) => [`example${index + 1}`, { value: body }]));
  const wait = results.map(({ headers }) => headers?.['retry-after']).find((seconds) => seconds !== undefined);
  return {
    description,
    ...(wait === undefined ? {} : { headers: retryAfter(wait) }),
    content: { 'application/json': { schema, examples } },
  };
}

function codeFactsOf(cause: Cause) {
  const { code } = errorOf(cause);
  const { status, when } = ERROR_CODES[code];
  return { code, status, when };
}

/** The response to the causes of one status; it names their codes. */
function refusalOf(causes: readonly Cause[]) {
  const whens = new Map(causes.map(codeFactsOf).map(({ code, when }) => [code, when]));
  const said = [...whens].map(([code, when]) => `\`${code}\`: ${when}`).join('. ');
  const others = [
    ...(whens.has('validation_failed') ? [validationSchema] : []),
    ...(whens.has('gig_not_funded') ? [notFundedSchema] : []),
    ...(whens.has('payment_required') ? [paymentSchema] : []),
  ];
  return errorResponse(said, causes, others.length === 0 ? errorSchema : z.union([errorSchema, ...others]));
}

/** The responses to these causes, by status. */
export function refusals(causes: readonly Cause[]) {
  const byStatus = Map.groupBy(causes, (cause) => codeFactsOf(cause).status);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusalOf(those)]));
}

/** The refusal of a gig that is not there, or not the client's. */
export const GIG_MISSING: Cause = { code: 'gig_not_found', gigId: EXAMPLE_GIG };

/** The refusal while another request starts or changes the gig. */
export const GIG_IN_PROGRESS: Cause = { code: 'gig_in_progress', gigId: EXAMPLE_GIG };

/** The refusal while the gig's chain does not answer. */
export const CHAIN_AWAY: Cause = { code: 'chain_unreachable', retryAfter: 5 };

/** An answer in JSON. */
export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of most answers: what was asked for, under `data`. */
export function dataOf<Schema extends z.ZodType>(data: Schema) {
  return z.object({ data });
}

/** A JSON body, by its name in the document. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, name: string, description: string, example: object) {
  return { schema: schema.openapi(name, { description, example }), sample: JSON.stringify(example) };
}
