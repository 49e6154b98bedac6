import http from 'node:http';
import https from 'node:https';
import type { NeynarAPIClient } from '@neynar/nodejs-sdk';
import type { FarcasterConfig } from '../../domain/platform-config.ts';
import { DEFAULT_TIMEOUT_MS, withDeadline } from '../deadline.ts';
import { answerFailure, badAnswer, type Call, networkFailure, reducedCause, safeDetail } from '../failure.ts';
import { createLastLook, type LastLook, lookAtClock } from '../last-look.ts';
import { type AdapterOptions, type SdkRequest, throughGate } from '../request.ts';

/** What the adapter needs to work: its settings and what the process injects. */
export interface FarcasterOptions extends FarcasterConfig, AdapterOptions {}

/** Neynar's SDK behind one door, where every failure becomes an AdapterError and every answer is checked. */
export interface NeynarClient {
  /**
   * Runs one SDK call and reads its answer.
   * @throws AdapterError and nothing else
   */
  call<T>(request: SdkRequest<T>, run: (sdk: NeynarAPIClient) => Promise<unknown>): Promise<T>;
}

/**
 * The SDK's interceptor tests `'message' in body` on every error and dies of a TypeError when the body is HTML, plain
 * text or empty; status and headers are lost with it. So whatever comes is made an object first.
 */
function toObject(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
    return { message: 'the body is not a JSON object' };
  } catch {
    return { message: 'the body is not JSON' };
  }
}

interface Answered {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly data: unknown;
}

/** The answer that an axios error holds. By its shape: with two copies of axios installed `instanceof` fails. */
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

/** What axios writes a request with; the clock is looked at right before that. */
function lookingTransport(look: LastLook, plainHttp: boolean) {
  return {
    request: (options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) => {
      lookAtClock(look);
      return plainHttp ? http.request(options, answered) : https.request(options, answered);
    },
  };
}

/** Makes the SDK's clients. One that looks at the clock is good for one call, and costs little beside it. */
async function openSdk(options: FarcasterOptions, timeoutMs: number) {
  const { NeynarAPIClient, Configuration } = await import('@neynar/nodejs-sdk');
  const { apiKey, baseUrl } = options;
  return (look: LastLook | null) => {
    const transport = look === null ? {} : { transport: lookingTransport(look, baseUrl?.startsWith('http:') === true) };
    const baseOptions = { timeout: timeoutMs, maxRedirects: 0, transformResponse: [toObject], ...transport };
    const basePath = baseUrl === undefined ? {} : { basePath: baseUrl };
    return new NeynarAPIClient(new Configuration({ apiKey, ...basePath, baseOptions }));
  };
}

/** Opens Neynar's client. The SDK is loaded at the first call: it takes 130 ms, and receiving mentions needs none of it. */
export function createNeynarClient(options: FarcasterOptions): NeynarClient {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const secrets = [options.apiKey, options.signerUuid, ...options.webhookSecrets];
  let opened: Promise<{ make: (look: LastLook) => NeynarAPIClient; shared: NeynarAPIClient }> | null = null;

  function failure(error: unknown, call: Call) {
    const cause = reducedCause(error, secrets);
    const answer = answerOf(error);
    if (answer === null) return networkFailure(error, call, cause);
    // The status is fine and still axios gave up: the body was cut off.
    if (answer.status < 300) return badAnswer(call, 'the answer broke off', cause);
    const detail = safeDetail(messageOf(answer.data), secrets);
    return answerFailure({ status: answer.status, headers: answer.headers, detail, cause }, call, options.clock());
  }

  async function sdkFor(look: LastLook | null): Promise<NeynarAPIClient> {
    opened ??= openSdk(options, timeoutMs).then((make) => ({ make, shared: make(null) }));
    const { make, shared } = await opened;
    return look === null ? shared : make(look);
  }

  async function ask<T>(
    { what, sends = false, notAfter, answer }: SdkRequest<T>,
    run: (sdk: NeynarAPIClient) => Promise<unknown>,
  ): Promise<T> {
    const call: Call = { network: 'Neynar', what, sends };
    const look = notAfter === undefined ? null : createLastLook({ notAfter, clock: options.clock });
    const sdk = await sdkFor(look);
    let value: unknown;
    try {
      value = await withDeadline(timeoutMs, () => run(sdk));
    } catch (error) {
      throw failure(error, call);
    }
    const parsed = answer.safeParse(value);
    if (!parsed.success) throw badAnswer(call, 'it has not the documented shape');
    return parsed.data;
  }

  return { call: (request, run) => throughGate(options, () => ask(request, run)) };
}
