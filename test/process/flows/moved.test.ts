import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../sandbox/postgres.ts';
import { copyStore } from '../../../src/store/copy/copy-store.ts';
import { runStatement } from '../../support/postgres.ts';
import { type Running, run } from '../../support/process.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** Longer than the time between two beats. */
const ASLEEP_MS = 6_500;

let server: PostgresServer;
let folder: ReturnType<typeof temporaryFolder>;
let running: Running;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
afterEach(async () => {
  running.child.kill('SIGKILL');
  await running.ended;
  folder.remove();
});

/** Where the store is, where it is moved to, and what its sides are called. */
interface Sides {
  readonly from: string;
  readonly to: string;
  /** Has the sleeping instance not count as one that serves the store. */
  readonly forget: () => Promise<void>;
}

async function onServer(statement: string, url = server.url): Promise<void> {
  await runStatement(url, statement);
}

async function databaseOf(name: string): Promise<string> {
  await onServer(`create database ${name}`);
  const url = new URL(server.url);
  url.pathname = name;
  return url.href;
}

async function fileToServer(): Promise<Sides> {
  const path = join(folder.path, 'old.db');
  // Locks are those of a machine: another one does not see that the file is served.
  const forget = async () => rmSync(`${path}.lock`, { force: true });
  return { from: `file:${path}`, to: await databaseOf('moved_here'), forget };
}

async function serverToFile(): Promise<Sides> {
  const from = await databaseOf('moved_away');
  const forget = () => onServer("update instances set beat_at = beat_at - interval '21 seconds'", from);
  return { from, to: `file:${join(folder.path, 'new.db')}`, forget };
}

/** The bundled service on the store. */
function start(url: string): Running {
  return run('dist/main.js', { env: { PORT: '0', DATABASE_URL: url }, cwd: folder.path });
}

async function ask(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.text() };
}

/** Stops the process and copies its store. One that was stopped while it held the lock of its file goes on for a moment first. */
async function copyAsleep(child: ChildProcess, { from, to, forget }: Sides) {
  for (let tries = 0; ; tries += 1) {
    child.kill('SIGSTOP');
    await forget();
    try {
      return await copyStore({ from, to, migrationsFolder: MIGRATIONS });
    } catch (error) {
      if (tries === 10 || !String(error).includes('SQLITE_BUSY')) throw error;
      child.kill('SIGCONT');
      await wait(100);
    }
  }
}

describe.each([
  ['a file that was moved to PostgreSQL', fileToServer],
  ['a database of PostgreSQL that was moved to a file', serverToFile],
])('an instance that wakes on %s', (_, sidesOf) => {
  test('error: answers 503 at once, says why in /ready, and ends; a start ends the same way', async () => {
    folder = temporaryFolder();
    const { from, to, forget } = await sidesOf();
    running = start(from);
    const [, port] = await running.seen(/"port":([0-9]+),"publicUrl".*"listening"/);
    const url = `http://127.0.0.1:${port}`;
    expect((await ask(`${url}/api/gigs/types`)).status).toBe(200);

    const { source, target } = await copyAsleep(running.child, { from, to, forget });
    await wait(ASLEEP_MS);
    // They wait in its socket until it wakes.
    const first = ['/api/gigs/types', '/api/claim?identifiers=1,alice', '/ready'].map((path) => ask(url + path));
    await wait(100);
    running.child.kill('SIGCONT');
    const moved = `database ${source}: it was moved to ${target}; set DATABASE_URL to that, because two ledgers pay twice`;
    const [types, claim, ready] = await Promise.all(first);
    for (const answer of [types, claim, await ask(`${url}/api/gigs`)])
      expect([answer?.status, answer?.retryAfter, JSON.parse(answer?.body ?? '')]).toMatchObject([
        503,
        '10',
        { error: 'The service cannot process this request right now; try again later', code: 'unavailable' },
      ]);
    expect(ready?.status).toBe(503);
    expect(JSON.parse(ready?.body ?? '')).toMatchObject({
      ready: false,
      status: 'degraded',
      reasons: [
        {
          kind: 'store_moved',
          subject: 'database',
          text: `This instance ends, because it can no longer use its database: ${moved}`,
          remedy: 'Set DATABASE_URL to the database that is used now, and start the service again.',
        },
      ],
      store: { writable: false, engine: null },
      gigs: { frozen: null, overdue: null },
    });
    expect((await ask(`${url}/health`)).status).toBe(200);
    expect(await running.ended, running.output()).toBe(78);
    expect(running.output()).toContain(`"${moved}. Requests get 503 from now on, and this process ends in 10 seconds"`);
    expect(running.output()).toContain('"stopped"');

    running = start(from);
    expect(await running.ended, running.output()).toBe(78);
    expect(running.output()).toContain(moved);
    running = start(to);
    await running.seen(/"listening"/);
  });
});
