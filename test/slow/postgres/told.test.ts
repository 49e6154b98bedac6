import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createMetrics } from '../../../src/http/middleware/metrics.ts';
import { createDeliveryCounters } from '../../../src/services/deliveries/deliver-next.ts';
import { createEarningCounter } from '../../../src/services/earning/tally.ts';
import { createPlatformBreaker } from '../../../src/services/mentions/platform-breaker.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { keepLog } from '../../services/fakes.ts';
import { runBeside } from '../../support/command.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = await openTestDatabase();
  store = await openPostgresStore({ url: database.url, migrationsFolder: POSTGRES_MIGRATIONS });
});
afterEach(async () => {
  await store.close();
  await database.close();
});

/** Runs a command of the operator's on the database, whose chain does not answer. */
async function admin(...args: readonly string[]) {
  const chain = { CHAINS: 'anvil', RPC_URL_31337: 'http://127.0.0.1:1', GIG_WALLET_MNEMONIC: MNEMONIC };
  return await runBeside({ env: { ...chain, DATABASE_URL: database.url } }, { args, clock: Date.now });
}

/** What `doctor` says of these checks. */
async function doctor(...names: readonly string[]) {
  const { out } = await admin('doctor', '--json');
  const { checks }: { checks: { name: string; ok: boolean; detail: string; remedy: string }[] } = JSON.parse(out);
  return checks.filter(({ name }) => names.includes(name));
}

const pretend = () => database.client.query("update server_identity set server = 'system 1'");

describe('doctor', () => {
  test('behavior: tells the engine, the instances that live, the standbys and the connections', async () => {
    const { id } = await store.beat('1.0.0');
    const passed = { ok: true, mark: 'passed', remedy: '' };
    const matching = (pattern: RegExp) => expect.stringMatching(pattern);
    const living = new RegExp(`^1: ${id?.slice(0, 8)} of version 1.0.0, heard [0-9]+ s ago$`);
    const room = /^The server has 197, of which [0-9]+ are open; one instance and a command take 26$/;
    const remedy = 'Add a synchronous standby, or back up often enough.';
    expect(await doctor('engine', 'server', 'instances', 'standbys', 'connections')).toEqual([
      { ...passed, name: 'engine', detail: matching(/^PostgreSQL [0-9]+\.[0-9]+$/) },
      { ...passed, name: 'server', detail: 'The same as before' },
      { ...passed, name: 'instances', detail: matching(living) },
      { name: 'standbys', ok: true, mark: 'warning', detail: 'No standby holds your latest commits', remedy },
      { ...passed, name: 'connections', detail: matching(room) },
    ]);
  });

  test('error: a clock that is off, and too few connections for those who live', async () => {
    await store.beat('1.0.0');
    await database.client.query('update instances set clock_ahead_ms = -2000');
    await database.client.query(
      "insert into instances (id, version) select gen_random_uuid(), '1.0.0' from generate_series(1, 14)",
    );
    const [instances, connections] = await doctor('instances', 'connections');
    expect(instances).toMatchObject({ ok: false, detail: expect.stringContaining('its clock is off by 2000 ms') });
    expect(connections).toMatchObject({
      ok: false,
      detail: expect.stringContaining('15 instances and a command take 208'),
    });
  });

  test('error: another server fails, and says what to do', async () => {
    await pretend();
    expect(await doctor('server')).toEqual([
      {
        name: 'server',
        ok: false,
        mark: 'failed',
        detail: expect.stringContaining('All payments are stopped, because the database is on another server'),
        remedy: expect.stringContaining('npm run admin -- reconcile'),
      },
    ]);
  });
});

describe('reconcile', () => {
  test('behavior: without gigs it lets payments go on, once, and the audit trail says so', async () => {
    await pretend();
    // No chain is there, so that it cannot say whether gigs are lost.
    expect(await admin('reconcile')).toEqual({
      code: 1,
      out: 'No gig is live.\nAll payments go on.\n',
      err: 'It is not known whether gigs are lost: chain anvil: the endpoint could not be reached for eth_chainId\n',
    });
    expect(await store.paymentStop()).toBeNull();
    expect((await store.auditEvents({ limit: 1 }))[0]).toMatchObject({
      action: 'payments.allow',
      actorName: 'command line',
    });
    expect(await admin('reconcile')).toMatchObject({ out: 'No gig is live.\n' });
  });
});

describe('the metrics', () => {
  test('behavior: tell the engine, the pools and the server; and while it is away that it is, and what is known here', async () => {
    const { log, lines } = keepLog();
    const reads = { ...store };
    const metrics = createMetrics({
      store: reads,
      instances: { living: () => 2 },
      log,
      clock: Date.now,
      refundDelayMs: 0,
      counter: createEarningCounter(),
      ...createDeliveryCounters(),
      health: createPlatformBreaker({ platforms: [], clock: Date.now, log }),
      gasTank: null,
    });
    const read = async () => (await metrics.render()).text.split('\n');
    const text = await read();
    for (const line of [
      'gigclaim_store_up 1',
      'gigclaim_instances 2',
      'gigclaim_pool_limit{pool="transactions"} 10',
      'gigclaim_pool_limit{pool="lookups"} 1',
      'gigclaim_pool_waiting{pool="reads"} 0',
      'gigclaim_standbys{sync="synchronous"} 0',
      'gigclaim_standbys{sync="unknown"} 0',
      'gigclaim_server_connections{kind="limit"} 197',
    ]) {
      expect(text).toContain(line);
    }
    expect(text.join('\n')).toMatch(/^gigclaim_store_info\{engine="postgres",version="[0-9.]+"\} 1$/m);
    reads.engine = async () => {
      throw new Error('away');
    };
    expect(await read()).toEqual(expect.arrayContaining(['gigclaim_store_up 0', 'gigclaim_instances 2']));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'metrics are without the database' }));
  });
});
