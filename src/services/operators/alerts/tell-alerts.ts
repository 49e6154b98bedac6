import { AdapterError } from '../../../domain/errors.ts';
import {
  type AlertReceiver,
  type AlertSender,
  alertMessage,
  type LeasedDelivery,
  testMessage,
} from '../../../domain/operators/alert.ts';
import {
  type Courier,
  type DeliveryContext,
  type DeliveryCounter,
  deliverNext,
} from '../../deliveries/deliver-next.ts';

export interface TellContext extends DeliveryContext, AlertSender {
  readonly alertCounter: DeliveryCounter;
}

function courierTo(
  { alertCounter, publicUrl, siteName }: TellContext,
  receiver: AlertReceiver,
): Courier<LeasedDelivery, number> {
  return {
    what: 'alert',
    counter: alertCounter,
    lease: (tx, request) => tx.leaseDelivery(receiver.id, request),
    send: (delivery) => receiver.send(alertMessage(delivery, { publicUrl, siteName })),
    markDelivered: (tx, { id, lease }, { now }) => tx.markDelivered(id, { lease, now }),
    async putBack(tx, { id, lease }, { error, retryAt, isLast, now }) {
      await tx.putDeliveryBack(id, { lease, retryAt: isLast ? null : retryAt, error: error.message, now });
      return { isGivenUp: isLast, paused: null };
    },
    fieldsOf: ({ id, news, alert }) => ({
      delivery: id,
      receiver: receiver.label,
      news,
      kind: alert.kind,
      subject: alert.subject,
    }),
  };
}

/**
 * Delivers the receiver's alert that has been due longest.
 * @returns whether there was one
 */
export async function tellNextAlert(deps: TellContext, receiver: AlertReceiver): Promise<boolean> {
  // Most looks find none, for which no transaction is opened.
  if (!(await deps.store.isDeliveryDue(receiver.id, deps.clock()))) return false;
  return await deliverNext(deps, courierTo(deps, receiver));
}

/** Sends each receiver a test, at once and without a repeat. @returns what each answered, in their order */
export async function testReceivers(
  { clock, newId, ...sender }: AlertSender & { clock: () => number; newId: () => string },
  receivers: readonly AlertReceiver[],
): Promise<{ label: string; isDelivered: boolean; answer: string }[]> {
  const tests = receivers.map(async (receiver) => {
    const { label } = receiver;
    try {
      const status = await receiver.send(testMessage({ id: newId(), now: clock() }, sender));
      return { label, isDelivered: true, answer: `answered with status ${status}` };
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      return { label, isDelivered: false, answer: error.message.replace(/^it /u, '') };
    }
  });
  return await Promise.all(tests);
}
