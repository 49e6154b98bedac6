import { expect, test } from 'vitest';
import type { KeyActor } from '../../../src/domain/operators/actor.ts';
import { createEventWait } from '../../../src/services/events/read-events.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openTestStore } from '../../support/database.ts';
import { storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { createCourier } from './world.ts';

const READERS = 300;

const { store } = storePerCase();

const readerOf = (client: string): KeyActor => ({
  kind: 'api_key',
  name: client,
  client,
  scopes: ['events:read'],
  id: 1,
  requestId: 'test',
});

test('security: hundreds that wait share one look, and each gets the events of its own client', async () => {
  const courier = createCourier(store);
  const clients = Array.from({ length: READERS }, (_, each) => `client${each}`);
  const gigs = [await seedGig(store, { client: 'client7', live: true }), await seedGig(store, { client: 'client9' })];
  const asked = { looks: 0, pages: 0 };
  const counted: Store = {
    ...store,
    lastEventSeq: async () => {
      asked.looks += 1;
      return await store.lastEventSeq();
    },
    eventsAfter: async (filter) => {
      asked.pages += 1;
      return await store.eventsAfter(filter);
    },
  };
  let sleeps = 0;
  const { read } = createEventWait({
    store: counted,
    sleep: async () => {
      sleeps += 1;
      // The readers' first pages are read before anything happens.
      if (sleeps === 10) {
        for (const gig of gigs) await courier.happen(gig.id);
        await courier.release();
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
      return true;
    },
  });
  const query = { after: '0', types: [], gigId: null, limit: 10 };
  const answers = await Promise.all(
    clients.map(async (client) => await read({ ...query, actor: readerOf(client) }, 10_000, () => false)),
  );
  const told = answers.flatMap(({ events }, each) => events.map(({ gigId }) => [clients[each], gigId]));
  expect(told).toEqual([
    ['client7', gigs[0]?.id],
    ['client9', gigs[1]?.id],
  ]);
  // A page when something had happened; and a look of its own then and at first.
  expect(asked.pages).toBe(READERS);
  expect(asked.looks).toBeLessThanOrEqual(sleeps + 2 * READERS);
  expect(sleeps).toBeLessThan(30);
});

test('security: one that waits while the database is put back to an older copy is told to begin again', async () => {
  const courier = createCourier(store);
  const gig = await seedGig(store, { client: 'shop', live: true });
  await courier.happen(gig.id);
  await courier.release();
  const older = await openTestStore();
  let current = store;
  const { read } = createEventWait({
    store: {
      ...store,
      lastEventSeq: () => current.lastEventSeq(),
      eventAt: (seq) => current.eventAt(seq),
      eventsAfter: (filter) => current.eventsAfter(filter),
    },
    sleep: async () => {
      current = older.store;
      return await Promise.resolve(true);
    },
  });
  const query = { after: 'latest', types: [], gigId: null, limit: 10, actor: readerOf('shop') };
  await expect(read(query, 10_000, () => false)).rejects.toMatchObject({ refusal: { code: 'invalid_cursor' } });
  await older.close();
});
