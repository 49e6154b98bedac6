import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { freePort } from '../../sandbox/port.ts';
import { databaseUser } from '../../sandbox/postgres.ts';
import { findProgram } from './programs.ts';
import { temporaryFolder } from './store.ts';

/**
 * Debian's PgBouncer in front of a database, until the test ends.
 * @param url the database's, without it
 * @param settings as in its file, such as `pool_mode = session`
 * @returns the database's URL through it
 */
export async function openPgBouncer(url: string, settings: readonly string[]): Promise<string> {
  const program = findProgram('pgbouncer');
  if (program === null) throw new Error('there is no pgbouncer');
  const { hostname, port, username } = new URL(url);
  const own = new URL(url);
  own.port = String(await freePort(0));
  const folder = temporaryFolder();
  const file = join(folder.path, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `* = host=${hostname} port=${port} user=${username}`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${own.port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  // It refuses to run as root.
  const owner = databaseUser();
  if (owner !== undefined) for (const path of [folder.path, file]) chownSync(path, owner.uid, owner.gid);
  const child = spawn(program, [file], { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGINT');
    await exited;
    folder.remove();
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.includes('process up')) return own.href;
  }
  throw new Error(`PgBouncer did not start: ${said.join('\n')}`);
}
