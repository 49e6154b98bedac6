import { DAY_MS, hasPassed } from '../time.ts';
import type { DeliveryState, HeldDelivery } from './delivery.ts';
import { EVENT_TYPES, type EventType, type StoredEvent } from './event.ts';

/** Why nothing is sent to an endpoint. `gone`: it answered 410. `silent`: it took nothing for as long as is tried. */
export const PAUSE_REASONS = ['asked', 'gone', 'silent'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** For how long the secret of before a rotation signs as well. */
export const BOTH_SIGN_MS = DAY_MS;

/** The most endpoints of a client. */
export const MOST_ENDPOINTS = 10;

/** What an endpoint's secrets derive from, beside the service's key. */
export interface EndpointSalts {
  /** 128 random bits in hex. */
  readonly salt: string;
  /** The one before the last rotation; null before the first. */
  readonly oldSalt: string | null;
  readonly rotatedAt: number | null;
}

/** A URL of a client's that takes events. Times are epoch milliseconds. */
export interface WebhookEndpoint extends EndpointSalts {
  readonly id: number;
  /** Null for one that takes the events of all clients. */
  readonly client: string | null;
  readonly url: string;
  /** Empty: all. */
  readonly types: readonly EventType[];
  readonly createdAt: number;
  /** The key that chose its URL, or has resumed it since; null for the operator's own commands. It is paused when the key ends. */
  readonly apiKeyId: number | null;
  /** It takes events after this one. */
  readonly fromSeq: number;
  readonly pausedAt: number | null;
  readonly pausedBecause: PauseReason | null;
}

/** The types in a comma-separated text. Former types are left out. */
export function readTypes(text: string): EventType[] {
  const named = text.split(',');
  return EVENT_TYPES.filter((type) => named.includes(type));
}

export interface NewEndpoint {
  readonly client: string | null;
  readonly url: string;
  readonly types: readonly EventType[];
  readonly salt: string;
  readonly apiKeyId: number | null;
  readonly createdAt: number;
}

/** The salts whose secrets sign at `now`, the newest first. */
export function saltsThatSign({ salt, oldSalt, rotatedAt }: EndpointSalts, now: number): string[] {
  const isOld = rotatedAt === null || hasPassed(BOTH_SIGN_MS, { since: rotatedAt, now });
  return oldSalt === null || isOld ? [salt] : [salt, oldSalt];
}

/** One event on its way to one endpoint. Times are epoch milliseconds. */
export interface EventDelivery {
  readonly id: string;
  readonly endpointId: number;
  readonly gigId: number;
  readonly state: DeliveryState;
  readonly tries: number;
  /** When it is tried next, or when its lease ends. */
  readonly nextAt: number;
  readonly queuedAt: number;
  readonly endedAt: number | null;
  /** Why the last try failed, or null. */
  readonly error: string | null;
  /** The status of the last answer; null without one. */
  readonly status: number | null;
  /** Whether it was asked for again. */
  readonly replay: boolean;
}

export interface ListedDelivery extends EventDelivery {
  /** Gives its place among all, for pages. */
  readonly place: number;
  readonly uid: string;
  readonly seq: number;
  readonly type: EventType;
}

export interface HeldEventDelivery extends EventDelivery, HeldDelivery {
  /** Gives its place among all. */
  readonly place: number;
  readonly event: StoredEvent;
  readonly endpoint: WebhookEndpoint;
}

/** The status by which an endpoint says that it wants nothing more. */
export const GONE = 410;

export interface EventSender {
  /** What is wrong with the URL of an endpoint, as a clause; null when it may be one. */
  urlProblem(url: string): string | null;
  /** The secret of a salt, `whsec_…`. */
  secretOf(salt: string): string;
  /** Sends once. @returns the status of the answer @throws AdapterError unless it is a success; its message never holds the URL */
  send(endpoint: WebhookEndpoint, event: StoredEvent): Promise<number>;
  /** The same for a test under this id. */
  test(endpoint: WebhookEndpoint, id: string): Promise<number>;
}
