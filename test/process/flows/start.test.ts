import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createProxy, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../sandbox/port.ts';
import { startPostgres } from '../../../sandbox/postgres.ts';
import { listen } from '../../support/listen.ts';
import type { Running } from '../../support/process.ts';
import { folderOfTest, launch } from '../../support/test-life.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The bundled service on a free port, in a folder of its own. */
function service(env: Record<string, string> = {}, cwd = folderOfTest()): Running {
  return launch('dist/main.js', { env: { PORT: '0', HOST: '127.0.0.1', ...env }, cwd });
}

async function portOf(running: Running): Promise<number> {
  const [, port] = await running.seen(/"port":([0-9]+),"publicUrl".*"listening"/);
  return Number(port);
}

/** The mode of a folder and of each file in it. */
function modes(folder: string): Record<string, string> {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const files = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
  return { '.': modeOf(folder), ...Object.fromEntries(files) };
}

/** Runs work whose processes begin with a umask that takes no right away. */
async function withOpenUmask<T>(work: () => Promise<T>): Promise<T> {
  const umask = process.umask(0);
  try {
    return await work();
  } finally {
    process.umask(umask);
  }
}

describe('the files of the database', () => {
  const OWN = { '.': '700', 'gigclaim.db': '600', 'gigclaim.db.ids': '600', 'gigclaim.db.lock': '600' };

  test('security: the service makes them for its own account alone, whatever the umask is', async () => {
    const cwd = folderOfTest();
    await withOpenUmask(() => portOf(service({}, cwd)));
    expect(modes(join(cwd, 'data'))).toEqual({ ...OWN, 'gigclaim.db-shm': '600', 'gigclaim.db-wal': '600' });
  });

  test('security: so does a command', async () => {
    const folder = join(folderOfTest(), 'data');
    const env = { DATABASE_URL: `file:${join(folder, 'gigclaim.db')}` };
    const args = ['api-key', 'create', '--name', 'mine'];
    const command = await withOpenUmask(async () => launch('dist/admin.js', { args, env }));
    expect(await command.ended, command.output()).toBe(0);
    expect(modes(folder)).toEqual(OWN);
  });
});

/** A connection to a port, with what it has received. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  await once(socket, 'connect');
  return {
    socket,
    /** Asks, and resolves with the answer once it is there. */
    async ask(): Promise<string> {
      received = '';
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
      while (!received.endsWith('}')) await once(socket, 'data');
      return received;
    },
  };
}

test('behavior: the bundles know the names of the store’s methods, and keep what they have compiled for their user alone', () => {
  const dist = join(ROOT, 'dist');
  const chunks = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const named = chunks.filter((name) => /METHOD_NAMES=\[\{reads:\[/.test(readFileSync(join(dist, name), 'utf8')));
  // The service has one, and the commands.
  expect(named).toHaveLength(2);
  const args = [join(dist, 'admin.js'), 'api-key', 'create', '--name', 'kept'];
  // Without the folder that tests name.
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folderOfTest(), env: {}, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const kept = join(dist, 'compile-cache');
  expect((statSync(kept).mode & 0o777).toString(8)).toBe('700');
  expect(readdirSync(kept).some((name) => name.startsWith(`${process.version}-`))).toBe(true);
});

test('behavior: a connection that was idle for longer than Node keeps one is answered again', async () => {
  const proxied = await open(await portOf(service()));
  expect(await proxied.ask()).toContain('Keep-Alive: timeout=75\r\n');
  const plain = await listen(createServer((_, response) => response.end('{}')));
  onTestFinished(plain.close);
  const idle = await open(plain.port);
  await idle.ask();
  // Node closes an idle connection by itself; the other one is idle for longer by then.
  await once(idle.socket, 'close');
  expect(await proxied.ask()).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a start while PostgreSQL is away', () => {
  test('behavior: the service waits, and starts when the server is there', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const port = await freePort(0);
    const running = service({ DATABASE_URL: `postgres://gigclaim:fake-word@127.0.0.1:${port}/postgres` });
    await running.seen(/"level":"warn".*waiting for the database, asking again every 2 seconds: database postgres at /);
    const sockets = new Set<Socket>();
    const proxy = createProxy((socket) => {
      const onward = connect(server.port, '127.0.0.1');
      for (const one of [socket, onward]) sockets.add(one.on('error', () => undefined));
      socket.pipe(onward).pipe(socket);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
    expect((await fetch(`http://127.0.0.1:${await portOf(running)}/ready`)).status).toBe(200);
    expect(running.output()).toContain('"the database answers"');
    expect(running.output()).not.toContain('fake-word');
    running.child.kill('SIGTERM');
    expect(await running.ended, running.output()).toBe(0);
  });

  test('behavior: SIGTERM ends the wait with exit code 0', async () => {
    const port = await freePort(0);
    const running = service({ DATABASE_URL: `postgres://gigclaim@127.0.0.1:${port}/postgres` });
    await running.seen(/waiting for the database/);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  test('error: a command says so at once', async () => {
    const port = await freePort(0);
    const env = { DATABASE_URL: `postgres://gigclaim@127.0.0.1:${port}/postgres` };
    const command = launch('dist/admin.js', { args: ['gig', 'list'], env });
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(
      /^database postgres at 127\.0\.0\.1:[0-9]+: the server cannot be reached \(.*\)\n$/,
    );
  });
});

/** Runs a start on a terminal of its own, until it ends or has written `until`; what the terminal shows. */
async function onTerminal(env: Record<string, string>, until?: string): Promise<string> {
  // Of util-linux, which every Debian has.
  const args = ['--quiet', '--flush', '--return', '--command', `exec sh ${ROOT}/dist/start`, '/dev/null'];
  const child = spawn('script', args, {
    cwd: folderOfTest(),
    env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (until === undefined) return (await text(child.stdout)).replaceAll('\r\n', '\n');
  let shown = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk;
    if (shown.includes(until)) break;
  }
  return shown.replaceAll('\r\n', '\n');
}

describe('a start on a terminal', () => {
  test('behavior: prints a table of what listens where, and which parts are off', async () => {
    const port = await freePort(0);
    const adminPort = await freePort(0);
    const env = { PORT: String(port), ADMIN_PORT: String(adminPort), PUBLIC_URL: 'https://gigs.example' };
    const shown = await onTerminal(env, 'Its log follows.');
    expect(shown).toContain(`  API and pages  http://127.0.0.1:${port}\n`);
    expect(shown).toContain(
      `  Operator       http://127.0.0.1:${adminPort}/admin, http://127.0.0.1:${adminPort}/ready, `,
    );
    expect(shown).toContain('  For others     https://gigs.example\n');
    expect(shown).toContain('  Database       ./data/gigclaim.db\n');
    expect(shown).toContain('  Gig wallets    off; to turn it on, set GIG_WALLET_MNEMONIC\n');
    expect(shown).toContain('  Console        off; to turn it on, set SIGN_IN, OWNER_CREATE\n');
    expect(shown).not.toContain('{');
  });

  test('error: a port that is taken is a sentence with its remedy, without JSON and stack', async () => {
    const { port, close } = await listen(createProxy());
    onTestFinished(close);
    expect(await onTerminal({ PORT: String(port) })).toBe(
      `gigclaim cannot start. Another program uses port ${port} of 127.0.0.1.\n` +
        'Stop it, or set PORT or ADMIN_PORT to another port.\n',
    );
  });

  test('error: so is a database that cannot be used', async () => {
    expect(await onTerminal({ DATABASE_URL: `file:${process.execPath}` })).toBe(
      `gigclaim cannot start. The database ${process.execPath}: the file is not a SQLite database (SQLITE_NOTADB).\n` +
        'Check that DATABASE_URL names the right file and that this user may write to it and its folder.\n',
    );
  });
});
