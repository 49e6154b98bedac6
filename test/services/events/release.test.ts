import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { releaseEvents } from '../../../src/services/events/release-events.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openTestStore } from '../../support/database.ts';
import { seedGig } from '../../support/store.ts';
import { createCourier } from './world.ts';

let store: Store;
let close: () => Promise<void>;
let transactions: number;
let wakes: number;
let courier: ReturnType<typeof createCourier>;
let gigId: number;
beforeEach(async () => {
  const opened = await openTestStore();
  close = opened.close;
  store = {
    ...opened.store,
    transaction: (run, options) => {
      transactions += 1;
      return opened.store.transaction(run, options);
    },
  };
  transactions = 0;
  wakes = 0;
  courier = createCourier(store);
  gigId = (await seedGig(store, { client: 'shop' })).id;
});
afterEach(() => close());

const release = (holder = 'a') =>
  releaseEvents({
    store,
    clock: courier.clock,
    log: courier.deps.log,
    holder,
    wakeDeliveries: () => {
      wakes += 1;
    },
  });

describe('the release of events', () => {
  test('behavior: begins no transaction while there is nothing to release', async () => {
    await courier.happen(gigId);
    await release();
    transactions = 0;
    expect(await release()).toBe(false);
    expect(transactions).toBe(0);
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
