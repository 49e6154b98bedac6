import { expect, test } from 'vitest';
import { endedEvent } from '../../../src/domain/events/event.ts';
import { createWakingStore } from '../../../src/services/events/waking-store.ts';
import type { Store, StoreTx, TransactionOptions } from '../../../src/store/port/index.ts';
import { storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';

const { store } = storePerCase();

test('behavior: a commit with an event wakes what releases them, and no other', async () => {
  const { id } = await seedGig(store);
  let wakes = 0;
  const waking = createWakingStore(store, () => {
    wakes += 1;
  });
  expect(waking.isWaking).toBe(true);
  expect(await waking.gig(id)).toEqual(await store.gig(id));
  expect(await waking.transaction((tx) => tx.gig(id))).toEqual(await store.gig(id));
  await waking.transaction((tx) => tx.insertEvents([]));
  expect(wakes).toBe(0);
  const undone = waking.transaction(async (tx) => {
    await tx.insertEvents([endedEvent(id, 1)]);
    throw new TypeError('ours');
  });
  await expect(undone).rejects.toThrow('ours');
  expect([wakes, await store.isReleaseDue()]).toEqual([0, false]);
  await waking.transaction(async (tx) => {
    await tx.insertEvents([endedEvent(id, 1)]);
    await tx.insertEvents([]);
    expect(wakes).toBe(0);
  });
  expect([wakes, await store.isReleaseDue()]).toEqual([1, true]);
});

test('behavior: what a run wrote that was undone and ran again wakes nobody', async () => {
  const asked: (TransactionOptions | undefined)[] = [];
  const transaction: Store['transaction'] = async (run, options) => {
    asked.push(options);
    const tx = { insertEvents: async () => undefined } as unknown as StoreTx;
    await run(tx);
    return await run(tx);
  };
  let [wakes, runs] = [0, 0];
  const waking = createWakingStore({ ...store, transaction }, () => {
    wakes += 1;
  });
  const options = { narrow: true };
  const run = async (tx: StoreTx) => {
    runs += 1;
    if (runs === 1) await tx.insertEvents([endedEvent(1, 1)]);
    return runs;
  };
  expect(await waking.transaction(run, options)).toBe(2);
  expect([wakes, asked]).toEqual([0, [options]]);
});
