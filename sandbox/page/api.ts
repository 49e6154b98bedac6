import { z } from 'zod';
import { StepError } from '../step-error.ts';

/** What the service's API answered to a request as `POST /api/gigs/start`; the status is null when it did not. */
export interface ApiAnswer {
  readonly request: string;
  readonly status: number | null;
  readonly body: unknown;
}

/** A claim may wait 20 s for its confirmations. */
const PATIENCE_MS = 25_000;

/** A client of the service at `url`, as any: over HTTP, with a key. It never throws; no answer is an answer too. */
export function createServiceApi({ url, apiKey }: { url: string; apiKey: string }) {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  return async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ApiAnswer> => {
    const request = `${method} ${path}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(`${url}${path}`, { method, headers, signal, ...sent });
      return { request, status: answer.status, body: await answer.json() };
    } catch {
      // Down, restarting or too slow: the page shows just that.
      return { request, status: null, body: null };
    }
  };
}

const started = z.object({ data: z.object({ message: z.string() }) });
const detailed = z.object({ message: z.string(), details: z.array(z.string()) });
const refused = z.object({ error: z.union([z.string(), detailed]) });
const payments = z.array(z.object({ amount: z.string(), token_symbol: z.string() }));
const claimed = z.object({
  transactions: z.object({ successful: payments, pending: payments, failed: payments }),
  summary: z.object({ recipient: z.string() }),
});

/** An answer of the API in one or two sentences. */
export function describeAnswer({ status, body }: ApiAnswer): string {
  if (status === null) return 'The service did not answer: it is down or restarting.';
  const start = started.safeParse(body);
  if (start.success) return `${status}: ${start.data.data.message}.`;
  const { data: claim } = claimed.safeParse(body);
  if (claim !== undefined) {
    const { successful, pending, failed } = claim.transactions;
    const sums = Object.entries({ paid: successful, 'under way': pending, 'not paid': failed })
      .filter(([, paid]) => paid.length > 0)
      .map(([words, paid]) => `${words} ${paid.map((one) => `${one.amount} ${one.token_symbol}`).join(', ')}.`);
    return `${status}, to ${claim.summary.recipient}: ${sums.join(' ')}`;
  }
  const error = refused.safeParse(body).data?.error;
  if (error === undefined) return `The service answered ${status}.`;
  return `${status}: ${(typeof error === 'string' ? [error] : [error.message, ...error.details]).join('. ')}.`;
}

/** The body of an answer, which is as the schema says. @throws StepError with the answer in words when it is not */
export function mustAnswer<T>(schema: z.ZodType<T>, answer: ApiAnswer): T {
  const { data } = schema.safeParse(answer.body);
  if (data === undefined) throw new StepError(describeAnswer(answer));
  return data;
}
