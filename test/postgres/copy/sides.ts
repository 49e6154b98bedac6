import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { inject } from 'vitest';
import { type CopyOptions, copyStore } from '../../../src/store/copy/copy-store.ts';
import { openStore } from '../../../src/store/open.ts';
import { openDatabase, openTestDatabase, TEMPLATE } from '../../support/postgres.ts';
import { MIGRATIONS, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';
import { type Dump, dumpPostgres, dumpSqlite, seedWhole } from './ledger.ts';

/** A side of a copy. */
export interface Side {
  readonly url: string;
  /** Runs one statement, past everything that the service does. */
  run(statement: string): Promise<void>;
  dump(): Promise<Dump>;
}

/** An engine, and how its sides are made. */
export interface Engine {
  readonly name: 'a file' | 'PostgreSQL';
  seeded(): Promise<Side>;
  /** With today's schema, and no rows. */
  empty(): Promise<Side>;
}

export type CopyCall = Partial<CopyOptions> & Pick<CopyOptions, 'from' | 'to'>;

/** Copies as the command does. */
export const copy = (options: CopyCall) => copyStore({ migrationsFolder: MIGRATIONS, ...options });

/** Opens a store as a service does, and closes it. */
export async function tryOpen({ url }: Pick<Side, 'url'>): Promise<void> {
  await (await openStore({ url, migrationsFolder: MIGRATIONS })).close();
}

/** Makes sides until it is closed. */
export async function openSides() {
  const closing: (() => unknown)[] = [];
  const seededName = `seeded_${process.pid}_${Date.now()}`;
  const client = await openDatabase(
    inject('postgresUrl'),
    `create database ${seededName} template ${TEMPLATE}`,
    seededName,
  );
  await seedWhole(client);
  await client.end();
  const folder = temporaryFolder();
  let files = 0;
  const newPath = () => join(folder.path, `${++files}.db`);

  function sideOfFile(path: string): Side {
    return {
      url: `file:${path}`,
      async run(statement) {
        const connection = new SqliteDatabase(path);
        connection.exec(statement);
        connection.close();
      },
      dump: async () => dumpSqlite(path),
    };
  }

  async function openServer(made: string) {
    const database = await openTestDatabase(made);
    closing.push(database.close);
    const side: Side = {
      url: database.url,
      run: async (statement) => void (await database.client.query(statement)),
      dump: () => dumpPostgres(database.client),
    };
    return { ...database, side };
  }

  const POSTGRES: Engine = {
    name: 'PostgreSQL',
    seeded: async () => (await openServer(`template ${seededName}`)).side,
    empty: async () => (await openServer(`template ${TEMPLATE}`)).side,
  };

  let seededFile: Promise<string> | undefined;
  async function makeSeededFile(): Promise<string> {
    const path = newPath();
    await copy({ from: (await POSTGRES.seeded()).url, to: path });
    // The leases that the copy has ended.
    await sideOfFile(path).run(
      `update mentions set lease = 'lease', due_at = 9000 where post_id = '2';
      update replies set lease = 'lease', due_at = 9000 where state = 'sending';
      update watches set lease = 'lease', lease_until = 9000;
      update poll_cursors set claimed_at = 7;
      update alert_deliveries set lease = 'lease', next_at = 9000;
      insert into alert_watch (id, holder, until) values (1, 'one', 9000);
      update event_deliveries set lease = 'lease', next_at = 9000;
      update webhook_endpoints set lease = 'lease', next_at = 9000;
      update notifications set lease = 'lease', next_at = 9000 where uuid = 'a';
      insert into event_releases (id, holder, until) values (1, 'one', 9000)`,
    );
    return path;
  }

  const SQLITE: Engine = {
    name: 'a file',
    async seeded() {
      seededFile ??= makeSeededFile();
      const path = newPath();
      for (const end of ['', '.ids']) copyFileSync(`${await seededFile}${end}`, `${path}${end}`);
      return sideOfFile(path);
    },
    async empty() {
      const path = newPath();
      await writeEmptyDatabase(path);
      return sideOfFile(path);
    },
  };

  return {
    POSTGRES,
    SQLITE,
    newPath,
    sideOfFile,
    openServer,
    seededName,
    async close() {
      for (const close of closing) await close();
      const server = await openDatabase(inject('postgresUrl'), 'select 1', 'postgres');
      await server.query(`drop database ${seededName}`);
      await server.end();
      folder.remove();
    },
  };
}

export type Sides = Awaited<ReturnType<typeof openSides>>;
