import { z } from 'zod';

/** What the service's public API answered. */
export interface ApiAnswer {
  /** `POST /api/gigs/start` */
  readonly request: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly body: unknown;
  /** Epoch ms. */
  readonly at: number;
}

/** The service's API as any client has it: over HTTP, with a key. Nothing throws; no answer is an answer too. */
export interface ServiceApi {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: object): Promise<ApiAnswer>;
  patch(path: string, body: object): Promise<ApiAnswer>;
}

/** A claim may wait 20 s for its confirmations. */
const PATIENCE_MS = 25_000;

/** A client of the service at `url`. */
export function createServiceApi(options: { url: string; apiKey: string; clock: () => number }): ServiceApi {
  const { url, apiKey, clock } = options;

  async function call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ApiAnswer> {
    const request = `${method} ${path}`;
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await answer.text();
      return { request, status: answer.status, body: parse(text), at: clock() };
    } catch {
      // Down, restarting or too slow: the page shows just that.
      return { request, status: null, body: null, at: clock() };
    }
  }

  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const started = z.object({ data: z.object({ message: z.string() }) });
const refused = z.object({
  error: z.union([z.string(), z.object({ message: z.string(), details: z.array(z.string()) })]),
});
const payment = z.object({ amount: z.string(), token_symbol: z.string() });
const claimed = z.object({
  transactions: z.object({
    successful: z.array(payment),
    failed: z.array(payment),
    pending: z.array(payment),
  }),
  summary: z.object({ recipient: z.string() }),
});
const claimable = z.object({
  data: z.record(
    z.string(),
    z.object({
      token: z.object({ symbol: z.string() }),
      totalValue: z.number(),
      tips: z.array(z.unknown()),
      gigCount: z.number(),
    }),
  ),
});

/** One token that an account can claim, as the API answers it. */
export interface ClaimableLine {
  readonly symbol: string;
  readonly total: number;
  readonly tips: number;
  readonly gigs: number;
}

/** What a look-up answered; null when it did not. */
export function readClaimable({ status, body }: ApiAnswer): ClaimableLine[] | null {
  const answer = claimable.safeParse(body);
  if (status !== 200 || !answer.success) return null;
  return Object.values(answer.data.data).map(({ token, totalValue, tips, gigCount }) => ({
    symbol: token.symbol,
    total: totalValue,
    tips: tips.length,
    gigs: gigCount,
  }));
}

function describePayments(words: string, payments: readonly z.infer<typeof payment>[]): string[] {
  if (payments.length === 0) return [];
  return [`${words} ${payments.map(({ amount, token_symbol }) => `${amount} ${token_symbol}`).join(', ')}.`];
}

/** Whether an answer is the refusal of a start because the gig's wallet does not hold what it must. */
export function isNotFunded({ body }: ApiAnswer): boolean {
  const answer = refused.safeParse(body);
  return answer.success && typeof answer.data.error === 'object' && answer.data.error.message.endsWith('is not funded');
}

/** An answer of the API in one or two sentences. */
export function describeAnswer({ status, body }: ApiAnswer): string {
  if (status === null) return 'The service did not answer: it is down or restarting.';
  const start = started.safeParse(body);
  if (start.success) return `${status}: ${start.data.data.message}.`;
  const claim = claimed.safeParse(body);
  if (claim.success) {
    const { successful, pending, failed } = claim.data.transactions;
    const sentences = [
      ...describePayments('paid', successful),
      ...describePayments('under way', pending),
      ...describePayments('not paid', failed),
    ];
    return `${status}, to ${claim.data.summary.recipient}: ${sentences.join(' ')}`;
  }
  const refusal = refused.safeParse(body);
  if (!refusal.success) return `The service answered ${status}.`;
  const { error } = refusal.data;
  return typeof error === 'string'
    ? `${status}: ${error}.`
    : `${status}: ${error.message}. ${error.details.join('. ')}.`;
}
