import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import type { Running } from '../../support/process.ts';
import { folderOfTest, launch } from '../../support/test-life.ts';

/** The bundled service, as `npm start` runs it, on a free port and with its default database in a folder of its own. */
function service(env: Record<string, string> = {}, flags: readonly string[] = []): Running {
  return launch('dist/main.js', { env: { PORT: '0', ...env }, cwd: folderOfTest(), flags });
}

async function urlOf(running: Running): Promise<string> {
  const [, port] = await running.seen(/"port":([0-9]+),"publicUrl".*"listening"/);
  return `http://127.0.0.1:${port}`;
}

describe('the service with an empty environment', () => {
  test('behavior: serves the HTTP interface and says which parts are off and what turns them on', async () => {
    const running = service();
    const url = await urlOf(running);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${url}/api/claim?identifiers=1,alice`)).json()).toEqual({
      data: {},
      summary: { total_tokens: 0, total_gigs: 0 },
    });
    const ready = await fetch(`${url}/ready`);
    expect(ready.status).toBe(200);
    const off =
      /Farcaster: off; to turn it on, set NEYNAR_API_KEY, NEYNAR_SIGNER_UUID, NEYNAR_WEBHOOK_SECRETS, FARCASTER_BOT_FID, FARCASTER_BOT_USERNAME/;
    expect(running.output()).toMatch(off);
    expect(running.output()).toMatch(/X: off; to turn it on, set X_APP_KEY, .*X_BOT_USERNAME/);
    expect(running.output()).toMatch(/Gig wallets: off; to turn it on, set GIG_WALLET_MNEMONIC/);
    expect(running.output()).toMatch(/Console: off; to turn it on, set SIGN_IN, OWNER_CREATE/);
    expect(running.output()).toMatch(/Alerts: off; to turn it on, set ALERT_WEBHOOK_URL/);
  });
});

describe('the modules of an idle service', () => {
  test('behavior: are without the tools of agents, which load with the first message', async () => {
    const reporter = new URL('../../support/report-loads.js', import.meta.url).href;
    const running = service({}, [`--import=${reporter}`]);
    const url = await urlOf(running);
    await (await fetch(`${url}/api/gigs`)).json();
    await (await fetch(`${url}/api/client.ts`)).text();
    // What is loaded is reported: otherwise the next line would hold by itself.
    expect(running.output()).toMatch(/^loaded file:\S*\/dist\/main\.js$/m);
    expect(running.output()).not.toMatch(/^loaded \S*\/protocol-\w+\.js$/m);
    const listed = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(listed.status).toBe(200);
    await running.seen(/^loaded \S*\/protocol-\w+\.js$/m);
  });
});

describe('settings with a misspelt name', () => {
  test('behavior: the service starts, and its log names them', async () => {
    const running = service({ RPC_URL_BASE: 'http://127.0.0.1:1/fake-key' });
    await urlOf(running);
    const line = /"level":"?(?:40|warn)"?.*RPC_URL_BASE is not a setting; the endpoint of base is RPC_URL_8453/;
    expect(running.output()).toMatch(line);
    expect(running.output()).not.toContain('fake-key');
  });

  test('error: a start that is refused names them, too', async () => {
    const running = service({ NEYNER_API_KEY: 'fake', NEYNAR_SIGNER_UUID: 'fake' });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('Warning: NEYNER_API_KEY is not a setting; see .env.example\n');
  });
});

describe('a configuration that is not usable', () => {
  test('error: a half-configured platform refuses to start and names what is missing, without values', async () => {
    const running = service({
      NEYNAR_API_KEY: 'fake-key-that-must-not-show',
      X_APP_KEY: 'fake-app-key',
      PORT: '99999',
    });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('Farcaster is only half configured: also set NEYNAR_SIGNER_UUID, ');
    expect(running.output()).toContain('X is only half configured: also set X_APP_SECRET, ');
    expect(running.output()).toContain('PORT must be a whole number from 0 to 65535');
    expect(running.output()).not.toContain('fake-key-that-must-not-show');
  });

  test.each([
    ['service', 'dist/main.js', []],
    ['command', 'dist/admin.js', ['api-key', 'create', '--name', 'shop']],
  ])(
    'security: a database URL in quotes is refused by a %s, and makes no file whose name has the password',
    async (_, program, args) => {
      const folder = folderOfTest();
      const env = { DATABASE_URL: '"postgres://gigs:hidden@db.example/gigs"', PORT: '0' };
      const running = launch(program, { args, env, cwd: folder });
      expect(await running.ended).toBe(1);
      expect(running.output()).toContain('DATABASE_URL must stand without quotes');
      expect(running.output()).not.toContain('hidden');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('error: a database that is none is named', async () => {
    const running = service({ DATABASE_URL: `file:${process.execPath}` });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(process.execPath);
  });
});

describe('a disk that refuses a sync', () => {
  const refusing = { NODE_OPTIONS: `--import=${new URL('../../support/refuse-sync.ts', import.meta.url)}` };

  test('security: ends a command of the operator, which prints no result', async () => {
    const env = { ...refusing, DATABASE_URL: join(folderOfTest(), 'gigclaim.db') };
    const command = launch('dist/admin.js', { args: ['api-key', 'create', '--name', 'lost'], env });
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(/^Error: database .*gigclaim\.db: what was committed cannot be brought to disk/);
  });

  test('security: ends the service, whose log says why', async () => {
    const running = service(refusing);
    expect(await running.ended).toBe(1);
    const line =
      /^\{"level":"fatal",.*gigclaim\.db: what was committed cannot be brought to disk \(EIO: i\/o error, fdatasync\)/m;
    expect(running.output()).toMatch(line);
    expect(running.output()).not.toContain('"listening"');
  });
});

/** A request that is under way until its body ends: the key is good, and the body has only begun. */
async function slowRequest() {
  const database = { DATABASE_URL: `file:${join(folderOfTest(), 'shared.db')}` };
  const command = launch('dist/admin.js', { args: ['api-key', 'create', '--name', 'slow'], env: database });
  expect(await command.ended, command.output()).toBe(0);
  const running = service(database);
  const url = await urlOf(running);
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const answer = fetch(`${url}/api/gigs/start`, {
    method: 'POST',
    headers: { 'x-api-key': command.output().trimEnd().split('\n').at(-1) ?? '' },
    body: body.readable,
    duplex: 'half',
  });
  await writer.write(new TextEncoder().encode('{"gig_id":'));
  // Answered after the request above came in, because both go through the same process.
  await fetch(`${url}/health`);
  return {
    running,
    url,
    answer,
    /** Sends the rest of the body, which names a gig that is not there, and waits for the answer and the end. */
    async finish(): Promise<void> {
      await writer.write(new TextEncoder().encode('1}'));
      await writer.close();
      expect((await answer).status).toBe(404);
      expect(await running.ended).toBe(0);
    },
  };
}

describe('a signal', () => {
  test('behavior: SIGTERM lets the request under way end, closes the store and exits with 0', async () => {
    const { running, url, finish } = await slowRequest();
    running.child.kill('SIGTERM');
    await running.seen(/"stopping; a second signal/);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    await finish();
    expect(running.output()).toContain('"stopped"');
  });

  test('behavior: SIGTERM ends connections on which somebody asks again and again', async () => {
    const running = service();
    const url = await urlOf(running);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const ask = (path: string) =>
      new Promise<void>((resolve, reject) => {
        get(url + path, { agent }, (answer) => answer.resume().once('end', resolve)).once('error', reject);
      });
    const askAgainAndAgain = async (path: string) => {
      for (;;) await ask(path);
    };
    const paths = ['/health', '/api/claim?identifiers=1'];
    const asking = Array.from({ length: 20 }, (_, i) => askAgainAndAgain(paths[i % 2] ?? ''));
    const refused = Promise.allSettled(asking);
    await ask('/health');
    running.child.kill('SIGTERM');
    expect(await running.ended, running.output()).toBe(0);
    await refused;
    agent.destroy();
  });

  test('behavior: SIGTERM ends connections on which nothing was asked, or only half of it', async () => {
    const running = service();
    const { hostname, port } = new URL(await urlOf(running));
    const parts = ['', 'GET /health HTTP/1.1\r\nHost: '];
    const sockets = await Promise.all(
      parts.map(async (part) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => 'it may be reset');
        await once(socket, 'connect');
        if (part !== '') socket.write(part);
        return socket;
      }),
    );
    // Answered after they came in.
    await fetch(`http://${hostname}:${port}/health`);
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    running.child.kill('SIGTERM');
    expect(await running.ended, running.output()).toBe(0);
    await closed;
  });

  test('behavior: a second one stops at once', async () => {
    const { running, answer } = await slowRequest();
    answer.catch(() => 'the connection is cut');
    running.child.kill('SIGTERM');
    await running.seen(/"stopping; a second signal/);
    const again = setInterval(() => running.child.kill('SIGTERM'), 1_200);
    expect(await running.ended).toBe(1);
    clearInterval(again);
  });

  test('behavior: one that npm hands on to the process, which has it already, counts once', async () => {
    const { running, finish } = await slowRequest();
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    await running.seen(/"stopping; a second signal/);
    await finish();
  });
});

describe('the operator’s port', () => {
  test('behavior: has the operator’s paths alone, and is closed by SIGTERM like the other', async () => {
    const running = service({ ADMIN_PORT: '0', HOST: '127.0.0.1' });
    const url = await urlOf(running);
    const [, port] = await running.seen(/"adminPort":([0-9]+),.*"listening on ADMIN_PORT"/);
    const operators = `http://127.0.0.1:${port}`;
    const status = async (address: string) => (await fetch(address, { redirect: 'manual' })).status;
    for (const path of ['/metrics', '/ready', '/admin']) {
      expect([await status(url + path), path]).toEqual([404, path]);
      expect([await status(operators + path), path]).not.toEqual([404, path]);
    }
    expect([await status(`${url}/health`), await status(`${operators}/health`)]).toEqual([200, 200]);
    expect(await status(`${operators}/api/gigs`)).toBe(404);
    const waiting = connect(Number(port), '127.0.0.1');
    await once(waiting, 'connect');
    await fetch(`${operators}/health`);
    running.child.kill('SIGTERM');
    expect(await running.ended, running.output()).toBe(0);
    await expect(fetch(`${operators}/health`)).rejects.toThrow();
    waiting.destroy();
  });
});

describe('the write-ahead log', () => {
  test('behavior: is copied into the database while the service runs', async () => {
    const path = join(folderOfTest(), 'busy.db');
    const running = service({ DATABASE_URL: `file:${path}` });
    const url = await urlOf(running);
    const connection = new SqliteDatabase(path);
    connection.pragma('wal_autocheckpoint = 0');
    connection.exec('create table filler (bytes blob); insert into filler values (zeroblob(1500 * 4096))');
    const look = connection.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(noop)');
    expect(look.get()?.log).toBeGreaterThan(1_500);
    await vi.waitFor(async () => {
      // Writes to the store.
      expect((await fetch(`${url}/ready`)).status).toBe(200);
      const { log, checkpointed } = look.get() ?? { log: 0, checkpointed: 0 };
      // The log begins anew when all of it was copied.
      expect(log < 1_000 || checkpointed > 1_000).toBe(true);
    }, 30_000);
    connection.close();
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });
});

describe('the operator’s command', () => {
  test('behavior: makes a key that the running service takes, lists it and revokes it', async () => {
    const database = { DATABASE_URL: `file:${join(folderOfTest(), 'shared.db')}` };
    const url = await urlOf(service(database));
    const admin = async (...args: string[]) => {
      const command = launch('dist/admin.js', { args, env: database });
      return { code: await command.ended, lines: command.output().trimEnd().split('\n') };
    };
    const created = await admin('api-key', 'create', '--name', 'shop');
    expect(created.code).toBe(0);
    const key = created.lines.at(-1) ?? '';
    expect(key).toMatch(/^gck_[A-Za-z0-9_-]{43}$/);
    const start = () =>
      fetch(`${url}/api/gigs/start`, { method: 'POST', headers: { 'x-api-key': key }, body: '{"gig_id":7}' });
    expect((await start()).status).toBe(404);
    const listed = await admin('api-key', 'list', '--json');
    expect(JSON.parse(listed.lines.join('\n'))).toMatchObject([{ id: 1, name: 'shop', revoked_at: null }]);
    expect(listed.lines.join('\n')).not.toContain(key);
    expect((await admin('api-key', 'revoke', '1')).code).toBe(0);
    expect((await start()).status).toBe(401);
    expect((await admin('api-key', 'revoke', '1')).code).toBe(1);
  });
});
