import { askedWait } from '../../domain/events/delivery.ts';
import { type EventSender, GONE, type HeldEventDelivery, type PauseReason } from '../../domain/events/endpoint.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { StoreTx, WaitingDeliveries } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import {
  type Courier,
  type DeliveryContext,
  type DeliveryCounter,
  deliverNext,
  type FailedDelivery,
} from '../deliveries/deliver-next.ts';
import { NARROW } from '../narrow.ts';

/** For how long a delivery is kept after it has ended, in milliseconds. */
const KEPT_MS = 30 * DAY_MS;

/** Deliveries that are forgotten, or put off, in one transaction. */
const TOGETHER = 500;

export interface EventDeliveryContext extends DeliveryContext {
  readonly eventCounter: DeliveryCounter;
  readonly sender: EventSender;
}

/** Why an endpoint is asked for nothing more after a failed try; null when it goes on. */
async function whyPaused(
  tx: StoreTx,
  { endpoint, queuedAt }: HeldEventDelivery,
  { error, isLast }: FailedDelivery,
): Promise<PauseReason | null> {
  if (error.status === GONE) return 'gone';
  if (!isLast) return null;
  return ((await tx.lastTaken(endpoint.id)) ?? 0) < queuedAt ? 'silent' : null;
}

/** What is done about a try that failed, once that is on disk. */
interface Aftermath {
  /** A delivery that was refused, and when it is tried again. */
  refused: { readonly delivery: HeldEventDelivery; readonly retryAt: number } | null;
}

function courierOf(
  { eventCounter, sender }: EventDeliveryContext,
  after: Aftermath,
): Courier<HeldEventDelivery, number> {
  return {
    what: 'event',
    counter: eventCounter,
    lease: (tx, request) => tx.leaseEventDelivery(request),
    send: ({ endpoint, event }) => sender.send(endpoint, event),
    markDelivered: (tx, delivery, { answer: status, now }) => tx.markEventDelivered({ ...delivery, status, now }),
    async putBack(tx, delivery, failed) {
      const { error, retryAt, now } = failed;
      const because = await whyPaused(tx, delivery, failed);
      const isGivenUp = because === null && failed.isLast;
      await tx.putEventDeliveryBack({
        ...delivery,
        now,
        error: error.message.replace(/^it /u, ''),
        status: error.status ?? null,
        retryAt: isGivenUp ? null : because === null ? retryAt : now,
        // A status is about one gig, unless it says that the whole endpoint is busy.
        askAt: error.status === undefined && !isGivenUp ? retryAt : now + askedWait(error),
      });
      if (because !== null) await tx.pauseWebhookEndpoint(delivery.endpoint.id, { because, now });
      const waits = because === null && !isGivenUp && error.status !== undefined;
      after.refused = waits ? { delivery, retryAt } : null;
      return { isGivenUp, paused: because };
    },
    fieldsOf: ({ id, event, endpoint }) => ({
      delivery: id,
      webhook: endpoint.id,
      event: event.uid,
      type: event.type,
      gigId: event.gigId,
    }),
  };
}

/**
 * Delivers the event that is next for an endpoint to which nothing is sent. Nothing is delivered before what happened to the same gig
 * earlier.
 * @returns whether there was one
 */
export async function deliverNextEvent(deps: EventDeliveryContext, onLeased: () => void): Promise<boolean> {
  // Without a transaction, because there is nothing most of the time.
  if (!(await deps.store.isEventDeliveryDue(deps.clock()))) return false;
  const after: Aftermath = { refused: null };
  const isMade = await deliverNext(deps, { ...courierOf(deps, after), onLeased });
  if (after.refused !== null) await putOffLater(deps, after.refused);
  return isMade;
}

/** Has what waits for a refused delivery not be looked at before that is tried again. */
async function putOffLater(
  { store }: ServiceContext,
  { delivery, retryAt }: NonNullable<Aftermath['refused']>,
): Promise<void> {
  const { endpointId, gigId, replay } = delivery;
  let after: number | null = delivery.place;
  while (after !== null) {
    const waiting: WaitingDeliveries = { endpointId, gigId, replay, after, retryAt, limit: TOGETHER };
    after = await store.transaction((tx) => tx.putOffDeliveries(waiting), NARROW);
  }
}

/** Forgets deliveries a while after they have ended; the events stay. */
export async function forgetDeliveries({ store, clock }: ServiceContext): Promise<void> {
  const request = { before: clock() - KEPT_MS, limit: TOGETHER };
  while ((await store.transaction((tx) => tx.deleteOldDeliveries(request), NARROW)) >= TOGETHER);
}
