import { AsyncLocalStorage } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import type { NeynarAPIClient } from '@neynar/nodejs-sdk';
import { AdapterError } from '../../domain/errors.ts';
import { MOST_BYTES } from '../answer-limit.ts';
import { type Exchange, fill, isKnownStatus, isPassing, newExchange, noteExchange } from '../exchange.ts';
import {
  type Answered,
  answerFailure,
  badAnswer,
  type Call,
  networkFailure,
  pageFailure,
  reducedCause,
  safeDetail,
} from '../failure.ts';
import { createLastCheck, type LastCheck, lookAtClock } from '../last-check.ts';
import { type AdapterOptions, DEFAULT_TIMEOUT_MS, type SdkRequest, throughGate, withDeadline } from '../request.ts';
import type { FarcasterConfig } from './settings.ts';

export interface FarcasterOptions extends FarcasterConfig, AdapterOptions {}

/** Wraps Neynar's SDK: every failure becomes an AdapterError, and every answer is checked. */
export interface NeynarClient {
  /**
   * Runs one SDK call and parses its answer.
   * @throws AdapterError and no other error
   */
  call<T>(request: SdkRequest<T>, run: (sdk: NeynarAPIClient) => Promise<unknown>): Promise<T>;
}

const NO_OBJECT = { message: 'the body is not a JSON object' };
const NO_JSON = { message: 'the body is not JSON' };

/**
 * Wraps a body in an object: on errors the SDK's interceptor evaluates `'message' in body`, so an HTML, text or empty
 * body causes a TypeError that loses status and headers.
 */
function toObject(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
    return NO_OBJECT;
  } catch {
    return NO_JSON;
  }
}

function isUnreadable(data: unknown): boolean {
  return data === NO_OBJECT || data === NO_JSON;
}

/** Found by its shape: `instanceof` fails with two copies of axios. */
function answerOf(error: unknown): Answered | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  const { response } = error;
  if (typeof response !== 'object' || response === null || !('status' in response)) return null;
  if (typeof response.status !== 'number') return null;
  const headers = 'headers' in response && typeof response.headers === 'object' ? { ...response.headers } : {};
  return { status: response.status, headers, data: 'data' in response ? response.data : undefined };
}

function messageOf(data: unknown): string {
  const hasMessage = typeof data === 'object' && data !== null && 'message' in data;
  return hasMessage && typeof data.message === 'string' ? data.message : '';
}

/**
 * Whether a 400 is about the form of the request: a missing field, or parameters that Neynar's schema does not know. Such
 * an answer proves the absence of nothing.
 */
function isAboutForm(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return ('errors' in data && Array.isArray(data.errors)) || ('code' in data && data.code === 'RequiredField');
}

/** Whether a refusal to publish is about the bot's signer: then it is about every reply. */
function isAboutSigner({ status, data }: Answered): boolean {
  return (status === 403 || status === 404) && /\bsigner\b/i.test(messageOf(data));
}

/** For an answer that is too long, the error of axios has a code and no response. */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BAD_RESPONSE';
}

/** Whether an error answer is one that Neynar documents, or that its status explains alone. */
function isUnderstood({ status, data }: Answered): boolean {
  if (isPassing(status)) return true;
  return isKnownStatus(status) && (messageOf(data) !== '' || isAboutForm(data)) && !isUnreadable(data);
}

interface UnderWay {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Null without a time limit for sending. */
  readonly look: LastCheck | null;
  readonly exchange: Exchange;
}

/**
 * Opens one client for all calls, because making one takes a tenth of a call. It takes what belongs to a call with its settings
 * alone, which it reads at each call: the call under way is found there.
 */
async function openSdk({ apiKey, baseUrl }: FarcasterOptions, timeoutMs: number) {
  const { NeynarAPIClient, Configuration } = await import('@neynar/nodejs-sdk');
  const calls = new AsyncLocalStorage<UnderWay>();
  const { request: write } = baseUrl?.startsWith('http:') === true ? http : https;
  const transport = {
    request(options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) {
      const { look = null, exchange } = calls.getStore() ?? {};
      fill(exchange, { method: options.method ?? 'GET', path: options.path ?? '' });
      // Right before the request is written.
      if (look !== null) lookAtClock(look);
      return write(options, (response) => {
        fill(exchange, { status: response.statusCode ?? 0, headers: response.headers });
        answered(response);
      });
    },
  };
  const limits = { timeout: timeoutMs, maxRedirects: 0, maxContentLength: MOST_BYTES };
  const baseOptions = {
    ...limits,
    transport,
    transformResponse: [
      (body: unknown) => {
        fill(calls.getStore()?.exchange, { body });
        return toObject(body);
      },
    ],
    get signal() {
      return calls.getStore()?.signal;
    },
  };
  const basePath = baseUrl === undefined ? {} : { basePath: baseUrl };
  const sdk = new NeynarAPIClient(new Configuration({ apiKey, ...basePath, baseOptions }));
  return <T>(call: UnderWay, run: (sdk: NeynarAPIClient) => Promise<T>): Promise<T> => calls.run(call, () => run(sdk));
}

/** Opens Neynar's client. The SDK loads at the first call: it takes 130 ms, and receiving mentions does not need it. */
export function createNeynarClient(options: FarcasterOptions): NeynarClient {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const secrets = [options.apiKey, options.signerUuid, ...options.webhookSecrets];
  let opened: ReturnType<typeof openSdk> | null = null;

  function failure(error: unknown, call: Call) {
    const cause = reducedCause(error, secrets);
    const answer = answerOf(error);
    if (answer === null) {
      return isTooLong(error) ? badAnswer(call, 'it does not end', cause) : networkFailure(error, call, cause);
    }
    // A good status with an axios error: the body was cut off.
    if (answer.status < 300) return badAnswer(call, 'the answer broke off', cause);
    const page = pageFailure({ status: answer.status, isJson: !isUnreadable(answer.data), cause }, call);
    if (page !== null) return page;
    const detail = safeDetail(messageOf(answer.data), secrets);
    if (answer.status === 400 && !call.sends && isAboutForm(answer.data)) return badAnswer(call, detail, cause);
    const failure = answerFailure(
      { status: answer.status, headers: answer.headers, detail, cause },
      call,
      options.clock(),
    );
    if (!call.sends || !isAboutSigner(answer)) return failure;
    return new AdapterError({ reason: 'unauthorized', retry: 'safe', message: failure.message, cause });
  }

  async function ask<T>(
    { what, sends = false, notAfter, answer }: SdkRequest<T>,
    run: (sdk: NeynarAPIClient) => Promise<unknown>,
  ): Promise<T> {
    const call: Call = { network: 'Neynar', what, sends };
    const look = notAfter === undefined ? null : createLastCheck({ notAfter, clock: options.clock });
    opened ??= openSdk(options, timeoutMs);
    const within = await opened;
    const exchange = newExchange();
    const noteOdd = () => noteExchange(options.note, exchange, { service: 'Neynar', secrets });
    let value: unknown;
    try {
      value = await withDeadline(timeoutMs, (signal) => within({ signal, look, exchange }, run));
    } catch (error) {
      const answered = answerOf(error);
      if (answered !== null && answered.status >= 300 && !isUnderstood(answered)) noteOdd();
      throw failure(error, call);
    }
    const parsed = answer.safeParse(value);
    if (parsed.success) return parsed.data;
    noteOdd();
    throw badAnswer(call, 'it has not the documented shape');
  }

  return {
    call: (request, run) =>
      request.isApart === true ? ask(request, run) : throughGate(options, () => ask(request, run)),
  };
}
