import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { SqliteError } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainFault } from '../../../src/store/sqlite/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { moreMigrations } from '../../support/migrations.ts';
import { diskFolder, MIGRATIONS, seedMention } from '../../support/store.ts';

let folder: ReturnType<typeof diskFolder>;
let path: string;

beforeEach(() => {
  folder = diskFolder();
  path = join(folder.path, 'gigclaim.db');
});

afterEach(() => folder.remove());

const open = (file = path, migrationsFolder = MIGRATIONS) => openSqliteStore({ path: file, migrationsFolder });

async function makeStore(): Promise<void> {
  const store = await open();
  for (let i = 0; i < 50; i++) await seedMention(store, { postId: `${i}`, text: 'x'.repeat(500) });
  await store.close();
}

function raw(statement: string): void {
  const connection = new SqliteDatabase(path);
  connection.exec(statement);
  connection.close();
}

function pluck(query: string): unknown[] {
  const connection = new SqliteDatabase(path);
  const found = connection.prepare(query).pluck().all();
  connection.close();
  return found;
}

describe('opening a store', () => {
  test('error: on a file that is not a database names the file', async () => {
    writeFileSync(path, 'these are my notes, and they are long enough to be looked at. '.repeat(100));
    await expect(open()).rejects.toThrow(`database ${path}: the file is not a SQLite database`);
    expect(readFileSync(path, 'utf8')).toContain('these are my notes');
  });

  test('error: on a damaged file names the file', async () => {
    await makeStore();
    truncateSync(path, 12_000);
    const opened = open().then((store) => store.mentions({ limit: 100 }));
    await expect(opened).rejects.toThrow(`database ${path}: the file is damaged; restore it from a backup`);
  });

  test('error: made by a newer version names the file and leaves it alone', async () => {
    await makeStore();
    raw(`insert into __drizzle_migrations (hash, created_at) values ('${'f'.repeat(64)}', 9e15)`);
    await expect(open()).rejects.toThrow(`database ${path}: its schema is newer than this version of gigclaim`);
  });

  test('error: of another program names the file and leaves it alone', async () => {
    raw('create table recipes (name text)');
    await expect(open()).rejects.toThrow(`database ${path}: it belongs to another program`);
    expect(pluck('select name from sqlite_schema')).toEqual(['recipes']);
    expect(pluck('pragma journal_mode')).toEqual(['delete']);
  });

  test('behavior: in a folder that is not there makes the folder', async () => {
    const store = await open(join(folder.path, 'nested', 'data', 'gigclaim.db'));
    await store.close();
    expect(readdirSync(join(folder.path, 'nested', 'data'))).toContain('gigclaim.db');
  });

  test('error: in a folder that cannot be made names the file', async () => {
    writeFileSync(path, '');
    const below = join(path, 'data', 'gigclaim.db');
    await expect(open(below)).rejects.toThrow(`database ${below}: its folder cannot be created`);
  });

  test('error: on a folder instead of a file names it', async () => {
    await expect(open(folder.path)).rejects.toThrow(`database ${folder.path}: the file cannot be opened or created`);
  });

  test('error: without the migrations says so', async () => {
    await expect(open(path, join(folder.path, 'nowhere'))).rejects.toThrow(/_journal\.json/);
  });

  test('behavior: a migration added later is applied to what is there', async () => {
    await makeStore();
    const more = 'CREATE TABLE later (id integer);--> statement-breakpoint\nINSERT INTO later VALUES (7);';
    const migrations = moreMigrations(MIGRATIONS, more);
    await (await open(path, migrations)).close();
    await (await open(path, migrations)).close();
    expect(pluck('select id from later')).toEqual([7]);
    await expect(open()).rejects.toThrow('its schema is newer than this version of gigclaim');
  });

  test('error: a migration that fails leaves the schema as it was', async () => {
    await makeStore();
    const bad = 'CREATE TABLE half (id integer);--> statement-breakpoint\nDROP TABLE accounts;';
    await expect(open(path, moreMigrations(MIGRATIONS, bad))).rejects.toThrow(
      `database ${path}: a migration would break 50 references`,
    );
    const store = await open();
    expect(await store.account({ platform: 'farcaster', platformUserId: '1001' })).not.toBeNull();
    await store.close();
  });
});

describe('what SQLite says', () => {
  test.for([
    ['SQLITE_FULL', 'the disk is full'],
    ['SQLITE_IOERR_FSYNC', 'disk I/O failed'],
    ['SQLITE_CORRUPT_INDEX', 'the file is damaged; restore it from a backup'],
    ['SQLITE_READONLY_DIRECTORY', 'the file or its folder is not writable'],
    ['SQLITE_BUSY', 'another process held it locked for too long'],
  ] as const)('behavior: %s is told in our words, with the path and the cause', ([code, meaning]) => {
    const cause = new SqliteError('words of SQLite', code);
    expect(explainFault(cause, '/data/x.db')).toEqual(
      new Error(`database /data/x.db: ${meaning} (${code})`, { cause }),
    );
  });

  test('behavior: broken constraints and errors of ours stay what they are', () => {
    const constraint = new SqliteError('UNIQUE constraint failed', 'SQLITE_CONSTRAINT_UNIQUE');
    const ours = new RangeError('ours');
    expect(explainFault(constraint, '/data/x.db')).toBe(constraint);
    expect(explainFault(ours, '/data/x.db')).toBe(ours);
  });
});
