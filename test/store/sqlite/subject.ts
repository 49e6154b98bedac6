import { join } from 'node:path';
import type { Store } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';
import type { OpenedStore } from '../contract/subject.ts';

/** A store on SQLite, in a file of its own. */
export async function openOnSqlite(): Promise<OpenedStore> {
  const folder = temporaryFolder();
  const path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  const opened: Store[] = [];
  const openAgain: OpenedStore['openAgain'] = async (options) => {
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS, ...options });
    opened.push(store);
    return store;
  };
  const store = await openAgain();
  return {
    store,
    openAgain,
    async close() {
      await Promise.all(opened.map((one) => one.close()));
      folder.remove();
    },
  };
}
