import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertExpressIndexed, assertPostgresIndexed } from '../../../bench/checks/plans.ts';
import { fillPostgres } from '../../../bench/data/postgres.ts';
import { POSTGRES_LOOKUP } from '../../../bench/rivals/lookup-queries.ts';
import { openTestDatabase, runStatement, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
const connection = () => ({ connectionString: database.url });

beforeAll(async () => {
  database = await openTestDatabase('template template0');
  await fillPostgres(connection(), 60_000);
});
afterAll(() => database.close());

test('behavior: the rival on PostgreSQL answers look-ups from an index', async () => {
  await expect(assertExpressIndexed('Express', connection())).resolves.toBeUndefined();
});

test('error: a query that asks an index in other words is refused with its plan', async () => {
  const query = POSTGRES_LOOKUP.replaceAll('t.platform_user_id = any', "t.platform_user_id || '' = any");
  const asked = assertPostgresIndexed('Express', connection(), { query, values: [['100100'], ['user_101']] });
  await expect(asked).rejects.toThrow(/^Express does not answer from an index \(.*Scan of tips.*\); its plan:\nSort\n/);
});

test('error: without its indices the same query is refused', async () => {
  await runStatement(database.url, 'drop index tips_pending_farcaster, tips_by_gig');
  await expect(assertExpressIndexed('Express', connection())).rejects.toThrow('Seq Scan of tips');
});
