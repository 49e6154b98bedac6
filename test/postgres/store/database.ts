import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { currentStore } from '../../support/current-store.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';

export type OpenOptions = Partial<Parameters<typeof openPostgresStore>[0]>;

/** Gives every test a database, an empty one with today's schema unless `made` says how to make it. */
export function useDatabase(made?: string) {
  let database: TestDatabase;
  let opened: Store[] = [];
  beforeEach(async () => {
    database = await openTestDatabase(made);
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
    await database.close();
  });
  return {
    current: () => database,
    client: () => database.client,
    /** Opens a store on it, as one more instance does, until the end of the test. */
    async open(options: OpenOptions = {}): Promise<Store> {
      const store = await openPostgresStore({ url: database.url, migrationsFolder: POSTGRES_MIGRATIONS, ...options });
      opened.push(store);
      return store;
    },
  };
}

/** The same, with a store on it. */
export function useStoreOnPostgres(made?: string) {
  const database = useDatabase(made);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });
  return { ...database, ...currentStore(() => store) };
}
