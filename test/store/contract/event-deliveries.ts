import { describe, expect, test } from 'vitest';
import { seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeEventDeliveries({ store, write }: Subject): void {
  /** Deliveries 1 and 2 of a gig's events and 3 and 4 of another's, which are due at 30: of events at 10 and at 20. */
  async function seed() {
    const gigIds = [(await seedGig(store, { client: 'shop' })).id, (await seedGig(store, { client: 'shop' })).id];
    const endpoint = { client: 'shop', url: 'http://x', types: [], salt: 'ab', apiKeyId: null, createdAt: 1 };
    const endpointId = await write.insertWebhookEndpoint(endpoint);
    const times = gigIds.flatMap((gigId) => [10, 20].map((at) => ({ gigId, at })));
    await write.insertEvents(times.map((each) => ({ ...each, type: 'tip.voided', facts: { tip_id: each.at } })));
    await write.releaseEvents({ holder: 'a', now: 30, until: 40, limit: 9 });
    return { endpointId, gigId: gigIds[0] ?? 0 };
  }

  describe('deliveries of events', () => {
    test('behavior: that wait for one of their gig are put off with it, never to an earlier time', async () => {
      const { endpointId, gigId } = await seed();
      const putOff = (retryAt: number) =>
        write.putOffDeliveries({ endpointId, gigId, replay: false, after: 1, retryAt, limit: 9 });
      expect([await putOff(100), await putOff(50)]).toEqual([2, 2]);
      const listed = (await store.eventDeliveries({ endpointId, limit: 9 })).toReversed();
      expect(listed.map(({ nextAt }) => nextAt)).toEqual([30, 100, 30, 30]);
    });

    test('behavior: of a span of time are made again for what came from its begin until before its end', async () => {
      const { endpointId } = await seed();
      const request = { endpointId, which: { since: 10, until: 20 }, after: 0, now: 50, limit: 9 };
      expect(await write.replayEvents(request)).toEqual({ count: 2, last: 3 });
    });

    test('behavior: that ended before a time are forgotten', async () => {
      const { endpointId, gigId } = await seed();
      const { id = '' } = (await write.leaseEventDelivery({ lease: 'l', now: 50, until: 90 })) ?? {};
      await write.markEventDelivered({ id, endpointId, gigId, lease: 'l', now: 60, status: 200 });
      const forget = (before: number) => write.deleteOldDeliveries({ before, limit: 9 });
      expect([await forget(60), await forget(61)]).toEqual([0, 1]);
    });
  });
}
