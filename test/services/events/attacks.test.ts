import { beforeEach, expect, test } from 'vitest';
import { forgetDeliveries } from '../../../src/services/events/deliver-events.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase, writeEvents } from './world.ts';

const HOUR = 3_600_000;

const { store, wire, courier } = courierPerCase();
let gigs: [number, number];
beforeEach(async () => {
  const seed = async () => (await seedGig(store, { client: 'shop', live: true })).id;
  gigs = [await seed(), await seed()];
});

const deliveries = (endpointId: number) => store.eventDeliveries({ endpointId, limit: 10_000 });

test('security: an endpoint that fails once after the service was down for days is neither paused nor given up', async () => {
  const id = await courier.endpoint(wire.url);
  await courier.happen(gigs[0]);
  await courier.release();
  courier.advance(80 * HOUR);
  wire.react(answerWith(503));
  await courier.deliver();
  expect(await store.webhookEndpoint(id)).toMatchObject({ pausedAt: null });
  expect(await deliveries(id)).toMatchObject([{ state: 'queued', tries: 1 }]);
  wire.react(answerWith(204));
  courier.advance(10_000);
  await courier.deliver();
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }]);
});

test('security: thousands that wait for one refused event are put off with it, and come in order', async () => {
  await courier.endpoint(wire.url);
  wire.choose(({ body }) => answerWith(body.data.gig_id === gigs[0] ? 503 : 204));
  await writeEvents(store, gigs[0], 1_200);
  await courier.happen(gigs[1]);
  await courier.deliver();
  expect(wire.seqs()).toEqual([1, 1_201]);
  // Nothing is looked at for the second gig's neighbours before the first is due again.
  expect(await store.isEventDeliveryDue(courier.clock() + 9_999)).toBe(false);
  const waits = (await deliveries(1)).filter(({ state }) => state === 'queued');
  expect(new Set(waits.map(({ nextAt }) => nextAt))).toEqual(new Set([courier.clock() + 10_000]));
  wire.react(answerWith(204));
  courier.advance(10_000);
  await courier.deliver();
  expect(wire.seqs().slice(2)).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 1));
});

test('security: what is queued for a deleted endpoint is not sent, however much it is, and is forgotten', async () => {
  const id = await courier.endpoint(wire.url);
  await writeEvents(store, gigs[0], 1_200);
  await courier.release();
  await store.transaction((tx) => tx.deleteWebhookEndpoint(id, courier.clock()));
  await courier.deliver();
  expect(wire.received).toEqual([]);
  await forgetDeliveries(courier.deps);
  expect(await deliveries(id)).toEqual([]);
});

test('security: an endpoint that is deleted while a request is under way gets nothing more, and its request ends well', async () => {
  const id = await courier.endpoint(wire.url);
  await courier.happen(gigs[0], gigs[0]);
  const under = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  wire.react((response) => {
    under.resolve();
    void gone.promise.then(() => response.writeHead(204).end());
  });
  const delivering = courier.deliver();
  await under.promise;
  await store.transaction((tx) => tx.deleteWebhookEndpoint(id, courier.clock()));
  gone.resolve();
  await delivering;
  expect(wire.received).toHaveLength(1);
  expect(courier.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
