import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectionConfig, LimitedClient } from '../../../../src/store/postgres/connections/pools.ts';
import { type DatabaseSession, openDatabaseSession } from '../../../../src/store/postgres/connections/session.ts';
import { type MethodKind, openTransaction } from '../../../../src/store/postgres/transactions/transaction.ts';
import { openTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

let database: TestDatabase;
let client: LimitedClient;
/** What was sent, and `+` for each answer. */
let log: string[];
beforeEach(async () => {
  database = await openTestDatabase('template template0');
  client = new LimitedClient(connectionConfig(database.url));
  await client.connect();
  await database.client.query('create table notes (note text check (length(note) < 9))');
  log = [];
});
afterEach(async () => {
  await client.end();
  await database.close();
});

/** A transaction whose calls are statements, one or several after another. */
function open() {
  const session = openDatabaseSession(client);
  const noted: DatabaseSession = {
    async query(statement) {
      log.push(statement.text);
      return await session.query(statement).finally(() => log.push('+'));
    },
  };
  let lane = noted;
  const transaction = openTransaction(noted, {
    locksOf: () => [],
    kindOf: ({ args }) => args[0] as MethodKind,
    within(own, method) {
      lane = own;
      return method();
    },
  });
  const call = (kind: MethodKind, ...texts: string[]) =>
    transaction.run(
      async () => {
        const own = lane;
        const rows: unknown[] = [];
        for (const text of texts) rows.push(...(await own.query({ text })).rows.flat());
        return rows;
      },
      { method: call, args: [kind] },
    );
  return { ...transaction, call };
}

const add = (note: string) => `insert into notes values ('${note}')`;
const COUNT = 'select count(*)::int from notes';
const kept = async () => (await database.client.query(COUNT)).rows[0]?.count;

describe('the methods of a transaction', () => {
  test('behavior: reads that are called at once are sent at once, after the changes before them and before those after', async () => {
    const { work, commit, call } = open();
    const found = await work(() =>
      Promise.all([call('change', add('a')), call('read', COUNT), call('read', 'select 7'), call('change', add('b'))]),
    );
    expect(found).toEqual([[], [1], [7], []]);
    expect(log).toEqual(['begin', add('a'), '+', '+', COUNT, 'select 7', '+', '+', add('b'), '+']);
    await commit(null);
    expect(await kept()).toBe(2);
  });

  test('behavior: nobody waits for a change without an answer, and what follows sees it', async () => {
    const { work, commit, call } = open();
    await work(async () => {
      await call('unawaited', add('a'));
      await call('unawaited', add('b'));
      expect(log).toEqual(['begin', add('a'), add('b')]);
      expect(await call('read', COUNT)).toEqual([2]);
    });
    await commit(null);
    expect(await kept()).toBe(2);
  });

  test('error: a change without an answer that is refused has the commit fail', async () => {
    const { work, commit, call } = open();
    await call('change', add('a'));
    await work(() => call('unawaited', add('much too long')));
    await expect(commit(null)).rejects.toThrow('notes_note_check');
    expect(await kept()).toBe(0);
  });

  test('error: a change without an answer sends nothing after it has waited', async () => {
    const { work, commit, call } = open();
    const late = work(async () => {
      await call('unawaited', add('a'), add('b'));
      await call('read', COUNT);
    });
    await late.catch(() => undefined);
    await expect(commit(null)).rejects.toThrow('goes on after it has waited');
    expect(await kept()).toBe(0);
  });
});
