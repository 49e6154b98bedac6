import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore, removeStore } from '../../../src/store/open.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

test('behavior: a store is removed with all of its files, but not one that a process serves', async () => {
  const folder = temporaryFolder();
  const url = join(folder.path, 'gigclaim.db');
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  await store.begin();
  expect(await removeStore({ url })).toBe(false);
  await store.checkWritable();
  await store.close();
  expect(await removeStore({ url })).toBe(true);
  expect(readdirSync(folder.path)).toEqual([]);
  folder.remove();
});
