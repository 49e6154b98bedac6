import { type EventSender, saltsThatSign } from '../domain/events/endpoint.ts';
import { eventJson, TEST_TYPE } from '../domain/events/event.ts';
import { isoText } from '../domain/time.ts';
import { machineTime, postFailure, postMessage } from '../outbound.ts';
import { createEndpointFetch, type LookUp } from './connections.ts';
import { createEndpointSecrets } from './secrets.ts';
import { urlProblem } from './url-problem.ts';

export interface SenderOptions {
  /** Base64 of the PKCS #8 DER of an Ed25519 private key; null: nothing is signed, and nothing sent. */
  readonly signingKey: string | null;
  readonly allowPrivate: boolean;
  /** The service's time, epoch milliseconds. */
  readonly clock: () => number;
  /** The time of signatures, epoch milliseconds; the machine's when absent. */
  readonly signedAt?: (() => number) | undefined;
  readonly timeoutMs?: number;
  readonly stop?: AbortSignal;
  readonly lookUp?: LookUp;
}

/** What sends events to endpoints; null without a key to sign with. */
export function createEventSender(options: SenderOptions): EventSender | null {
  const { signingKey, allowPrivate, clock, signedAt = machineTime, timeoutMs, stop } = options;
  if (signingKey === null) return null;
  const secrets = createEndpointSecrets(signingKey);
  const fetch = createEndpointFetch(options);

  async function post(url: string, message: { id: string; body: string; salts: readonly string[] }): Promise<number> {
    const { id, body, salts } = message;
    // The operator may allow less than when it was made.
    const problem = urlProblem(url, allowPrivate);
    if (problem !== null) throw postFailure('it', 'forbidden', problem);
    const seconds = Math.floor(signedAt() / 1_000);
    const headers = secrets.headersOf({ id, seconds, body }, salts);
    return await postMessage(url, { who: 'it', headers, body, timeoutMs, stop, fetch });
  }

  return {
    urlProblem: (text) => urlProblem(text, allowPrivate),
    secretOf: secrets.secretOf,
    send: (endpoint, event) =>
      post(endpoint.url, {
        id: event.uid,
        body: JSON.stringify(eventJson(event)),
        salts: saltsThatSign(endpoint, clock()),
      }),
    test(endpoint, id) {
      const body = { id, type: TEST_TYPE, timestamp: isoText(clock()), data: { webhook_id: endpoint.id } };
      return post(endpoint.url, { id, body: JSON.stringify(body), salts: saltsThatSign(endpoint, clock()) });
    },
  };
}
