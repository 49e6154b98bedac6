import { expect, test } from 'vitest';
import { addPlatform, FARCASTER } from '../../../src/domain/platforms.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { openTestStore } from '../../support/database.ts';
import { MIGRATIONS, seedGig } from '../../support/store.ts';

const POND = { platform: 'pond', platformUserId: '7' } as const;

test('error: nothing is stored of a platform without a row; its row is taken when the store is opened', async () => {
  const { store, database, close } = await openTestStore();
  const { id } = await seedGig(store);
  const refused = 'FOREIGN KEY constraint failed';
  await expect(seedGig(store, { platform: 'pond' })).rejects.toThrow(refused);
  await expect(store.transaction((tx) => tx.addGigOwner(id, POND, 1))).rejects.toThrow(refused);
  await expect(store.transaction((tx) => tx.setPollCursor('pond', 'c', 1))).rejects.toThrow(refused);
  addPlatform({ ...FARCASTER, id: 'pond', slug: 'pond' });
  const again = await openSqliteStore({ path: database.url, migrationsFolder: MIGRATIONS });
  expect(await again.transaction((tx) => tx.addGigOwner(id, POND, 1))).toBe(true);
  await again.close();
  await close();
});
