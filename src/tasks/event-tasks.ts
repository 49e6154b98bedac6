import type { Platform } from '../domain/account.ts';
import type { EventSender } from '../domain/events/endpoint.ts';
import type { Platforms } from '../domain/mentions/mention.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';
import { HOUR_MS } from '../domain/time.ts';
import { periodic, type Task } from '../jobs/runner.ts';
import type { TellTiming } from '../services/deliveries/deliver-next.ts';
import { deliverNextEvent, type EventDeliveryContext, forgetDeliveries } from '../services/events/deliver-events.ts';
import { tellEnded, tellFunded } from '../services/events/find-gig-events.ts';
import { releaseEvents } from '../services/events/release-events.ts';
import type { WakingStore } from '../services/events/waking-store.ts';
import type { FundingLook } from '../services/gigs/read-funding.ts';
import { pauseExpired } from '../services/operators/key-webhooks.ts';
import { createPacedStore, type Pacing } from '../services/paced-store.ts';

/** As many as may be under way at once. */
const EVENTS_AT_ONCE = 16;
const IDLE_MS = 1_000;
const ENDED_MS = 2_000;
const FUNDED_MS = 60_000;
const PAUSE_MS = 5_000;
export const RELEASE_EVENTS = 'release events';
export const DELIVER_EVENTS = 'deliver events';

/** Whether accounts of a platform may get notifications. */
function sendsNotifications(platform: Platform): boolean {
  return platformFacts(platform).sendsNotifications;
}

export interface EventTaskContext extends Pacing, FundingLook, Omit<EventDeliveryContext, 'sender' | 'timing'> {
  readonly store: WakingStore;
  readonly config: { readonly notifications: string | null };
  readonly platforms: Platforms;
  /** What sends events; null without a key to sign them with. */
  readonly sender: EventSender | null;
  readonly timing: { readonly tell: TellTiming };
  readonly wakes: { deliveringEvents(): void };
  /** Whether the clock has jumped ahead lately. */
  readonly hasJumped: () => boolean;
}

/** Events get their places also where none is sent, because programs read them. */
export function createEventTasks(deps: EventTaskContext): Task[] {
  const { config, newId, platforms, sender, timing, wakes } = deps;
  const notified = config.notifications === null ? [] : [...platforms.keys()].filter(sendsNotifications);
  const releasing = { ...deps, holder: newId(), wakeDeliveries: wakes.deliveringEvents };
  const release: Task = {
    name: RELEASE_EVENTS,
    concurrency: 1,
    intervalMs: IDLE_MS,
    run: () => releaseEvents(releasing),
  };
  const always = [
    release,
    periodic('tell ended gigs', ENDED_MS, async () => {
      // By a wrong clock gigs would have ended for good.
      if (!deps.hasJumped()) await tellEnded(deps);
    }),
    periodic('tell funded gigs', FUNDED_MS, () => tellFunded(deps, notified)),
  ];
  if (sender === null) return always;
  // Each payment is an event: deliveries must not slow payments down.
  const delivering = { ...deps, store: createPacedStore(deps.store, deps), sender, timing: timing.tell };
  const deliver: Task = {
    name: DELIVER_EVENTS,
    concurrency: EVENTS_AT_ONCE,
    intervalMs: IDLE_MS,
    run: (onLeased) => deliverNextEvent(delivering, onLeased),
  };
  const pausing = periodic('pause webhooks', PAUSE_MS, () => pauseExpired(deps));
  return [...always, pausing, deliver, periodic('forget deliveries', HOUR_MS, () => forgetDeliveries(deps))];
}
