import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { databaseUser, type PostgresServer, startPostgres } from '../../sandbox/postgres.ts';
import { withClient } from './postgres.ts';

const NAME = 'standby';

/** Runs one statement. */
export async function ask(url: string, statement: string): Promise<pg.QueryResult> {
  return await withClient(url, (client) => client.query(statement));
}

/** Copies the files of a server that runs, as its manual says under "Making a Base Backup Using the Low Level API". */
async function copyFiles(primary: PostgresServer, folder: string): Promise<void> {
  await withClient(primary.url, async (client) => {
    const { rows: places } = await client.query('show data_directory');
    await client.query("select pg_backup_start('standby', true)");
    // Files may go while they are copied: the log tells what was in them.
    spawnSync('cp', ['-a', `${places[0].data_directory}/.`, folder], databaseUser());
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    rmSync(join(folder, 'postmaster.pid'), { force: true });
    const owner = databaseUser();
    for (const [file, text] of [
      ['backup_label', rows[0].labelfile],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(folder, file), text);
      if (owner !== undefined) chownSync(join(folder, file), owner.uid, owner.gid);
    }
  });
}

/**
 * Starts a standby that follows a server, and is synchronous when the server counts `standby` as that.
 * @param port where it finds the server; the server's own when absent
 */
export async function startStandby(primary: PostgresServer, port = primary.port): Promise<PostgresServer> {
  const follow = `primary_conninfo=host=127.0.0.1 port=${port} user=gigclaim application_name=${NAME}`;
  return await startPostgres({ settings: [follow], fill: (folder) => copyFiles(primary, folder) });
}

/** A server with a synchronous standby: what was told as committed is on both. */
export interface ServerPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Ends the primary as in a crash, and makes the standby one, which has no standby then. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both, and settles when every commit waits for the standby. */
export async function startServerPair(): Promise<ServerPair> {
  const primary = await startPostgres();
  const standby = await startStandby(primary);
  await ask(primary.url, `alter system set synchronous_standby_names = '${NAME}'`);
  await ask(primary.url, 'select pg_reload_conf()');
  const isSynchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
  while ((await ask(primary.url, isSynchronous)).rows.length === 0) await wait(20);
  return {
    primary,
    standby,
    async promote() {
      await primary.stop();
      await ask(standby.url, 'select pg_promote()');
    },
    async stop() {
      await standby.stop();
      await primary.stop();
    },
  };
}
