import { afterEach, expect, test } from 'vitest';
import type { EngineStatus, Instance, PoolStatus, ServerStatus, Standby, Store } from '../../src/store/port/index.ts';
import { logIn } from './operator.ts';
import { NOW, service, setUp } from './service.ts';

afterEach(() => service.close());

const POOLS: PoolStatus[] = [
  { name: 'transactions', limit: 10, open: 4, idle: 1, waiting: 0 },
  { name: 'reads', limit: 2, open: 2, idle: 0, waiting: 5 },
  { name: 'lookups', limit: 1, open: 1, idle: 1, waiting: 0 },
];

const instance = (id: string, change: Partial<Instance> = {}): Instance => ({
  id: `${id}-0000-0000-0000-000000000000`,
  version: '1.2.3',
  begunAt: NOW - 60_000,
  beatAt: NOW - 2_000,
  clockAheadMs: 0,
  isAlive: true,
  ...change,
});

/** A store that says it is on a server like this. */
function onServer(change: Partial<ServerStatus> = {}): (store: Store) => Store {
  const server = {
    connections: { open: 30, limit: 97 },
    synchronousNames: '',
    standbys: [],
    user: 'gigclaim',
    isKeptByStorage: false,
    doubts: [],
    ...change,
  };
  const engine: EngineStatus = { engine: 'postgres', version: '18.4', server };
  return (store) => ({
    ...store,
    engine: async () => engine,
    pools: async () => POOLS,
    instances: async () => [
      instance('aaaaaaaa'),
      instance('bbbbbbbb', { clockAheadMs: 5_000 }),
      instance('cccccccc', { isAlive: false }),
    ],
  });
}

/** What the overview says in its main part, without its markup. */
async function overview(): Promise<string> {
  const [, main = ''] = (await (await logIn(service)).read('/admin')).split('<main');
  return main.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

/** A store that says it is in a file. */
function inFile(store: Store): Store {
  const engine: EngineStatus = { engine: 'sqlite', version: '3.53.0', server: null };
  return { ...store, engine: async () => engine, pools: async () => [], instances: async () => [] };
}

test('behavior: a file is one line of the overview, two metrics, and nothing of a server', async () => {
  await setUp({ wrap: inFile });
  expect(await overview()).toContain('Database SQLite 3.53.0, served by this process alone.');
  const metrics = await (await service.app.request('/metrics')).text();
  expect(metrics).toContain('gigclaim_store_up 1\n');
  expect(metrics).toContain('gigclaim_store_info{engine="sqlite",version="3.53.0"} 1\n');
  expect(metrics).not.toMatch(/gigclaim_(pool|standbys|server)/);
});

test('behavior: the overview and ready tell the server’s engine, instances, standbys and connections', async () => {
  const standbys: Standby[] = [
    { name: 'a', isSynchronous: true },
    { name: 'b', isSynchronous: false },
  ];
  await setUp({ wrap: onServer({ synchronousNames: 'a', standbys }) });
  const page = await overview();
  expect(page).toContain('Nothing needs your attention.');
  expect(page).toMatch(/aaaaaaaa 1\.2\.3 serves .*bbbbbbbb 1\.2\.3 clock is off /);
  expect(page).not.toContain('cccccccc');
  expect(page).toContain(
    'PostgreSQL 18.4 1 standby with all that is committed, and 1 that must not become the primary',
  );
  expect(page).toContain(
    '3 of 10 for transactions, 0 waiting; 2 of 2 for reads, 5 waiting; 0 of 1 for lookups, 0 waiting',
  );
  expect(page).toContain('The server has 97, of which 30 are open');
  expect(await (await service.app.request('/ready')).json()).toMatchObject({
    store: {
      engine: 'postgres',
      standbys: { synchronous: 1, asynchronous: 1, unknown: 0 },
      connections: [
        { pool: 'transactions', limit: 10, open: 4, idle: 1, waiting: 0 },
        { pool: 'reads' },
        { pool: 'lookups' },
      ],
    },
  });
});

test('error: standbys of which none is synchronous need attention', async () => {
  await setUp({ wrap: onServer({ standbys: [{ name: 'a', isSynchronous: false }] }) });
  expect(await overview()).toContain(
    'Needs attention 1 standby, and none is synchronous: the newest commits would be lost with the server. Set synchronous_standby_names',
  );
});

test('error: a stop of all payments is told by ready and the overview', async () => {
  const stop = { server: 'system 7, timeline 2, database 5', since: NOW };
  await setUp({ wrap: (store) => ({ ...store, paymentStop: async () => stop }) });
  expect(await overview()).toContain('All payments are stopped, because the database is on another server than before');
  const response = await service.app.request('/ready');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    status: 'degraded',
    reasons: [{ kind: 'payments_stopped', subject: 'database' }],
  });
});
