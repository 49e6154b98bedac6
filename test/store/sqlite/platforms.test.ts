import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { openTestStore } from '../../support/database.ts';
import { MIGRATIONS, seedGig } from '../../support/store.ts';

const BOB = { platform: 'twitter', platformUserId: '7' } as const;

test('error: nothing is stored of a platform without a row; its row is taken when the store is opened', async () => {
  const { store, database, close } = await openTestStore();
  const { id } = await seedGig(store);
  const behind = new Database(database.url);
  behind.prepare("delete from platforms where id = 'twitter'").run();
  behind.close();
  const refused = 'FOREIGN KEY constraint failed';
  await expect(seedGig(store, { platform: 'twitter' })).rejects.toThrow(refused);
  await expect(store.transaction((tx) => tx.addGigOwner(id, BOB, 1))).rejects.toThrow(refused);
  await expect(store.transaction((tx) => tx.setPollCursor('twitter', 'c', 1))).rejects.toThrow(refused);
  const again = await openSqliteStore({ path: database.url, migrationsFolder: MIGRATIONS });
  expect(await again.transaction((tx) => tx.addGigOwner(id, BOB, 1))).toBe(true);
  await again.close();
  await close();
});
