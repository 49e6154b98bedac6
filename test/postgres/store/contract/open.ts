import type { Store } from '../../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import type { OpenedStore } from '../../../store/contract/subject.ts';
import { giveBackDatabase, POSTGRES_MIGRATIONS, takeDatabase, urlOf } from '../../../support/postgres.ts';

/** A store in a database of its own. */
export async function openOnPostgres(): Promise<OpenedStore> {
  const name = await takeDatabase();
  const opened: Store[] = [];
  const openAgain: OpenedStore['openAgain'] = async (options) => {
    const store = await openPostgresStore({ url: urlOf(name), migrationsFolder: POSTGRES_MIGRATIONS, ...options });
    opened.push(store);
    return store;
  };
  const store = await openAgain();
  return {
    store,
    openAgain,
    async close() {
      await Promise.all(opened.map((one) => one.close()));
      await giveBackDatabase(name, { isStrict: true });
    },
  };
}
