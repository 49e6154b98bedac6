import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { findEvents } from '../../../src/services/events/read-events.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase, writeEvents } from './world.ts';

/** More than are looked at in one piece. */
const COMMON = 10_500;

const { store, courier } = courierPerCase();

test('behavior: an event of a rare type is found behind thousands of others, which are looked at in pieces', async () => {
  const { id: gigId } = await seedGig(store, { client: 'shop', live: true });
  await writeEvents(store, gigId, COMMON);
  await writeEvents(store, gigId, 1, 'gig.ended');
  await writeEvents(store, gigId, 1);
  await courier.release();
  const asked: { after: number; upTo: number | undefined }[] = [];
  const turnsAt: number[] = [];
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (asked.length < 2) setImmediate(turn);
  };
  const counted = {
    ...store,
    eventsAfter: async (filter: Parameters<typeof store.eventsAfter>[0]) => {
      asked.push({ after: filter.after, upTo: filter.upTo });
      turnsAt.push(turns);
      return await store.eventsAfter(filter);
    },
  };
  const query = { after: '0', gigId: null, limit: 10, actor: COMMAND_LINE };
  setImmediate(turn);
  const { events, next } = await findEvents({ store: counted }, { ...query, types: ['gig.ended'] });
  expect(events.map(({ seq, type }) => [seq, type])).toEqual([[COMMON + 1, 'gig.ended']]);
  expect(asked).toEqual([
    { after: 0, upTo: 10_000 },
    { after: 10_000, upTo: COMMON + 2 },
  ]);
  expect(turnsAt[1]).toBeGreaterThan(turnsAt[0] ?? Number.POSITIVE_INFINITY);
  expect(next).toMatch(new RegExp(`^${COMMON + 1}-`));
  expect((await findEvents({ store }, { ...query, types: [], after: '10499', limit: 2 })).events).toHaveLength(2);
});
