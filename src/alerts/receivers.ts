import { createHash } from 'node:crypto';
import type { AlertMessage, AlertReceiver } from '../domain/operators/alert.ts';
import { postMessage } from '../outbound.ts';

/**
 * The body that Slack (`text`), Discord (`content`) and bridges take. Slack and Discord ignore the other fields, but for
 * `allowed_mentions`: with it no text can call anyone on Discord.
 */
function bodyOf({ text, kind, subject, state, at, service }: AlertMessage): string {
  return JSON.stringify({
    text,
    content: text,
    kind,
    subject,
    state,
    at,
    service,
    allowed_mentions: { parse: [] },
  });
}

/** The receivers at these URLs, in their order. `stop` ends what is under way. */
export function createAlertReceivers(
  urls: readonly string[],
  { timeoutMs, stop }: { readonly timeoutMs?: number; readonly stop?: AbortSignal } = {},
): AlertReceiver[] {
  return urls.map((url, index) => ({
    id: createHash('sha256').update(url).digest('hex'),
    label: `${index + 1} (${new URL(url).hostname})`,
    async send(message) {
      const headers = { 'content-type': 'application/json', 'user-agent': 'gigclaim', 'webhook-id': message.id };
      return await postMessage(url, { who: 'it', headers, body: bodyOf(message), timeoutMs, stop });
    },
  }));
}
