import { AdapterError } from '../../../domain/errors.ts';
import {
  type AlertReceiver,
  alertBackoff,
  alertMessage,
  type LeasedDelivery,
  TRIED_FOR_MS,
  testMessage,
} from '../../../domain/operators/alert.ts';
import { summarizeError } from '../../../log.ts';
import type { JobContext } from '../../context.ts';

export interface TellTiming {
  /** How long a worker may hold a delivery before another may take it, in milliseconds: longer than a request. */
  readonly leaseMs: number;
  /** The first wait after a failed try, in milliseconds; it doubles up to half an hour. */
  readonly backoffMs: number;
}

export const TELL_TIMING: TellTiming = { leaseMs: 30_000, backoffMs: 10_000 };

/** What delivers alerts. */
export interface TellContext extends JobContext {
  readonly alertCounter: AlertCounter;
  /** The URL of the service, which receivers are told. */
  readonly publicUrl: string;
  readonly newId: () => string;
  readonly timing: TellTiming;
}

function fieldsOf({ id, news, alert }: LeasedDelivery, { label }: AlertReceiver) {
  return { delivery: id, receiver: label, news, kind: alert.kind, subject: alert.subject };
}

async function conclude(deps: TellContext, receiver: AlertReceiver, delivery: LeasedDelivery): Promise<void> {
  const change = { lease: delivery.lease, now: deps.clock() };
  const isKept = await deps.store.transaction((tx) => tx.markDelivered(delivery.id, change), { narrow: true });
  deps.alertCounter.tried('delivered');
  const fields = fieldsOf(delivery, receiver);
  if (isKept) deps.log.info(fields, 'alert delivered');
  else deps.log.warn(fields, 'alert was delivered, but its lease had ended; it is delivered again');
}

async function putBack(
  deps: TellContext,
  receiver: AlertReceiver,
  { delivery, error }: { delivery: LeasedDelivery; error: AdapterError },
): Promise<void> {
  const now = deps.clock();
  const retryAt = now + alertBackoff(delivery.tries, deps.timing.backoffMs);
  const isLast = retryAt - delivery.queuedAt > TRIED_FOR_MS;
  const change = { lease: delivery.lease, retryAt: isLast ? null : retryAt, error: error.message, now };
  await deps.store.transaction((tx) => tx.putDeliveryBack(delivery.id, change), { narrow: true });
  deps.alertCounter.tried(isLast ? 'given_up' : 'failed');
  const fields = { ...fieldsOf(delivery, receiver), tries: delivery.tries, error: summarizeError(error) };
  if (isLast) deps.log.error(fields, 'alert given up');
  else deps.log.warn({ ...fields, waitMs: retryAt - now }, 'alert not delivered yet');
}

/**
 * Delivers the receiver's alert that has been due longest. The delivery is leased on disk before it is sent: after a
 * crash it is sent again under the same id.
 * @returns whether there was one
 */
export async function tellNextAlert(deps: TellContext, receiver: AlertReceiver): Promise<boolean> {
  const now = deps.clock();
  // Most looks find none, for which no transaction is opened.
  if (!(await deps.store.isDeliveryDue(receiver.id, now))) return false;
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs };
  const delivery = await deps.store.transaction((tx) => tx.leaseDelivery(receiver.id, request), { narrow: true });
  if (delivery === null) return false;
  try {
    await receiver.send(alertMessage(delivery, deps));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    await putBack(deps, receiver, { delivery, error });
    return true;
  }
  await conclude(deps, receiver, delivery);
  return true;
}

/** Sends each receiver a test, at once and without a repeat. @returns what each answered, in their order */
export async function testReceivers(
  { publicUrl, clock, newId }: { publicUrl: string; clock: () => number; newId: () => string },
  receivers: readonly AlertReceiver[],
): Promise<{ label: string; isDelivered: boolean; answer: string }[]> {
  const tests = receivers.map(async (receiver) => {
    const { label } = receiver;
    try {
      const status = await receiver.send(testMessage({ id: newId(), now: clock(), publicUrl }));
      return { label, isDelivered: true, answer: `answered with status ${status}` };
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      return { label, isDelivered: false, answer: error.message.replace(/^it /u, '') };
    }
  });
  return await Promise.all(tests);
}

/** What becomes of a try to deliver: `failed` ones are made again. */
export const ALERT_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number];

/** Counts the tries to deliver alerts since the process started, for the metrics. */
export interface AlertCounter {
  tried(outcome: AlertOutcome, count?: number): void;
  tally(): Readonly<Record<AlertOutcome, number>>;
}

/** A counter that begins with nothing. */
export function createAlertCounter(): AlertCounter {
  const counts: Record<AlertOutcome, number> = { delivered: 0, failed: 0, given_up: 0 };
  return {
    tried(outcome, count = 1) {
      counts[outcome] += count;
    },
    tally: () => ({ ...counts }),
  };
}
