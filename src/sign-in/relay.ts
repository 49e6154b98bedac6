import { AdapterError, type AdapterReason } from '../domain/errors.ts';
import { requestOnce } from '../outbound.ts';

/** Far more than a channel, or a signed message, takes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const WHO = 'the Farcaster relay';

interface RelayAnswer {
  readonly status: number;
  /** Undefined when it is no JSON. */
  readonly data: unknown;
}

/** Asks the relay. Its interface is that of `@farcaster/auth-client`, which limits neither time nor size. */
export interface Relay {
  /** @throws AdapterError also for a status that is neither a success nor in `wanted` */
  ask(
    path: string,
    question: { readonly json?: object; readonly token?: string; readonly wanted?: readonly number[] },
  ): Promise<RelayAnswer>;
}

/** A failure of the relay. */
export function relayFailure(reason: AdapterReason, message: string): AdapterError {
  return new AdapterError({ retry: 'safe', reason, message: `${WHO} ${message}` });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The relay at this URL, which has no slash at its end. */
export function createRelay(relayUrl: string, { timeoutMs }: { readonly timeoutMs: number }): Relay {
  return {
    async ask(path, { json, token, wanted = [] }) {
      const headers = {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const request = { who: WHO, headers, ...body, timeoutMs, maxBytes: MAX_ANSWER_BYTES };
      const isWanted = (status: number) => (status >= 200 && status <= 299) || wanted.includes(status);
      const { status, text } = await requestOnce(`${relayUrl}/v1/${path}`, request, isWanted);
      return { status, data: readJson(text) };
    },
  };
}
