import type { AlertReceiver } from '../../../domain/operators/alert.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { ServiceContext } from '../../context.ts';

/** For how long a delivery that was given up is worth a word. Milliseconds. */
const REMEMBERED_MS = 7 * 24 * HOUR_MS;

export interface ReceiverTrouble {
  /** Null for a receiver whose URL is not configured any more. */
  readonly label: string | null;
  /** How many are tried again. */
  readonly waiting: number;
  /** How many were given up within a week and since the last that arrived. */
  readonly givenUp: number;
  /** Why the last try of one of them failed. */
  readonly error: string | null;
}

/** The receivers that do not take their alerts. */
export async function findReceiverTroubles(
  { store, clock }: ServiceContext,
  receivers: readonly AlertReceiver[],
): Promise<ReceiverTrouble[]> {
  const troubled = Map.groupBy(await store.troubledDeliveries(), ({ receiver }) => receiver);
  const found: ReceiverTrouble[] = [];
  for (const [id, deliveries] of troubled) {
    const since = Math.max((await store.lastDelivered(id)) ?? 0, clock() - REMEMBERED_MS);
    const waiting = deliveries.filter(({ state }) => state === 'queued');
    const givenUp = deliveries.filter(({ endedAt }) => endedAt !== null && endedAt > since);
    if (waiting.length + givenUp.length === 0) continue;
    const label = receivers.find((receiver) => receiver.id === id)?.label ?? null;
    const error = [...waiting, ...givenUp].findLast((delivery) => delivery.error !== null)?.error ?? null;
    found.push({ label, waiting: waiting.length, givenUp: givenUp.length, error });
  }
  return found;
}
