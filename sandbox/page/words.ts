import type { IgnoreReason } from '../../src/domain/mentions/mention.ts';
import { shortened } from '../../src/http/ui/badges.ts';
import type { ApiFault, WebhookFault } from '../networks/faults.ts';

/** Why a mention got no reply, in words. */
export const SILENCE_WORDS: Readonly<Record<IgnoreReason, string>> = {
  opted_out: 'its author has said stop',
  author_limit: 'its author has had enough replies within the hour',
  thread_limit: 'its thread has had enough replies within the hour',
  help_already_given: 'its author has had the help within a day',
  gave_up: 'it was tried too often',
};

/** What the page calls each fault of a network's API, on its switch and wherever else it is named. */
export const API_FAULT_WORDS: Readonly<Record<ApiFault, string>> = {
  none: 'Works',
  drop_answer: 'Drops the answer',
  rate_limited: '429, too many requests',
  payment_required: '402, credits depleted',
  unauthorized: '401, credentials refused',
  server_error: '500, server error',
  html: '502, a page of HTML',
  hang: 'Time-out',
};

/** What the page calls each way in which events come. */
export const WEBHOOK_WORDS: Readonly<Record<WebhookFault, string>> = {
  normal: 'Once',
  twice: 'Twice',
  late: 'Late',
  never: 'Never',
};

/** A text in one line of at most `length` characters, addresses and hashes by their ends. */
export function excerpt(text: string, length = 90): string {
  const brief = text
    .replace(/\b0x[0-9a-f]{20,}\b/gi, shortened)
    .replace(/\s+/g, ' ')
    .trim();
  const letters = Array.from(brief);
  return letters.length <= length ? brief : `${letters.slice(0, length - 1).join('')}…`;
}

/** The clock's time of an instant, to the second, in UTC. */
export function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
