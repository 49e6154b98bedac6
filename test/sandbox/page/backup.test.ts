import { expect, test } from 'vitest';
import { createBackup } from '../../../sandbox/page/backup.ts';
import { openRecords } from '../../../sandbox/page/records.ts';
import { openTestStore } from '../../support/database.ts';
import { seedGig } from '../../support/store.ts';

test('behavior: a copy of the database is put back under a reader that has it open, again and again', async () => {
  const { store, database, close } = await openTestStore();
  let now = 1;
  await seedGig(store);
  const backup = await createBackup({ path: database.url, clock: () => now });
  const reader = await openRecords(database.url);
  await seedGig(store);
  const version = await reader.version();
  expect([...(await reader.read()).gigs.keys()]).toEqual([1, 2]);
  await backup.putBack();
  expect([...(await reader.read()).gigs.keys()]).toEqual([1]);
  expect(await reader.version()).not.toBe(version);

  now = 2;
  await backup.take();
  expect(backup.takenAt()).toBe(2);
  await backup.putBack();
  expect([...(await reader.read()).gigs.keys()]).toEqual([1]);
  await reader.close();
  await close();
});
