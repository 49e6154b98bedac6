import { describe, expect, test } from 'vitest';
import { StoreAway } from '../../../../src/domain/errors.ts';
import { openRewritingProxy } from '../../../support/rewriting-proxy.ts';
import { useDatabase } from '../database.ts';

const { current, client, open } = useDatabase();

/** Answers `true` in place of the functions, and locks nothing. */
const noLocks = (functions: string) => (statement: string) =>
  statement.replaceAll(new RegExp(`\\b(${functions})\\([^()]*(\\([^()]*\\))?[^()]*\\)`, 'g'), 'true');
const replace = (from: string, to: string) => (statement: string) => statement.replaceAll(from, to);

const NOT_EXCLUSIVE =
  'an advisory lock does not exclude: two sessions hold the same one, so that two instances would pay twice; ' +
  'take PostgreSQL itself, without what answers in its place';

/** What the refusal of a start says after the name of the database. */
async function refusalOf(url: string): Promise<string> {
  const error = await open({ url }).then(
    () => null,
    (refusal: Error) => refusal,
  );
  return String(error?.message).replace(/^database \S+ at 127\.0\.0\.1:[0-9]+: /, '');
}

describe('a start', () => {
  test('behavior: leaves nothing of its proof, and several at the same time do not meet', async () => {
    await Promise.all(Array.from({ length: 6 }, () => open({ poolSize: 1 })));
    const { rows } = await client().query(
      `select (select count(*)::int from receipts) as rows, count(*)::int as locks from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rows).toEqual([{ rows: 0, locks: 0 }]);
  });

  test.for([
    ['no lock excludes', 'pg_(?:try_)?advisory_(?:xact_)?(?:un)?lock'],
    ['those that transactions wait for do not', 'pg_advisory_xact_lock'],
    ['those that transactions try do not', 'pg_try_advisory_xact_lock'],
    ['those of a session do not', 'pg_try_advisory_lock'],
  ] as const)('security: is refused where %s', async ([, functions]) => {
    const url = await openRewritingProxy(current().url, noLocks(functions));
    expect(await refusalOf(url)).toBe(NOT_EXCLUSIVE);
  });

  test.for([
    [
      'a lock that was released is not granted',
      replace('pg_advisory_unlock(', 'true or null = ('),
      'an advisory lock is not granted after its release; take PostgreSQL itself, without what answers in its place',
    ],
    [
      'reads come from a server that lags',
      replace('select from receipts where', 'select from receipts where made_at is null and'),
      'a committed row is missing in a new session: the address leads to several servers; name the primary alone',
    ],
    [
      'a setting does not stay',
      replace("current_setting('gigclaim.proof', true)", "nullif('', '')"),
      expect.stringMatching(/^a pooler gives each transaction another session .* \(process \d+ forgot a setting\)/),
    ],
    [
      'each statement has another process',
      replace('pg_backend_pid()', '(1e6 * random())::int'),
      expect.stringMatching(/^a pooler gives each transaction another session .* \(process \d+, then \d+\)/),
    ],
    [
      'one process answers two connections',
      replace('pg_backend_pid()', '4711'),
      'a pooler gives each transaction another session of the server (process 4711 answers two connections), so that ' +
        'locks and settings are lost; take the direct address of the server, or a pooler with pool_mode = session',
    ],
  ] as const)('security: is refused where %s', async ([, rewrite, refusal]) => {
    expect(await refusalOf(await openRewritingProxy(current().url, rewrite))).toEqual(refusal);
    expect((await client().query('select from receipts')).rowCount).toBe(0);
  });

  test('error: does not wait for ever for a server that hangs within the proof', { timeout: 30_000 }, async () => {
    const hanging = await openRewritingProxy(current().url, (statement) =>
      statement.includes('pg_try_advisory_lock') ? 'select pg_sleep(60)' : statement,
    );
    await expect(open({ url: hanging })).rejects.toBeInstanceOf(StoreAway);
    await client().query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'");
  });

  test('behavior: goes on where the server hides its settings, and says what rests on the host', async () => {
    const url = await openRewritingProxy(current().url, replace("current_setting('fsync', true)", 'null'));
    const doubts = async (durable: 'server' | 'storage') => {
      const store = await open({ url, durable });
      return (await store.engine()).server?.doubts;
    };
    expect(await doubts('server')).toEqual([
      {
        name: 'durability',
        text: 'The server does not tell whether fsync is on, so your host alone knows whether commits last',
        remedy:
          'Ask your host, and set POSTGRES_DURABLE=storage where the host promises that its storage keeps every commit.',
      },
    ]);
    expect(await doubts('storage')).toEqual([]);
  });
});
