import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../../src/store/port/index.ts';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { currentStore } from '../../support/current-store.ts';
import { openTestStore } from '../../support/database.ts';
import { MIGRATIONS } from '../../support/store.ts';

/** Gives every test a store, in which `seed` puts something, and runs SQL past it. */
export function useRawStore(seed: (store: Store) => Promise<unknown> = async () => undefined) {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  let connections: Connections;
  beforeEach(async () => {
    opened = await openTestStore();
    await seed(opened.store);
    connections = openConnections({ path: opened.database.url, migrationsFolder: MIGRATIONS });
  });
  afterEach(async () => {
    connections.close();
    await opened.close();
  });
  const sql = (): Database => connections.writer.$client;
  return {
    ...currentStore(() => opened.store),
    sql,
    exec: (statement: string) => sql().exec(statement),
    /** A call that runs a statement: what is expected to throw. */
    run: (statement: string) => () => sql().exec(statement),
    /** The first column of each row. */
    read: (query: string): unknown[] => sql().prepare(query).pluck().all(),
    columns: (table: string): string[] =>
      sql().prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table),
  };
}
