import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../sandbox/postgres.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { POSTGRES_MIGRATIONS } from '../../support/postgres.ts';
import { writeInLanes } from './lanes.ts';

let server: PostgresServer;
let store: Store;

beforeEach(async () => {
  server = await startPostgres();
  store = await openPostgresStore({ url: server.url, migrationsFolder: POSTGRES_MIGRATIONS });
});
afterEach(async () => {
  await store.close();
  await server.stop();
});

/** One question on a connection of its own, asked again while the server recovers. */
async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  for (let asked = 1; ; asked += 1) {
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } catch (error) {
      if (asked === 100) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await wait(50);
  }
}

/** Kills one of the server's processes: it ends all of them at once, and recovers from its log. */
async function crash(): Promise<void> {
  const [row] = await ask<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'gigclaim' order by random() limit 1",
  );
  if (row !== undefined) process.kill(row.pid, 'SIGKILL');
}

const CRASHES = 5;

test('security: a server that crashes under load loses and doubles nothing that was told', async () => {
  let isDone = false;
  const told: string[] = [];
  const failed: unknown[] = [];
  const writing = writeInLanes(store, { told, failed }, () => isDone);
  for (let round = 0; round < CRASHES; round += 1) {
    await wait(300);
    const before = told.length;
    await crash();
    // Work goes on by itself once the server is back.
    while (told.length === before) await wait(20);
  }
  isDone = true;
  await writing;
  expect(failed).toEqual([]);
  const rows = await ask<{ post: string }>('select post_id as post from mentions');
  expect(rows.map(({ post }) => post).sort()).toEqual(told.sort());
});
