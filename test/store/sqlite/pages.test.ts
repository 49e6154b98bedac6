import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** The size of a file's pages after the service has opened it, and once more after a vacuum by hand and a second start. */
async function pageSizes(made: (path: string) => void): Promise<unknown[]> {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'pages.db');
  made(path);
  const found: unknown[] = [];
  for (const statements of [[], ['pragma journal_mode = delete', 'pragma page_size = 1024', 'vacuum']]) {
    const file = new SqliteDatabase(path);
    for (const statement of statements) file.exec(statement);
    file.close();
    await (await openSqliteStore({ path, migrationsFolder: MIGRATIONS })).close();
    const after = new SqliteDatabase(path, { readonly: true });
    found.push(after.pragma('page_size', { simple: true }));
    expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
    after.close();
  }
  return found;
}

test('behavior: a new file has pages of 1 kB', async () => {
  expect(await pageSizes(() => undefined)).toEqual([1_024, 1_024]);
});

test('behavior: an older file keeps its pages until it is vacuumed', async () => {
  const older = (path: string) => {
    const file = new SqliteDatabase(path);
    file.pragma('page_size = 4096');
    file.exec('create table first (id integer); drop table first');
    file.close();
  };
  expect(await pageSizes(older)).toEqual([4_096, 1_024]);
});
