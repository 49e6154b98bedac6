import type http from 'node:http';
import type { IGetHttpRequestArgs, TwitterApi } from 'twitter-api-v2';
import { z } from 'zod';
import { AdapterError } from '../../domain/errors.ts';
import type { AnswerBasis } from '../../domain/platforms/odd-answer.ts';
import { limitingAgent, wasTooLong } from '../answer-limit.ts';
import { type Exchange, fill, newExchange, noteExchange } from '../exchange.ts';
import { badAnswer, type Call } from '../failure.ts';
import { createLastCheck, type LastCheck, lastCheckAgent, lookAtClock } from '../last-check.ts';
import { type AdapterOptions, DEFAULT_TIMEOUT_MS, type SdkRequest, throughGate, withDeadline } from '../request.ts';
import { basisOfOdd, failureInside, xFailure } from './failure.ts';
import type { XConfig } from './settings.ts';

export interface XOptions extends XConfig, AdapterOptions {}

/** Wraps X's SDK: every failure becomes an AdapterError, and every answer is checked. */
export interface XClient {
  /**
   * Runs one SDK call as the bot and parses its answer.
   * @throws AdapterError and no other error
   */
  call<T>(request: SdkRequest<T>, run: (sdk: TwitterApi) => Promise<unknown>): Promise<T>;
  /** As `call`, but authenticated as the app, which X requires for webhooks. */
  callAsApp<T>(request: SdkRequest<T>, run: (sdk: TwitterApi) => Promise<unknown>): Promise<T>;
}

const tokenAnswer = z.object({ access_token: z.string().min(1) });

interface Asking {
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  readonly options: AdapterOptions;
}

/** The work of a call, which fills its exchange. */
type Work = (signal: AbortSignal, exchange: Exchange) => Promise<unknown>;

async function ask<T>(
  { what, sends = false, answer }: SdkRequest<T>,
  work: Work,
  { secrets, timeoutMs, options }: Asking,
): Promise<T> {
  const call: Call = { network: 'X', what, sends };
  const exchange = newExchange();
  const noteOdd = (basis: AnswerBasis) => noteExchange(options.note, exchange, { service: 'X', secrets, basis });
  let value: unknown;
  try {
    value = await withDeadline(timeoutMs, (signal) => work(signal, exchange));
  } catch (error) {
    if (wasTooLong(error)) throw badAnswer(call, 'it does not end');
    const basis = basisOfOdd(error);
    if (basis !== null) noteOdd(basis);
    throw xFailure(error, call, { now: options.clock(), secrets });
  }
  const failure = failureInside(value, call, secrets);
  const basis = failure === null ? null : basisOfOdd(value);
  if (basis !== null) noteOdd(basis);
  if (failure !== null) throw failure;
  const parsed = answer.safeParse(value);
  if (parsed.success) return parsed.data;
  noteOdd('status');
  throw badAnswer(call, 'it has not the documented shape');
}

/** A call under way. */
interface UnderWay {
  readonly signal: AbortSignal;
  readonly exchange: Exchange;
  /** Null without a time limit for sending. */
  readonly look?: LastCheck | null;
}

/** A plugin of the SDK that fills an exchange; before it writes a request, it runs `before`. */
function watching(exchange: Exchange, before: (requestOptions: http.RequestOptions) => void) {
  return {
    onBeforeRequestConfig({ params }: { params: IGetHttpRequestArgs }) {
      // The SDK would send a form wherever the path of `baseUrl` is not empty.
      params.forceBodyMode ??= 'json';
    },
    onBeforeRequest({ url, requestOptions }: { url: URL; requestOptions: http.RequestOptions }) {
      fill(exchange, { method: requestOptions.method ?? 'GET', path: url.pathname });
      before(requestOptions);
    },
    onAfterRequest({ response }: { response: { headers: Exchange['headers']; data: unknown } }) {
      // The SDK does not tell which good status it was.
      fill(exchange, { status: 200, headers: response.headers, body: response.data });
    },
    onResponseError({
      error: { code, headers, data },
    }: {
      error: { code: number; headers: Exchange['headers']; data: unknown };
    }) {
      fill(exchange, { status: code, headers, body: data });
    },
  };
}

/** Work with the token of a login. One login serves all calls; it is dropped when it failed, or when X refused its token. */
function createLogin(logIn: () => Promise<string>) {
  let login: Promise<string> | null = null;
  return async <T>(work: (token: string) => Promise<T>): Promise<T> => {
    login ??= logIn();
    const current = login;
    let token: string | null = null;
    try {
      token = await current;
      return await work(token);
    } catch (error) {
      const refused = error instanceof AdapterError && error.reason === 'unauthorized';
      if ((token === null || refused) && login === current) login = null;
      throw error;
    }
  };
}

/** Opens X's client; the SDK is loaded here, so that it costs nothing when X is off. */
export async function createXClient(options: XOptions): Promise<XClient> {
  const { TwitterApi } = await import('twitter-api-v2');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const { appKey, appSecret, accessToken, accessSecret, baseUrl } = options;
  const secrets = [appKey, appSecret, accessToken, accessSecret];
  // The SDK always calls https.request; the agent chooses the protocol.
  const plainHttp = baseUrl?.startsWith('http:') === true;
  const httpAgent = limitingAgent({ plainHttp });
  const settings = ({ signal, exchange, look = null }: UnderWay) => ({
    httpAgent: look === null ? httpAgent : lastCheckAgent(look, { plainHttp, signal }),
    // The SDK waits for ever when a compressed answer breaks off.
    compression: 'identity' as const,
    plugins: [
      watching(exchange, (requestOptions) => {
        if (look !== null) lookAtClock(look);
        requestOptions.timeout = timeoutMs;
        requestOptions.signal = signal;
      }),
    ],
  });

  function redirected(sdk: TwitterApi): TwitterApi {
    // The SDK uses only v2's own prefix, and declares its setter protected.
    if (baseUrl !== undefined) sdk.v2['setPrefix'](`${baseUrl}/2/`);
    return sdk;
  }

  // Clients are cheap, so each call has its own, which its deadline aborts.
  const bot = (under: UnderWay) =>
    redirected(new TwitterApi({ appKey, appSecret, accessToken, accessSecret }, settings(under)));
  const consumer = (under: UnderWay) => new TwitterApi({ username: appKey, password: appSecret }, settings(under));

  const run = <T>(request: SdkRequest<T>, work: Work): Promise<T> =>
    throughGate(options, () => ask(request, work, { secrets, timeoutMs, options }));

  async function logIn(): Promise<string> {
    // The SDK's own appLogin ignores `baseUrl`.
    const { access_token } = await run({ what: 'log in as the app', answer: tokenAnswer }, (signal, exchange) =>
      consumer({ signal, exchange }).post(
        `${baseUrl ?? 'https://api.x.com'}/oauth2/token`,
        { grant_type: 'client_credentials' },
        { forceBodyMode: 'url' },
      ),
    );
    return access_token;
  }

  const asApp = createLogin(logIn);

  return {
    call: (request, work) => {
      const { notAfter } = request;
      const look = notAfter === undefined ? null : createLastCheck({ notAfter, clock: options.clock });
      return run(request, (signal, exchange) => work(bot({ signal, exchange, look })));
    },
    callAsApp: (request, work) =>
      asApp((token) =>
        run(request, (signal, exchange) => work(redirected(new TwitterApi(token, settings({ signal, exchange }))))),
      ),
  };
}
