import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** Commits all the time, so that no answer of before is the newest: some hundred times a second, without waiting for a disk. */
const { database } = JSON.parse(process.argv[2] ?? '{}') as { database: pg.ClientConfig };
const client = new pg.Client(database);
await client.connect();
await client.query('set synchronous_commit = off');
await client.query('create table if not exists ticks (n bigint not null)');
for (let n = 0; ; n += 1) {
  await client.query({ name: 'tick', text: 'insert into ticks values ($1)', values: [n] });
  await wait(1);
}
