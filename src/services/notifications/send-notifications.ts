import type { AdapterError, AdapterReason } from '../../domain/errors.ts';
import { askedWait, deliveryBackoff } from '../../domain/events/delivery.ts';
import type { NotificationOutcome, SocialPlatform } from '../../domain/mentions/mention.ts';
import type { HeldNotification, Notification, NotificationText } from '../../domain/notifications/notification.ts';
import { isStale, mostOf, notifiableAt } from '../../domain/notifications/pace.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { type Courier, deliverNext } from '../deliveries/deliver-next.ts';
import { composeNotification, pageOf } from './compose.ts';
import type { NotifyContext } from './context.ts';

/** The answers of the kind 4xx, but for those that say when to come again: the same request would get the same answer. */
const FINAL: ReadonlySet<AdapterReason> = new Set<AdapterReason>([
  'unauthorized',
  'payment_required',
  'forbidden',
  'not_found',
  'duplicate',
  'rejected',
]);

/** The longest pause of all sending after a failure that no platform asked for. Milliseconds. */
const LONGEST_PAUSE_MS = MINUTE_MS;

/** For how long a notification is kept after it has ended, in milliseconds. */
const KEPT_MS = 30 * DAY_MS;
const FORGOTTEN_TOGETHER = 500;

const STALE = 'it could not be sent while it was news';

/** For how long nothing is sent after a run. */
interface Run {
  pauseMs: number;
}

interface Due {
  readonly notification: Notification;
  /** Null when there is nothing to tell. */
  readonly text: NotificationText | null;
  readonly network: SocialPlatform;
}

interface LeaseRequest {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

/** Leases a notification, unless it is not to be sent now or any more. */
async function leaseDue(
  tx: StoreTx,
  { notification, text }: Due,
  request: LeaseRequest,
): Promise<HeldNotification | null> {
  const { now } = request;
  const { id, tries, count } = notification;
  // First, because it locks all others out.
  const asked = { since: now - DAY_MS, now, most: mostOf(notification) };
  const times = await tx.notifiedTimes(notification, asked);
  const at = notifiableAt(times, now);
  const isQuiet = (await tx.quietAccounts([notification])).length > 0;
  if (isQuiet || text === null) {
    await tx.giveUpNotification({ id, state: 'dropped', error: null, now });
    return null;
  }
  if (isStale(notification, at)) {
    await tx.giveUpNotification({ id, state: 'failed', error: notification.error ?? STALE, now });
    return null;
  }
  if (at > now) {
    // All that wait for the same: otherwise each would be looked at.
    if (times.dayFullAt === null) await tx.putAccountOff(notification, at, now);
    await tx.putNotificationOff(id, at, now);
    return null;
  }
  const isLeased = await tx.leaseNotification({ id, tries, count, text, ...request });
  return isLeased ? { ...notification, text, lease: request.lease, tries: tries + 1, nextAt: request.until } : null;
}

/** How long all sending waits after a failure: one that is about an account alone holds up no other. */
function pauseAfter(error: AdapterError, tries: number): number {
  if (error.status === 200 || FINAL.has(error.reason)) return 0;
  return Math.max(askedWait(error), Math.min(deliveryBackoff(tries), LONGEST_PAUSE_MS));
}

function courierOf(
  { notificationCounter, publicUrl }: NotifyContext,
  due: Due,
  run: Run,
): Courier<HeldNotification, NotificationOutcome> {
  return {
    what: 'notification',
    counter: notificationCounter,
    lease: (tx, request) => leaseDue(tx, due, request),
    async send(held) {
      const { platformUserId: accountId, uuid, text, nextAt } = held;
      if (due.network.notify === undefined) throw new TypeError(`${due.network.platform} sends no notifications`);
      const url = `${publicUrl}${pageOf(held)}`;
      return await due.network.notify({ accountId, ...text, url, uuid, notAfter: nextAt });
    },
    markDelivered: (tx, { id, lease }, { answer: state, now }) =>
      tx.endNotification({ id, lease, state, error: null, now }),
    async putBack(tx, held, { error, retryAt, now }) {
      const { id, lease } = held;
      const { message } = error;
      const isGivenUp = FINAL.has(error.reason) || isStale(held, retryAt);
      if (isGivenUp) await tx.endNotification({ id, lease, state: 'failed', error: message, now });
      else await tx.putNotificationBack({ id, lease, retryAt, error: message, now });
      run.pauseMs = pauseAfter(error, held.tries);
      return { isGivenUp, paused: null };
    },
    fieldsOf: ({ uuid, kind, gigId, platform, platformUserId }) => ({ uuid, kind, gigId, platform, platformUserId }),
  };
}

/** Sends notifications one after another. */
export interface Notifier {
  /** Sends the notification that has been due longest, if it may be sent now; `kept` when it may not, `none` when none is due. */
  sendNext(): Promise<'sent' | 'kept' | 'none'>;
}

/** A {@link Notifier} that pauses while the platform takes nothing. */
export function createNotifier(deps: NotifyContext): Notifier {
  const { store, clock, platforms } = deps;
  let pause: { readonly since: number; readonly ms: number } | null = null;

  function isPaused(now: number): boolean {
    // A clock that was set back ends the pause.
    if (pause === null || now < pause.since || now >= pause.since + pause.ms) pause = null;
    return pause !== null;
  }

  async function findDue(now: number): Promise<Due | null> {
    const notification = await store.dueNotification(now);
    const network = notification === null ? undefined : platforms.get(notification.platform);
    if (notification === null || network === undefined) return null;
    const text = notification.text ?? (await composeNotification({ store, clock }, notification));
    return { notification, text, network };
  }

  return {
    async sendNext() {
      if (isPaused(clock())) return 'none';
      const due = await findDue(clock());
      if (due === null) return 'none';
      const run: Run = { pauseMs: 0 };
      const isTried = await deliverNext(deps, courierOf(deps, due, run));
      if (run.pauseMs > 0) pause = { since: clock(), ms: run.pauseMs };
      return isTried ? 'sent' : 'kept';
    },
  };
}

/** Forgets notifications a while after they have ended, and those that have waited as long. */
export async function forgetNotifications({ store, clock }: ServiceContext): Promise<void> {
  const before = clock() - KEPT_MS;
  const some = (tx: StoreTx) => tx.forgetNotifications(before, FORGOTTEN_TOGETHER);
  while ((await store.transaction(some, { narrow: true })) >= FORGOTTEN_TOGETHER);
}
