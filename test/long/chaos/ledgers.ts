import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../sandbox/postgres.ts';
import { temporaryFolder } from '../../support/store.ts';
import { copyDatabase } from './copy-database.ts';

/** On what the ledgers are. */
export type Engine = 'sqlite' | 'postgres';

/** The ledgers of a bench: one that is prepared, the one in use, and copies of it. Each is named as `openStore` names it. */
export interface Ledgers {
  readonly engine: Engine;
  /** Where gigs and tips are prepared, once. */
  readonly prepared: string;
  /** Removes every ledger but the prepared one, and answers a new copy of that one. */
  reset(): Promise<string>;
  /** Copies the ledger in use as it stands, which nobody uses when it is on a server. */
  copy(ledger: string): Promise<string>;
  /** Puts the ledger in use, which nobody uses, back to a copy. */
  putBack(ledger: string, copy: string): Promise<void>;
  /** Lets the server crash and recover. @throws Error when there is no server */
  crash(): Promise<void>;
  close(): Promise<void>;
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(path + suffix, { force: true });
}

/** Ledgers as SQLite's files in a folder of their own. */
export function openSqliteLedgers(): Ledgers {
  const folder = temporaryFolder();
  const inUse = join(folder.path, 'in-use');
  const prepared = join(folder.path, 'prepared.db');
  return {
    engine: 'sqlite',
    prepared,
    async reset() {
      rmSync(inUse, { recursive: true, force: true });
      mkdirSync(inUse);
      const path = join(inUse, 'gigclaim.db');
      copyFileSync(prepared, path);
      return path;
    },
    async copy(path) {
      copyDatabase(path, `${path}.copy`);
      return `${path}.copy`;
    },
    async putBack(path, copy) {
      removeDatabase(path);
      copyFileSync(copy, path);
    },
    async crash() {
      throw new Error('SQLite has no server');
    },
    async close() {
      folder.remove();
    },
  };
}

const PREPARED = 'prepared';
const IN_USE = 'in_use';
const COPY = 'copy';

/** Ledgers as databases of a server of their own. */
export async function openPostgresLedgers(): Promise<Ledgers> {
  const server = await startPostgres();
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: name }).href;

  async function ask(url: string, ...statements: string[]): Promise<unknown[]> {
    const client = new pg.Client(url);
    // A crash ends this connection, too.
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: unknown[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function renew(name: string, template: string): Promise<string> {
    const made = `create database ${name} template ${template}`;
    // A sequence of a copy goes back in a crash before the next checkpoint, when its template had numbers logged ahead.
    await ask(server.url, `drop database if exists ${name} with (force)`, made, 'checkpoint');
    return urlOf(name);
  }

  await ask(server.url, `create database ${PREPARED}`);
  return {
    engine: 'postgres',
    prepared: urlOf(PREPARED),
    async reset() {
      const url = await renew(IN_USE, PREPARED);
      // It begins on this server: payments are not stopped, as they are after a restore.
      await ask(url, 'delete from server_identity');
      return url;
    },
    copy: async () => await renew(COPY, IN_USE),
    putBack: async () => void (await renew(IN_USE, COPY)),
    async crash() {
      // When one of its processes is killed the server ends all of them, and recovers from its log.
      const [row] = await ask(server.url, "select pid from pg_stat_activity where backend_type = 'background writer'");
      // The column is an integer.
      process.kill((row as { pid: number }).pid, 'SIGKILL');
    },
    close: server.stop,
  };
}
