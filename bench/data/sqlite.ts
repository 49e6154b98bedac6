import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { MNEMONIC } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import {
  ACCOUNT,
  CHAIN_ID,
  GIGS,
  HEAVY_FID,
  HEAVY_TIP,
  HEAVY_TIPS,
  IMAGE_URL,
  TIPS_OF_A_USER,
  TOKENS,
  TOKENS_MADE_AT,
  tipColumns,
  usersOf,
} from './rows.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url));

const DAY_MS = 86_400_000;

export function numbers(name: string, count: number): string {
  return `(with recursive n(${name}) as (select 0 union all select ${name} + 1 from n where ${name} < ${count - 1}) select ${name} from n)`;
}

export function insert(table: string, columns: Record<string, string>, from: string): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')}) select ${Object.values(columns).join(', ')} from ${from}`;
}

/** Each gig counts as many tip numbers as there are tips: they are unique among the tips of all gigs here. */
function fillTokensAndGigs(database: Database, tips: number): void {
  const token = database.prepare(
    'insert into tokens (created_at, address, chain_id, decimals, name, symbol, image_url, is_native) values (?, ?, ?, ?, ?, ?, ?, 0)',
  );
  for (const { address, decimals, name, symbol } of TOKENS) {
    token.run(TOKENS_MADE_AT, address, CHAIN_ID, decimals, name, symbol, IMAGE_URL);
  }
  const gig = database.prepare(
    `insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
      gig_type, platform, wallet_address, next_tip_number) values (?, 'live', 1, ?, '1', '0', ?, ?, ?, 'mention', 'farcaster', ?, ?)`,
  );
  // The service refuses a database whose wallets are not those of its mnemonic.
  const wallets = createWallets(MNEMONIC);
  for (let id = 1; id <= GIGS; id++) {
    const wallet = wallets.gigAddress(id);
    gig.run(TOKENS_MADE_AT, 1 + ((id - 1) % 2), TOKENS_MADE_AT, TOKENS_MADE_AT + DAY_MS, DAY_MS, wallet, tips);
  }
}

/** One transaction without references to check, and each index built at once instead of with every row. */
function fill(database: Database, tips: number): void {
  const users = usersOf(tips);
  const indices = database
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'index' and tbl_name = 'tips' and sql is not null",
    )
    .all();
  for (const { name } of indices) database.exec(`drop index ${name}`);
  fillTokensAndGigs(database, tips);
  const account = { ...ACCOUNT, created_at: String(TOKENS_MADE_AT) };
  database.exec(insert('accounts', account, numbers('u', users)));
  database
    .prepare("insert into accounts (platform, platform_user_id, created_at) values ('farcaster', ?, ?)")
    .run(String(HEAVY_FID), TOKENS_MADE_AT);
  database.exec(insert('tips', tipColumns(users), numbers('i', users * TIPS_OF_A_USER)));
  database.exec(insert('tips', HEAVY_TIP, numbers('i', HEAVY_TIPS)));
  for (const { sql } of indices) database.exec(sql);
}

async function migrate(path: string): Promise<void> {
  await (await openSqliteStore({ path, migrationsFolder: MIGRATIONS })).close();
}

/**
 * A database of the service's own schema with so many tips; made once in `folder` and kept there.
 * @returns its path
 */
export async function prepareSqlite(folder: string, tips: number): Promise<string> {
  const path = join(folder, `tips-${tips}.db`);
  if (existsSync(path)) {
    await migrate(path);
    return path;
  }
  mkdirSync(folder, { recursive: true });
  const draft = `${path}.draft`;
  rmSync(draft, { force: true });
  await migrate(draft);
  const database = new SqliteDatabase(draft);
  database.pragma('foreign_keys = OFF');
  database.pragma('journal_mode = DELETE');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  database.transaction(fill).immediate(database, tips);
  database.close();
  renameSync(draft, path);
  return path;
}
