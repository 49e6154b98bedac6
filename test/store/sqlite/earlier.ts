import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { firstMigrations } from '../../support/migrations.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** A database as an earlier version left it, which had so many migrations or those before the one with this tag. */
export function openEarlier(until: number | RegExp) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'upgrade.db');
  const earlier = new Database(path);
  migrate(earlier, { folder: firstMigrations(MIGRATIONS, until), path });
  return {
    path,
    earlier,
    /** Opens it as the store of today, until the end of the test. */
    async upgrade(): Promise<Store> {
      earlier.close();
      const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
      onTestFinished(() => store.close());
      return store;
    },
    /** Opens the file of a store that was upgraded. */
    look(): Database.Database {
      const connection = new Database(path);
      onTestFinished(() => void connection.close());
      return connection;
    },
  };
}

/** The names of all triggers. */
export function triggersOf(connection: Database.Database): string[] {
  return connection.prepare<[], string>("select name from sqlite_schema where type = 'trigger'").pluck().all();
}
