import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';

/** The context of a network's HTTP routes: Node's own request and response are at hand. */
export type NetworkEnv = { Bindings: HttpBindings };

const API_FAULTS = [
  'none',
  /** The work is done, then the connection is cut. */
  'drop_answer',
  'rate_limited',
  'payment_required',
  'unauthorized',
  'server_error',
  /** A gateway's HTML page. */
  'html',
  /** No answer ever. */
  'hang',
] as const;
export type ApiFault = (typeof API_FAULTS)[number];

const WEBHOOK_FAULTS = ['normal', 'twice', 'late', 'never'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

const ANSWER_FAULTS = [
  'sound',
  /** Every page of a list names itself as the next one. */
  'looping_cursor',
  /** Before each page of a list comes an empty one, which names that one as the next. */
  'empty_page',
  /** A bulk answer lacks the first user that was asked for. */
  'missing_users',
  /** No user has a score. */
  'no_score',
  /** A 200 whose JSON breaks off. */
  'broken',
] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

/** What goes wrong at the moment. The fields may be set at any time. */
export interface Faults {
  api: ApiFault;
  /** How many more calls it hits; null for all until it is turned off. */
  remaining: number | null;
  /** Which calls it hits: those that post, those that send notifications, or any. */
  route: 'reply' | 'notification' | 'any';
  webhook: WebhookFault;
  /** How late `late` is, in milliseconds. */
  lateMs: number;
  /** How Farcaster's API answers what only reads, where it answers; X knows `sound` alone. */
  answers: AnswerFault;
}

/** Nothing wrong. */
export const NO_FAULTS: Readonly<Faults> = {
  api: 'none',
  remaining: null,
  route: 'any',
  webhook: 'normal',
  lateMs: 500,
  answers: 'sound',
};

/** The body of `PUT /sandbox/faults`: what is left out is as in {@link NO_FAULTS}. */
export const faultsBody = z.strictObject({
  api: z.enum(API_FAULTS).default(NO_FAULTS.api),
  remaining: z.int().positive().nullable().default(NO_FAULTS.remaining),
  route: z.enum(['reply', 'notification', 'any']).default(NO_FAULTS.route),
  webhook: z.enum(WEBHOOK_FAULTS).default(NO_FAULTS.webhook),
  lateMs: z.int().nonnegative().default(NO_FAULTS.lateMs),
  answers: z.enum(ANSWER_FAULTS).default(NO_FAULTS.answers),
});

/** The kinds of calls that faults tell apart; `reply` is one that posts. */
type FaultedCall = 'reply' | 'notification' | 'other';

/** A fault hit a call of the service's. */
export interface FaultEvent {
  readonly type: 'faulted';
  readonly fault: ApiFault;
  readonly call: FaultedCall;
}

/** Takes the fault that hits this call, and counts it. */
export function takeFault(faults: Faults, call: FaultedCall): ApiFault {
  if (faults.api === 'none' || (faults.route !== 'any' && faults.route !== call)) return 'none';
  const fault = faults.api;
  if (faults.remaining !== null) {
    faults.remaining -= 1;
    if (faults.remaining <= 0) {
      faults.api = 'none';
      faults.remaining = null;
    }
  }
  return fault;
}

/** A network's own words for an outage. */
export type Outages = Record<
  'rate_limited' | 'payment_required' | 'unauthorized' | 'server_error',
  () => { status: number; headers?: Record<string, string>; body: object }
>;

const HTML = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>';

/** Lets the faults happen to a network's API. `posts` and `notifies` tell which requests do so. */
export function faultyApi(options: {
  faults: Faults;
  outages: Outages;
  posts: (method: string, path: string) => boolean;
  notifies?: (method: string, path: string) => boolean;
  observe: (event: FaultEvent) => void;
}): MiddlewareHandler<NetworkEnv> {
  return async (context, next) => {
    const { method, path } = context.req;
    const call = options.posts(method, path)
      ? 'reply'
      : options.notifies?.(method, path) === true
        ? 'notification'
        : 'other';
    const fault = takeFault(options.faults, call);
    if (fault !== 'none') options.observe({ type: 'faulted', fault, call });
    switch (fault) {
      case 'none':
        await next();
        return;
      case 'drop_answer':
        await next();
        context.env.incoming.socket.destroy();
        return;
      case 'hang':
        await new Promise<void>((resolve) => context.env.incoming.socket.once('close', () => resolve()));
        // The client has left.
        return new Response(null, { status: 503 });
      case 'html':
        return context.html(HTML, 502);
      default: {
        const { status, headers, body } = options.outages[fault]();
        return new Response(JSON.stringify(body), {
          status,
          headers: { 'content-type': 'application/json', ...headers },
        });
      }
    }
  };
}

/** Breaks off the answers to what only reads, while the faults say so. */
export function brokenAnswers(faults: Faults): MiddlewareHandler<NetworkEnv> {
  return async (context, next) => {
    await next();
    if (faults.answers !== 'broken' || context.req.method !== 'GET' || context.res.status !== 200) return;
    const whole = await context.res.text();
    context.res = new Response(whole.slice(0, whole.length / 2), context.res);
  };
}
