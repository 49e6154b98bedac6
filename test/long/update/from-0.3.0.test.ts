import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import type pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runAdmin } from '../../../src/cli/program.ts';
import { openStore } from '../../../src/store/open.ts';
import { migratePostgres } from '../../../src/store/postgres/migrations.ts';
import { firstMigrations } from '../../support/migrations.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS } from '../../support/postgres.ts';
import { run } from '../../support/process.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** How many migrations 0.3.0 has. */
const MIGRATIONS_OF_030 = { sqlite: 31, postgres: 19 };
const MNEMONIC = 'test test test test test test test test test test test junk';
const SETTINGS = { CHAINS: 'anvil', RPC_URL_31337: 'http://127.0.0.1:1', GIG_WALLET_MNEMONIC: MNEMONIC };

type Row = Record<string, unknown>;
type Tables = Readonly<Record<string, readonly Row[]>>;

const FIXTURES = join(ROOT, 'test/fixtures/0.3.0');
const fixture = (name: string) => gunzipSync(readFileSync(join(FIXTURES, name)));

/** The rows of all tables, as texts that can be compared, in one order. */
function readTables(path: string): Tables {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    database.defaultSafeIntegers();
    const names = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    const rows = (name: string) => (database.prepare(`select * from "${name}"`).all() as Row[]).map(plainRow);
    return Object.fromEntries(names.map((name) => [name, rows(name)]));
  } finally {
    database.close();
  }
}

function plainRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
}

/** The rows of a table with these columns alone, in one order. */
function only(rows: readonly Row[], columns: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => [column, row[column]]))).toSorted();
}

/** The rows of the tables before that are not there any more, or are not as they were. */
function changes(before: Tables, after: Tables): Record<string, string[]> {
  const changed = Object.entries(before).map(([name, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    const there = new Set(only(after[name] ?? [], columns));
    return [name, only(rows, columns).filter((row) => !there.has(row))] as const;
  });
  return Object.fromEntries(changed.filter(([, rows]) => rows.length > 0));
}

/** The shell example of the way back with a package, for this backup, without what installs and starts. */
function wayBack(backup: string): string {
  const section = /^### The way back\n[\s\S]*?(?=^## |$(?![\s\S]))/m.exec(
    readFileSync(join(ROOT, 'docs/operate.md'), 'utf8'),
  );
  const [, code = ''] = /```sh\n([\s\S]*?)```/.exec(section?.[0] ?? '') ?? [];
  const steps = code.split('&&').map((step) => step.trim());
  expect(steps.map((step) => step.split(' ')[0])).toEqual(['rm', 'install', 'npm', 'npx', 'npx']);
  return steps.slice(0, 2).join(' && ').replace('<backup>', `'${backup}'`);
}

/** Runs an operator's command on a database. */
async function admin(path: string, args: readonly string[], migrationsFolder = MIGRATIONS) {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const env = { ...SETTINGS, DATABASE_URL: `file:${path}` };
  const code = await runAdmin({ args, env, migrationsFolder, clock: Date.now, stdout: write, stderr: write });
  return { code, out };
}

/** What doctor says of a database where there are the migrations of 0.3.0 alone. */
async function doctorOf030(path: string): Promise<{ store: string[]; code: number }> {
  const older = firstMigrations(MIGRATIONS, MIGRATIONS_OF_030.sqlite);
  const { out, code } = await admin(path, ['doctor'], older);
  const lines = out.split('\n');
  const place = lines.findIndex((line) => line.includes(' store: '));
  return { store: lines.slice(place, place + 2), code };
}

describe('a database of 0.3.0 on SQLite', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    const made = temporaryFolder();
    onTestFinished(made.remove);
    folder = made.path;
    path = join(folder, 'data/gigclaim.db');
    mkdirSync(join(folder, 'data'));
    writeFileSync(path, fixture('gigclaim.db.gz'), { mode: 0o600 });
    writeFileSync(`${path}.ids`, readFileSync(join(FIXTURES, 'gigclaim.db.ids')), { mode: 0o600 });
  });

  test('behavior: keeps every row when this version opens it', async () => {
    const before = readTables(path);
    expect(['gigs', 'tips', 'claims', 'payments', 'events'].map((name) => before[name]?.length)).toEqual([
      ...[11, 12, 4, 18, 58],
    ]);
    const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
    await store.close();
    expect(changes(before, readTables(path))).toEqual({});
  });

  test('behavior: is served by the new version, and the documented way back brings the old one', async () => {
    const backup = join(folder, 'backup.db');
    const database = new SqliteDatabase(path);
    database.exec(`vacuum into '${backup}'`);
    database.close();
    const kept = readFileSync(backup);
    const service = run('dist/main.js', { env: { ...SETTINGS, HOST: '127.0.0.1', PORT: '0' }, cwd: folder });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const [, port] = await service.seen(/"port":([0-9]+),"publicUrl".*"listening"/);
    const api = async (at: string) => await (await fetch(`http://127.0.0.1:${port}/api/${at}`)).json();
    const gigs = (await api('gigs?limit=100')) as { data: { id: number }[] };
    expect(gigs.data.map(({ id }) => id)).toContain(11);
    for (const [noun, count] of Object.entries({ claim: 4, payment: 18, mention: 13 })) {
      expect([noun, JSON.parse((await admin(path, [noun, 'list', '--json'])).out)]).toEqual([
        noun,
        expect.objectContaining({ length: count }),
      ]);
    }
    service.child.kill('SIGTERM');
    await service.ended;

    expect(await doctorOf030(path)).toEqual({
      code: 1,
      store: [
        `✗ store: database ${path}: its schema is newer than this version of gigclaim`,
        expect.stringMatching(
          /^ {4}Install the version that ran last\. To go back .* docs\/operate\.md#the-way-back\.$/,
        ),
      ],
    });
    chmodSync(backup, 0o644);
    execFileSync('sh', ['-ec', wayBack(backup)], { cwd: folder });
    expect(readFileSync(path).equals(kept)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

async function readPostgres(client: pg.Client): Promise<Tables> {
  const { rows: names } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const tables: Record<string, Row[]> = {};
  for (const { name } of names) {
    const { rows } = await client.query<{ row: Row }>(`select to_jsonb(t) as row from public."${name}" t`);
    tables[name] = rows.map(({ row }) => row);
  }
  return tables;
}

test('behavior: a database of 0.3.0 on PostgreSQL keeps every row when this version opens it', async () => {
  const { client, url, close } = await openTestDatabase('template template0');
  onTestFinished(close);
  await client.query(fixture('postgres.sql.gz').toString('utf8'));
  await client.query('reset all');
  const before = await readPostgres(client);
  expect([before['gigs']?.length, before['__drizzle_migrations']?.length]).toEqual([11, MIGRATIONS_OF_030.postgres]);
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  await store.close();
  expect(changes(before, await readPostgres(client))).toEqual({});
  const older = firstMigrations(POSTGRES_MIGRATIONS, MIGRATIONS_OF_030.postgres);
  await expect(migratePostgres(client, { folder: older })).rejects.toThrow(/its schema is newer than this version/);
});
