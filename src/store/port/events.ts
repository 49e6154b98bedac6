import type { EventType } from '../../domain/events/event.ts';

export interface EventFilter {
  /** The place of the last event that is known. */
  readonly after: number;
  /** The last place that is looked at; absent: all. */
  readonly upTo?: number;
  /** Null: those of all clients. */
  readonly client: string | null;
  readonly types: readonly EventType[];
  /** Null: those of all gigs. */
  readonly gigId: number | null;
  readonly limit: number;
}

export interface Release {
  /** How many events got their place. */
  readonly released: number;
  readonly queued: number;
  readonly isMore: boolean;
}

export interface EventLease {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

export interface EndpointLease extends EventLease {
  readonly endpointId: number;
}

/** The place of one request to an endpoint. */
export interface TakenSlot {
  readonly endpointId: number;
  readonly lease: string;
  /** When it may be asked next, once this request is over. */
  readonly nextAt: number;
}

interface HeldTry {
  readonly id: string;
  readonly endpointId: number;
  readonly gigId: number;
  readonly lease: string;
  readonly now: number;
  /** Of the answer; null without one. */
  readonly status: number | null;
}

/** A try that succeeded. */
export type EndedTry = HeldTry;

export interface FailedTry extends HeldTry {
  readonly error: string;
  /** When it is tried again; null: never. */
  readonly retryAt: number | null;
  /** Before which the endpoint is asked for nothing. */
  readonly askAt: number;
}

/** The deliveries that wait for an earlier one of their gig, from a place on. */
export interface WaitingDeliveries {
  readonly endpointId: number;
  readonly gigId: number;
  readonly replay: boolean;
  /** Only those behind this place. */
  readonly after: number;
  /** Before which they need not be looked at. */
  readonly retryAt: number;
  readonly limit: number;
}

export interface ReplayRequest {
  readonly endpointId: number;
  readonly which:
    | { readonly seq: number }
    | { readonly gigId: number }
    /** Epoch milliseconds; `until` is left out. */
    | { readonly since: number; readonly until: number };
  /** Only events behind this place. */
  readonly after: number;
  readonly now: number;
  readonly limit: number;
}

export interface Replayed {
  readonly count: number;
  /** The place of the last event; null when there is none. */
  readonly last: number | null;
}

export interface DeliveryFilter {
  /** Null: of all. */
  readonly endpointId: number | null;
  readonly limit: number;
  /** Those before this place. */
  readonly before?: number;
}
