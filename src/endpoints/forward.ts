import { postMessage } from '../outbound.ts';
import { secretText, signedHeaders } from './secrets.ts';

/** Sends events on to a program on the way to becoming a webhook. */
export interface Forwarder {
  readonly secret: string;
  /** Sends once. @returns the status of the answer @throws AdapterError unless it is a success */
  send(event: { readonly id: string }): Promise<number>;
}

/** @param options.secret random bytes, new at each start */
export function createForwarder(
  url: string,
  { secret, clock }: { readonly secret: Uint8Array; readonly clock: () => number },
): Forwarder {
  return {
    secret: secretText(secret),
    async send(event) {
      const body = JSON.stringify(event);
      const message = { id: event.id, seconds: Math.floor(clock() / 1_000), body };
      const headers = signedHeaders(message, [secret]);
      return await postMessage(url, { who: url, headers, body });
    },
  };
}
