import { createHash } from 'node:crypto';
import type { AccountKey } from '../account.ts';
import type { HeldDelivery } from '../events/delivery.ts';

/**
 * The kinds of news for accounts. Earners: `tips`, `paid`, `not_paid`, `refused` and `not_drawn`. Owners: `funded`,
 * `not_started` (funded, but it could not start), `live`, `ended`, and `submissions` that wait for a decision.
 */
export const NOTIFICATION_KINDS = [
  'tips',
  'paid',
  'not_paid',
  'refused',
  'not_drawn',
  'funded',
  'not_started',
  'live',
  'ended',
  'submissions',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/**
 * `unreached`: the account has not added the mini app, or has turned its notifications off there. `dropped`: it was not wanted any more,
 * or no longer true.
 */
export const NOTIFICATION_STATES = ['queued', 'sent', 'unreached', 'failed', 'dropped'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

/** News that one notification holds together. */
export interface Topic extends AccountKey {
  readonly kind: NotificationKind;
  /** The id of the claim of `paid` and `not_paid`, of the gig of the others. */
  readonly subjectId: number;
}

/** Something to tell one account. */
export interface News extends Topic {
  readonly gigId: number;
  /** The code of a refusal, or why the ledger says that a payment failed; null for other kinds. */
  readonly reason: string | null;
  /** Base units of the gig's token; 0 where there is no amount. */
  readonly amount: bigint;
  /** How many tips, payments or submissions. */
  readonly count: number;
  /** The id of the event that it is derived from. */
  readonly eventUid: string;
}

/** The words of a notification. */
export interface NotificationText {
  /** At most {@link TITLE_LIMIT} long. */
  readonly title: string;
  /** At most {@link BODY_LIMIT} long. */
  readonly body: string;
}

/** A stored notification. Times are epoch milliseconds. */
export interface Notification extends Omit<News, 'eventUid'> {
  readonly id: number;
  /** The same at every try: what names it to the platform. */
  readonly uuid: string;
  readonly state: NotificationState;
  readonly tries: number;
  /** When it is tried next, or when its lease ends. */
  readonly nextAt: number;
  readonly queuedAt: number;
  /** When it was last tried; null before. */
  readonly triedAt: number | null;
  readonly endedAt: number | null;
  /** Why the last try failed. */
  readonly error: string | null;
  /** Its words from the first try on; null before. */
  readonly text: NotificationText | null;
}

export interface HeldNotification extends Notification, HeldDelivery {
  readonly text: NotificationText;
}

/** How platforms cut titles and bodies (https://miniapps.farcaster.xyz/docs/guides/notifications), in UTF-16 units. */
export const TITLE_LIMIT = 32;
export const BODY_LIMIT = 128;

/** The namespace of the ids below. It must never change: an id is what the platform knows a notification by. */
const NAMESPACE = Buffer.from('6f0d1c0e4b6f4c0d9a5b2f7d7f3c9e51', 'hex');

/** The id of a notification, a UUID of version 5: each account has one for an event. */
export function notificationUuid({ eventUid, platformUserId }: News): string {
  const hash = createHash('sha1').update(NAMESPACE).update(`${eventUid} ${platformUserId}`).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
