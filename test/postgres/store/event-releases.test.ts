import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_TYPES, type NewEvent } from '../../../src/domain/events/event.ts';
import { seedGig } from '../../support/store.ts';
import { type Instances, openInstances } from './instances.ts';

let instances: Instances;
beforeEach(async () => {
  instances = await openInstances();
});
afterEach(() => instances.close());

describe('two instances that write and release at once', () => {
  test('security: a reader by place misses nothing and sees nothing twice, and gigs keep their order', async () => {
    const [one, two] = instances.stores;
    const gigs: number[] = [];
    for (let each = 0; each < 6; each += 1) gigs.push((await seedGig(one, { client: 'shop' })).id);
    let written = 0;
    let isOver = false;
    const WRITES = 240;
    /** Each gig's events are numbered in the order of their commits. */
    const counts = new Map<number, number>();

    const writing = instances.atOnce(WRITES, async (store, turn) => {
      const named = [gigs[turn % 6] ?? 0, gigs[(turn * 5 + 1) % 6] ?? 0];
      await store.transaction(async (tx) => {
        const events: NewEvent[] = [];
        // Locks its gigs first, as every cause does.
        for (const gigId of [...new Set(named)].sort((a, b) => a - b)) {
          await tx.gig(gigId);
          events.push({ type: 'tip.voided', at: 1, gigId, facts: { tip_id: turn } });
        }
        await tx.insertEvents(events);
      });
      for (const gigId of new Set(named)) counts.set(gigId, (counts.get(gigId) ?? 0) + 1);
      written += new Set(named).size;
    });

    async function release(store: typeof one, holder: string): Promise<void> {
      let clock = 0;
      while (!isOver) {
        clock += 10;
        // Each holds it for a moment only, so that they take turns.
        const request = { holder, now: clock, until: clock + 1, limit: 5 };
        await store.transaction((tx) => tx.releaseEvents(request), { narrow: true });
      }
    }

    const read: { seq: number; uid: string; gigId: number }[] = [];
    async function follow(): Promise<void> {
      for (;;) {
        const isLast = isOver;
        const after = read.at(-1)?.seq ?? 0;
        const filter = { after, client: 'shop', types: EVENT_TYPES, gigId: null, limit: 50 };
        const page = await two.eventsAfter(filter);
        read.push(...page.map(({ seq, uid, gigId }) => ({ seq, uid, gigId })));
        if (isLast && page.length === 0) return;
      }
    }

    const releasing = [release(one, 'one'), release(two, 'two')];
    const following = follow();
    await writing;
    while (await one.isReleaseDue()) await new Promise((resolve) => setTimeout(resolve, 5));
    isOver = true;
    await Promise.all([...releasing, following]);
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: written }, (_, index) => index + 1));
    expect(new Set(read.map(({ uid }) => uid)).size).toBe(written);
    for (const gigId of gigs)
      expect(read.filter((event) => event.gigId === gigId)).toHaveLength(counts.get(gigId) ?? 0);
  });

  test('security: one request at a time for an endpoint, and two for a client, whoever leases', async () => {
    const [one] = instances.stores;
    const { id: gigId } = await seedGig(one, { client: 'shop' });
    const endpoint = { client: 'shop', url: 'http://x', types: [], salt: 'ab', apiKeyId: null, createdAt: 1 };
    for (let each = 0; each < 4; each += 1) await one.transaction((tx) => tx.insertWebhookEndpoint(endpoint));
    await one.transaction((tx) => tx.insertEvents([{ type: 'gig.ended', at: 1, gigId, facts: {} }]));
    await one.transaction((tx) => tx.releaseEvents({ holder: 'a', now: 1, until: 2, limit: 10 }));
    const leased = await instances.atOnce(12, (store, turn) =>
      store.transaction((tx) => tx.leaseEventDelivery({ lease: `l${turn}`, now: 10, until: 100 })),
    );
    const held = leased.flatMap((each) => (each === null || typeof each === 'string' ? [] : [each.endpoint.id]));
    expect([held.length, new Set(held).size]).toEqual([2, 2]);
  });
});
