import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { MIGRATIONS, temporaryFolder } from '../support/store.ts';

test.each(['file:', 'file://', 'FILE:', ''])('behavior: %s<path> opens the same file', async (scheme) => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  const first = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  await first.transaction((tx) => tx.setPollCursor('farcaster', 'seen', 1));
  await first.close();
  const store = await openStore({ url: `${scheme}${path}`, migrationsFolder: MIGRATIONS });
  expect(await store.pollCursor('farcaster')).toBe('seen');
  await store.close();
  folder.remove();
});

test('error: there is no engine for mysql', async () => {
  const opened = openStore({ url: 'mysql:gigs', migrationsFolder: MIGRATIONS });
  await expect(opened).rejects.toThrow(
    /^DATABASE_URL: the scheme mysql is not supported; use file:<path> or postgres:/,
  );
});
