import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { openPgBouncer } from '../../support/pgbouncer.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';

/** A database until the test ends, which is after the end of what is in front of it. */
async function openDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  return database;
}

const open = (url: string) => openPostgresStore({ url, migrationsFolder: POSTGRES_MIGRATIONS, poolSize: 2 });

describe('behind PgBouncer', () => {
  test.for([
    ['transaction', []],
    ['transaction', ['default_pool_size = 1']],
    ['transaction', ['server_round_robin = 1', 'min_pool_size = 2']],
    ['transaction', ['server_round_robin = 1', 'min_pool_size = 5']],
    ['statement', []],
  ] as const)('security: a start is refused with pool_mode = %s and %j', async ([mode, settings]) => {
    const database = await openDatabase();
    const url = await openPgBouncer(database.url, [`pool_mode = ${mode}`, ...settings]);
    await expect(open(url)).rejects.toThrow(
      /^database \S+ at 127\.0\.0\.1:\d+: a pooler gives each transaction another session of the server \(.*\), so that locks and settings are lost; take the direct address of the server, or a pooler with pool_mode = session$/,
    );
    const left =
      "select (select count(*)::int from receipts) as rows, count(*)::int as locks from pg_locks where locktype = 'advisory'";
    expect((await database.client.query(left)).rows).toEqual([{ rows: 0, locks: 0 }]);
  });

  test('behavior: a store works with pool_mode = session', async () => {
    const { url: direct } = await openDatabase();
    const url = await openPgBouncer(direct, ['pool_mode = session']);
    const stores = await Promise.all([open(url), open(url)]);
    const ids = await Promise.all([0, 1, 2, 3].map((turn) => stores[turn % 2]?.transaction((tx) => tx.reserveGigId())));
    expect(ids.toSorted()).toEqual([1, 2, 3, 4]);
    await Promise.all(stores.map((store) => store.close()));
  });
});
