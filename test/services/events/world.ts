import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { EventType, NewEvent } from '../../../src/domain/events/event.ts';
import { createEventSender } from '../../../src/endpoints/sender.ts';
import { createDeliveryCounter } from '../../../src/services/deliveries/deliver-next.ts';
import { deliverNextEvent, type EventDeliveryContext } from '../../../src/services/events/deliver-events.ts';
import { releaseEvents } from '../../../src/services/events/release-events.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openEventReceiver } from '../../support/event-receiver.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { createClock, keepLog } from '../fakes.ts';

/** A new key as `SIGNING_KEY` has it. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** For each test a store with a courier on it and a receiver of events. */
export function courierPerCase(options: Parameters<typeof createCourier>[1] = {}) {
  const { store } = storePerCase();
  const wire = perCase(() => openEventReceiver());
  return { store, wire, courier: perCase(() => createCourier(store, options)) };
}

/** Many events of a gig, which are written at once and not released. */
export async function writeEvents(store: Store, gigId: number, count: number, type: EventType = 'tip.voided') {
  const events = Array.from({ length: count }, () => ({ type, at: 1, gigId, facts: {} }));
  await store.transaction((tx) => tx.insertEvents(events));
}

/** One process on a store that releases and delivers events when a test says so. */
export function createCourier(
  store: Store,
  { name = 'a', timeoutMs = 2_000, signingKey = newSigningKey(), around = createClock() } = {},
) {
  const { clock, advance } = around;
  const { log, lines } = keepLog();
  const sender = createEventSender({ signingKey, allowPrivate: true, clock, signedAt: clock, timeoutMs });
  if (sender === null) throw new Error('there is a key');
  let ids = 0;
  const eventCounter = createDeliveryCounter();
  const deps: EventDeliveryContext = {
    store,
    clock,
    log,
    sender,
    eventCounter,
    newId: () => `${name}-${++ids}`,
    timing: { leaseMs: 30_000, backoffMs: 10_000 },
  };
  const release = async () => {
    while (await releaseEvents({ store, clock, log, holder: name, wakeDeliveries: () => undefined }));
  };
  const deliverOne = () => deliverNextEvent(deps, () => undefined);
  return {
    clock,
    advance,
    lines,
    sender,
    deps,
    eventCounter,
    release,
    deliverOne,
    /** Releases all, and delivers all that is due, by so many lanes. */
    async deliver(lanes = 1) {
      await release();
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (await deliverOne());
        }),
      );
    },
    /** An endpoint for the events of a client from now on. */
    endpoint(url: string, { client = 'shop', types = [] }: { client?: string | null; types?: EventType[] } = {}) {
      const salt = randomBytes(16).toString('hex');
      const made = { client, url, types, salt, apiKeyId: null, createdAt: clock() };
      return store.transaction((tx) => tx.insertWebhookEndpoint(made));
    },
    /** Writes that tips of these gigs were voided, each by itself. */
    async happen(...gigIds: readonly number[]) {
      for (const [n, gigId] of gigIds.entries()) {
        const event: NewEvent = { type: 'tip.voided', at: clock(), gigId, facts: { tip_id: n + 1, amount: '1' } };
        await store.transaction((tx) => tx.insertEvents([event]));
      }
    },
  };
}
