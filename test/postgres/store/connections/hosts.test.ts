import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../../sandbox/postgres.ts';
import { loadConfig } from '../../../../src/config.ts';
import { createLog } from '../../../../src/log.ts';
import { createRuntime } from '../../../../src/runtime.ts';
import { openPools } from '../../../../src/store/postgres/connections/pools.ts';
import { migratePostgres } from '../../../../src/store/postgres/migrations.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { runBeside } from '../../../support/command.ts';
import { moreMigrations } from '../../../support/migrations.ts';
import { POSTGRES_MIGRATIONS, withClient } from '../../../support/postgres.ts';
import { openRewritingProxy } from '../../../support/rewriting-proxy.ts';
import { MIGRATIONS, PAGES } from '../../../support/store.ts';
import { useDatabase } from '../database.ts';

const { current, client, open } = useDatabase();

const nameOf = () => new URL(current().url).pathname.slice(1);
const doubtsOf = async (url?: string) => {
  const store = await open(url === undefined ? {} : { url });
  return (await store.engine()).server?.doubts.map(({ name, text }) => `${name}: ${text}`);
};

/** Works as a user without any right but on the database, and without that to call a function. */
async function asPlainUser(forbidden: string, work: (url: string) => Promise<void>): Promise<void> {
  // Roles belong to the whole server.
  const role = `plain_${nameOf()}`;
  await client().query(`create role ${role} login; grant all on database ${nameOf()} to ${role};
    drop schema public cascade; create schema public authorization ${role};
    revoke execute on function ${forbidden} from public`);
  try {
    const url = new URL(current().url);
    url.username = role;
    await work(url.href);
  } finally {
    await client().query(`grant execute on function ${forbidden} to public; drop owned by ${role}; drop role ${role}`);
  }
}

describe('the identity of a server', () => {
  const UNSURE = 'payments may go on after a failover or a restore that loses commits';

  test('behavior: is what Aurora tells of it, and a start says what is lost', async () => {
    // Aurora's own words. Functions of the first schema on the path are found before those of the server.
    await client().query(`
      drop schema public cascade; create schema public;
      create function public.pg_current_wal_lsn() returns pg_lsn language plpgsql as $$
        begin raise 'wal_level must be set to ''logical''' using errcode = '55000'; end $$;
      alter database ${nameOf()} set search_path = public, pg_catalog`);
    expect(await doubtsOf()).toEqual([`identity: The server does not tell its timeline: ${UNSURE}`]);
    const { rows } = await client().query('select server from server_identity');
    expect(rows).toEqual([
      { server: expect.stringMatching(/^system \d+, timeline unknown, database \d+, table \d+$/) },
    ]);
    await client().query(`update server_identity set server = replace(server, 'system', 'system 1')`);
    expect(await (await open()).paymentStop()).not.toBeNull();
  });

  test('behavior: lacks what its user may not ask, and payments go on', async () => {
    await asPlainUser('pg_control_system()', async (url) => {
      expect(await doubtsOf(url)).toEqual([`identity: The server does not tell its system: ${UNSURE}`]);
      const store = await open({ url });
      await store.beat('1.0.0');
      expect(await store.paymentStop()).toBeNull();
      await store.close();
    });
  });

  test('security: on Neon a branch that was set back to an earlier moment is another server', async () => {
    const setBranch = (id: string) => client().query(`alter database ${nameOf()} set neon.timeline_id = '${id}'`);
    await setBranch('b1');
    expect(await doubtsOf()).toEqual([]);
    expect(await (await open()).paymentStop()).toBeNull();
    await setBranch('b2');
    expect((await (await open()).paymentStop())?.server).toMatch(/, branch b2$/);
  });
});

test('error: a user who may not call a function that keeps instances apart reads which', async () => {
  const refused = 'the service cannot do without what the server refuses: permission denied for function';
  await asPlainUser('pg_try_advisory_lock(bigint)', async (url) => {
    await expect(open({ url })).rejects.toThrow(`: ${refused} pg_try_advisory_lock (42501)`);
  });
});

/** What the service logs when it starts. */
async function linesOfStart(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line).msg) } });
  const folders = { migrationsFolder: MIGRATIONS, pagesFolder: PAGES };
  const runtime = await createRuntime({ config: loadConfig(env), log, ...folders, version: '0.0.0' });
  await runtime.stop();
  return lines;
}

describe('a server that does not write to its disk', () => {
  const PROMISE = 'set POSTGRES_DURABLE=storage where the host promises that its storage keeps every commit';

  test.for([
    ['full_page_writes', 'a crash could damage the files', 'full_page_writes is'],
    ['fsync, full_page_writes', 'a commit would be lost with the machine', 'fsync and full_page_writes are'],
  ] as const)(
    'security: %s off is refused, unless the operator states that storage of the host keeps commits',
    async ([off, lost, told]) => {
      const names = off.split(', ');
      const server = await startPostgres({ settings: names.map((name) => `${name}=off`) });
      onTestFinished(server.stop);
      const options = { url: server.url, migrationsFolder: POSTGRES_MIGRATIONS };
      await expect(openPostgresStore(options)).rejects.toThrow(
        `: ${names[0]} is off: ${lost}; turn it on, or ${PROMISE}`,
      );
      const store = await openPostgresStore({ ...options, durable: 'storage' });
      onTestFinished(store.close);
      const text = `${told} off: commits last by the storage of your host, as POSTGRES_DURABLE=storage says`;
      expect((await store.engine()).server).toMatchObject({
        isKeptByStorage: true,
        doubts: [{ name: 'durability', text, remedy: '' }],
      });
    },
  );

  test('behavior: is said at each start and by doctor', async () => {
    const text = 'fsync is off: commits last by the storage of your host, as POSTGRES_DURABLE=storage says';
    const url = await openRewritingProxy(current().url, (statement) =>
      statement.replace("current_setting('fsync', true)", "'off'"),
    );
    const chain = { CHAINS: 'anvil', RPC_URL_31337: 'http://127.0.0.1:1' };
    const env = { ...chain, DATABASE_URL: url, POSTGRES_DURABLE: 'storage' };
    const { out } = await runBeside({ env }, { args: ['doctor', '--json'], clock: Date.now });
    const found = JSON.parse(out).checks.filter(({ name }: { name: string }) => name === 'durability');
    expect(found).toEqual([{ name: 'durability', ok: true, mark: 'passed', detail: text, remedy: '' }]);
    expect(await linesOfStart(env)).toContain(text);
  });
});

const SOCKETS = '/proc/net/tcp';

test.skipIf(!existsSync(SOCKETS))(
  'behavior: an idle connection is used often enough that no network forgets it',
  async () => {
    const pools = openPools(current().url, 1);
    try {
      const { rows } = await pools.reads.query<{ port: number }>('select inet_client_port() as port');
      const port = (rows[0]?.port ?? 0).toString(16).toUpperCase().padStart(4, '0');
      // State 01 is established: an earlier connection from the same port may still be ending.
      const established = new RegExp(`0100007F:${port} 0100007F:[0-9A-F]{4} 01 `);
      const socket = readFileSync(SOCKETS, 'utf8')
        .split('\n')
        .find((line) => established.test(line));
      // A timer that keeps it alive, and the hundredths of a second until then.
      const [, timer, left = ''] =
        / ([0-9A-F]{2}):([0-9A-F]{8}) /.exec(socket?.replace(/ [0-9A-F]{8}:[0-9A-F]{8} /, ' ') ?? '') ?? [];
      expect(timer).toBe('02');
      expect(Number.parseInt(left, 16)).toBeLessThanOrEqual(3_000);
    } finally {
      await pools.close();
    }
  },
);

describe('what a host sets for every session', () => {
  const setAll = (settings: Readonly<Record<string, string>>) =>
    client().query(
      Object.entries(settings)
        .map(([name, value]) => `alter database ${nameOf()} set ${name} = '${value}'`)
        .join(';'),
    );

  test('security: does not hold where the store rests on another value', async () => {
    await setAll({
      default_transaction_isolation: 'serializable',
      idle_in_transaction_session_timeout: '1ms',
      idle_session_timeout: '1s',
      lock_timeout: '1ms',
      statement_timeout: '1min',
      synchronous_commit: 'off',
      transaction_timeout: '1s',
    });
    const pools = openPools(current().url, 1);
    const asked = `select name, setting from pg_settings where name = any(
      '{default_transaction_isolation,idle_in_transaction_session_timeout,idle_session_timeout,lock_timeout,statement_timeout,
      synchronous_commit,transaction_timeout}') order by name`;
    const { rows } = await pools.reads.query<{ name: string; setting: string }>(asked).finally(pools.close);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      default_transaction_isolation: 'read committed',
      idle_in_transaction_session_timeout: '10000',
      idle_session_timeout: '0',
      lock_timeout: '5000',
      statement_timeout: '10000',
      synchronous_commit: 'on',
      transaction_timeout: '0',
    });
  });

  test('security: is refused where it keeps every trigger from running, as a migration between servers leaves it', async () => {
    await setAll({ session_replication_role: 'replica' });
    await expect(open()).rejects.toThrow('session_replication_role is replica, so that no trigger keeps its sums');
  });

  test('behavior: does not end a migration that takes longer than any other transaction', async () => {
    await setAll({
      transaction_timeout: '300ms',
      statement_timeout: '300ms',
      idle_in_transaction_session_timeout: '300ms',
    });
    const folder = moreMigrations(POSTGRES_MIGRATIONS, 'select pg_sleep(0.5)');
    await withClient(current().url, (session) => migratePostgres(session, { folder }));
  });

  test('error: a database that takes no writes is awaited, with why', async () => {
    await setAll({ default_transaction_read_only: 'on' });
    await expect(open()).rejects.toMatchObject({
      name: 'StoreAway',
      message: expect.stringMatching(/: the server takes no writes: it is a standby, or read-only \(25006\)$/),
    });
  });
});
