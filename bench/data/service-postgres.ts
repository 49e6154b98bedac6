import pg from 'pg';
import { MNEMONIC } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { openStore } from '../../src/store/open.ts';
import type { Postgres } from './postgres.ts';
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
import { MIGRATIONS } from './sqlite.ts';

const DAY_MS = 86_400_000;

type Connection = Postgres['connection'];

/** Runs statements on a connection of their own. */
async function onConnection(connection: Connection, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

/**
 * A new database with the service's schema on a running server.
 * @returns its URL
 */
export async function createServiceDatabase(connection: Connection, name: string): Promise<string> {
  await onConnection(connection, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} encoding 'UTF8' template template0`);
  });
  const url = `postgres://${connection.user}@${connection.host}:${connection.port}/${name}`;
  await (await openStore({ url, migrationsFolder: MIGRATIONS })).close();
  return url;
}

function insert(table: string, columns: Record<string, string>, from: string): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')}) select ${Object.values(columns).join(', ')} from ${from}`;
}

/** Decimal text is no number to PostgreSQL until it is said. */
function amounts<Columns extends { readonly amount: string }>(columns: Columns): Columns {
  return { ...columns, amount: `(${columns.amount})::numeric` };
}

async function fill(client: pg.Client, tips: number): Promise<void> {
  const users = usersOf(tips);
  for (const table of ['accounts', 'gigs', 'tips']) await client.query(`alter table ${table} disable trigger user`);
  for (const { address, decimals, name, symbol } of TOKENS) {
    await client.query(
      `insert into tokens (created_at, address, chain_id, decimals, name, symbol, image_url, is_native)
       values ($1, $2, $3, $4, $5, $6, $7, false)`,
      [TOKENS_MADE_AT, address, CHAIN_ID, decimals, name, symbol, IMAGE_URL],
    );
  }
  const wallets = createWallets(MNEMONIC);
  for (let id = 1; id <= GIGS; id++) {
    await client.query(
      `insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
         gig_type, platform, wallet_address, next_tip_number)
       values ($1, $2, 'live', true, $3, 1, 0, $2, $4, $5, 'mention', 'farcaster', $6, $7)`,
      [id, TOKENS_MADE_AT, 1 + ((id - 1) % 2), TOKENS_MADE_AT + DAY_MS, DAY_MS, wallets.gigAddress(id), tips],
    );
  }
  await client.query(`select setval('gigs_id_seq', ${GIGS})`);
  const account = { ...ACCOUNT, created_at: String(TOKENS_MADE_AT) };
  await client.query(insert('accounts', account, `generate_series(0, ${users - 1}) u`));
  await client.query("insert into accounts (platform, platform_user_id, created_at) values ('farcaster', $1, $2)", [
    String(HEAVY_FID),
    TOKENS_MADE_AT,
  ]);
  const series = `generate_series(0::bigint, ${users * TIPS_OF_A_USER - 1}) i`;
  await client.query(insert('tips', amounts(tipColumns(users)), series));
  await client.query(insert('tips', amounts(HEAVY_TIP), `generate_series(0::bigint, ${HEAVY_TIPS - 1}) i`));
  for (const table of ['accounts', 'gigs', 'tips']) await client.query(`alter table ${table} enable trigger user`);
  await client.query('vacuum analyze');
}

/** A database of the service with the look-ups' data, made anew. @returns its URL */
export async function prepareServicePostgres(connection: Connection, tips: number): Promise<string> {
  const name = `service_${tips}`;
  const url = await createServiceDatabase(connection, name);
  await onConnection({ ...connection, database: name }, (client) => fill(client, tips));
  return url;
}
