import { beforeEach, describe, expect, test } from 'vitest';
import { releaseEvents } from '../../../src/services/events/release-events.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { createCourier } from './world.ts';

const counted = countTransactions();
const { store } = storePerCase({ wrap: counted.wrap });
const courier = perCase(() => createCourier(store));
let wakes: number;
let gigId: number;
beforeEach(async () => {
  wakes = 0;
  gigId = (await seedGig(store, { client: 'shop' })).id;
});

const wakeDeliveries = () => {
  wakes += 1;
};
const release = () => releaseEvents({ ...courier.deps, holder: 'a', wakeDeliveries });

describe('the release of events', () => {
  test('behavior: begins no transaction while there is nothing to release', async () => {
    await courier.happen(gigId);
    await release();
    const before = counted.count();
    expect(await release()).toBe(false);
    expect(counted.count()).toBe(before);
  });

  test('behavior: wakes deliveries when it has queued some, and not for events that no endpoint takes', async () => {
    await courier.happen(gigId);
    await release();
    expect(wakes).toBe(0);
    await courier.endpoint('https://a.example/');
    await courier.happen(gigId);
    await release();
    expect(wakes).toBe(1);
    await release();
    expect(wakes).toBe(1);
  });

  test('security: is made by one process at a time, for ten seconds after its last one', async () => {
    const other = () => releaseEvents({ ...courier.deps, holder: 'b', wakeDeliveries });
    await courier.endpoint('https://a.example/');
    await courier.happen(gigId);
    await release();
    await courier.happen(gigId);
    courier.advance(9_999);
    expect([await other(), wakes]).toEqual([false, 1]);
    courier.advance(1);
    expect([await other(), wakes, await store.lastEventSeq()]).toEqual([false, 2, 2]);
  });

  test('behavior: gives at most a hundred events their places at once, and says whether there may be more', async () => {
    await courier.happen(...Array.from({ length: 101 }, () => gigId));
    const answers: boolean[] = [];
    do answers.push(await release());
    while (answers.at(-1));
    expect(answers.length).toBeGreaterThan(1);
    expect(answers.slice(0, -1)).not.toContain(false);
    await courier.endpoint('https://a.example/');
    await courier.happen(gigId);
    await release();
    const [delivery] = await store.eventDeliveries({ endpointId: null, limit: 1 });
    expect(delivery).toMatchObject({ seq: 102 });
  });
});
