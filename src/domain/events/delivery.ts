import { HOUR_MS } from '../time.ts';

/** `queued` deliveries are tried until the receiver takes them; `failed` ones were given up. */
export const DELIVERY_STATES = ['queued', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A delivery of anything to anyone, as far as it decides on its next try. Times are epoch milliseconds. */
export interface HeldDelivery {
  /** Names who holds it. */
  readonly lease: string;
  /** How often it was tried, this time included. */
  readonly tries: number;
  readonly queuedAt: number;
}

/** The first wait after a failed try; it doubles with each further one. Milliseconds. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = HOUR_MS / 2;
/** For how long a delivery is tried, milliseconds. */
export const TRIED_FOR_MS = 72 * HOUR_MS;

/**
 * How often a delivery is tried at least: after a stop of the service, or a jump of its clock, it may be old and never tried.
 * Ends after some minutes.
 */
export const LEAST_TRIES = 5;

/** How long a receiver that is busy may ask to be left alone, milliseconds. */
const LONGEST_ASKED_MS = HOUR_MS;

/** The wait that a receiver asked for, as far as it is kept; 0 when it asked for none. */
export function askedWait({ retryAfterMs = 0 }: { readonly retryAfterMs: number | undefined }): number {
  return Math.min(Math.max(retryAfterMs, 0), LONGEST_ASKED_MS);
}

/** How long to wait after so many tries, milliseconds. */
export function deliveryBackoff(tries: number, firstMs = FIRST_BACKOFF_MS): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(tries - 1, 0), 30), LONGEST_BACKOFF_MS);
}
