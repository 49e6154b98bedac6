import { expect, test } from 'vitest';
import { runStatement } from '../../support/postgres.ts';
import { useStoreOnPostgres } from './database.ts';

const { open, client, current } = useStoreOnPostgres();

/** Each floor is 2,048 above the one before. */
const floors = { clock: () => Date.UTC(2026, 0, 1), randomBelow: () => 7 };
// By sessions of their own: within a transaction the view of the sessions stays the same.
const numberOf = async (query: string) => Number((await runStatement(current().url, query))[0]?.['n']);
const floor = () => numberOf('select tip_floor as n from ledger_state');
const WAITING =
  "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test('security: processes that wait for the row of the floor draw one above the other', async () => {
  await open({ floors });
  const first = await floor();
  await client().query('begin');
  await client().query('select from ledger_state for update');
  const opening = Promise.all([open({ floors }), open({ floors })]);
  await expect.poll(() => numberOf(WAITING)).toBe(2);
  await client().query('commit');
  await opening;
  expect((await floor()) - first).toBe(2 * 2_048);
});
