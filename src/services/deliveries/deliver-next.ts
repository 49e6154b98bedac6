import { AdapterError } from '../../domain/errors.ts';
import {
  askedWait,
  deliveryBackoff,
  type HeldDelivery,
  LEAST_TRIES,
  TRIED_FOR_MS,
} from '../../domain/events/delivery.ts';
import { summarizeError } from '../../log.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { JobContext } from '../context.ts';

export interface TellTiming {
  /** How long a worker may hold a delivery before another may take it, in milliseconds: longer than a request. */
  readonly leaseMs: number;
  /** The first wait after a failed try, in milliseconds; it doubles up to half an hour. */
  readonly backoffMs: number;
}

export const TELL_TIMING: TellTiming = { leaseMs: 30_000, backoffMs: 10_000 };

export interface DeliveryContext extends JobContext {
  readonly newId: () => string;
  readonly timing: TellTiming;
}

/** The outcome of a try to deliver: `failed` ones are made again. */
export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Counts the tries to deliver since the process started, for the metrics. */
export interface DeliveryCounter {
  tried(outcome: DeliveryOutcome, count?: number): void;
  tally(): Readonly<Record<DeliveryOutcome, number>>;
}

/** A counter that begins with nothing. */
export function createDeliveryCounter(): DeliveryCounter {
  const counts: Record<DeliveryOutcome, number> = { delivered: 0, failed: 0, given_up: 0 };
  return {
    tried(outcome, count = 1) {
      counts[outcome] += count;
    },
    tally: () => ({ ...counts }),
  };
}

/** Count the deliveries of alerts, of events and of notifications. */
export interface DeliveryCounters {
  readonly alertCounter: DeliveryCounter;
  readonly eventCounter: DeliveryCounter;
  readonly notificationCounter: DeliveryCounter;
}

/** Counters that begin with nothing. */
export function createDeliveryCounters(): DeliveryCounters {
  return {
    alertCounter: createDeliveryCounter(),
    eventCounter: createDeliveryCounter(),
    notificationCounter: createDeliveryCounter(),
  };
}

export interface FailedDelivery {
  readonly error: AdapterError;
  /** When it is to be made again. */
  readonly retryAt: number;
  /** Whether that is later than anything is tried. */
  readonly isLast: boolean;
  readonly now: number;
}

export interface PutBack {
  /** Whether the delivery is not tried again. */
  readonly isGivenUp: boolean;
  /** Why nothing more is sent there, a word; null while it goes on. */
  readonly paused: string | null;
}

export interface Courier<Held extends HeldDelivery, Answer> {
  /** What it delivers, at the beginning of what is logged: `alert`. */
  readonly what: string;
  readonly counter: DeliveryCounter;
  lease(tx: StoreTx, request: { lease: string; now: number; until: number }): Promise<Held | null>;
  /** Runs once the delivery is leased, before it is sent. */
  onLeased?(delivery: Held): void;
  /** @throws AdapterError when it was not taken */
  send(delivery: Held): Promise<Answer>;
  /** Queued → delivered, under the lease. */
  markDelivered(tx: StoreTx, delivery: Held, made: { answer: Answer; now: number }): Promise<boolean>;
  /** Ends a failed try, under the lease. */
  putBack(tx: StoreTx, delivery: Held, failed: FailedDelivery): Promise<PutBack>;
  fieldsOf(delivery: Held): Readonly<Record<string, unknown>>;
}

async function conclude<Held extends HeldDelivery, Answer>(
  { store, clock, log }: DeliveryContext,
  courier: Courier<Held, Answer>,
  { delivery, answer }: { delivery: Held; answer: Answer },
): Promise<void> {
  const made = { answer, now: clock() };
  const isKept = await store.transaction((tx) => courier.markDelivered(tx, delivery, made), { narrow: true });
  courier.counter.tried('delivered');
  const fields = courier.fieldsOf(delivery);
  if (isKept) log.info(fields, `${courier.what} delivered`);
  else log.warn(fields, `${courier.what} was delivered, but its lease had ended; it is delivered again`);
}

async function putBack<Held extends HeldDelivery, Answer>(
  { store, clock, log, timing }: DeliveryContext,
  courier: Courier<Held, Answer>,
  { delivery, error }: { delivery: Held; error: AdapterError },
): Promise<void> {
  const now = clock();
  const retryAt = now + Math.max(deliveryBackoff(delivery.tries, timing.backoffMs), askedWait(error));
  const isLast = retryAt - delivery.queuedAt > TRIED_FOR_MS && delivery.tries >= LEAST_TRIES;
  const failed = { error, retryAt, now, isLast };
  const put = (tx: StoreTx) => courier.putBack(tx, delivery, failed);
  const { isGivenUp, paused } = await store.transaction(put, { narrow: true });
  courier.counter.tried(isGivenUp ? 'given_up' : 'failed');
  const fields = { ...courier.fieldsOf(delivery), tries: delivery.tries, error: summarizeError(error) };
  if (isGivenUp) log.error(fields, `${courier.what} given up`);
  else if (paused !== null)
    log.error({ ...fields, paused }, `${courier.what} not delivered; nothing more is sent there`);
  else log.warn({ ...fields, waitMs: retryAt - now }, `${courier.what} not delivered yet`);
}

/**
 * Delivers what has been due longest. The delivery is leased on disk before it is sent: after a crash it is sent again under the same
 * id.
 * @returns whether there was one
 */
export async function deliverNext<Held extends HeldDelivery, Answer>(
  deps: DeliveryContext,
  courier: Courier<Held, Answer>,
): Promise<boolean> {
  const now = deps.clock();
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs };
  const delivery = await deps.store.transaction((tx) => courier.lease(tx, request), { narrow: true });
  if (delivery === null) return false;
  courier.onLeased?.(delivery);
  let answer: Answer;
  try {
    answer = await courier.send(delivery);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    await putBack(deps, courier, { delivery, error });
    return true;
  }
  await conclude(deps, courier, { delivery, answer });
  return true;
}
