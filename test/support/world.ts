import { once } from 'node:events';
import { inject } from 'vitest';
import { serviceEnvironment } from '../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import { createTwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { NETWORK_CREDENTIALS, PEOPLE } from '../../sandbox/people.ts';
import { freePort } from '../../sandbox/port.ts';
import { type Config, loadConfig, secretsOf } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../src/runtime.ts';
import { createTestDatabase, POOL_SIZE } from './database.ts';
import { readAmpleDisk } from './disk.ts';
import { MIGRATIONS, PAGES } from './store.ts';

/** How fast the background work of a test goes: nothing waits longer than it must. */
export const FAST: NonNullable<RuntimeOptions['timing']> = {
  answer: { leaseMs: 5_000, backoffMs: 20 },
  send: { leaseMs: 5_000, settleMs: 100, backoffMs: 20, noteMs: 100 },
  payment: { refusedMs: 0, barelyRefusedMs: 0 },
};

/** What a world may have otherwise. */
export interface WorldOptions {
  env?: Record<string, string>;
  timing?: RuntimeOptions['timing'];
  /** The clock of the service and the networks; the machine's when absent. */
  clock?: () => number;
  /** The clock of the service that nobody sets; that of `clock` when absent. */
  elapsed?: () => number;
  /** Of every chain; the chain's own when absent. */
  confirmations?: number;
  /** The space where the database is; more than enough when absent. */
  readDisk?: RuntimeOptions['readDisk'];
}

/**
 * A whole service in this process, listening on loopback, with both networks around it and everybody of the sandbox on
 * them. It can be stopped in the middle and opened again on the same database.
 */
export async function openWorld(options: WorldOptions = {}) {
  const database = await createTestDatabase();
  const farcaster = createFarcasterNetwork({ ...NETWORK_CREDENTIALS.farcaster, clock: options.clock });
  const x = createTwitterNetwork({ ...NETWORK_CREDENTIALS.twitter, clock: options.clock });
  for (const { name, fid, xUserId, address } of PEOPLE) {
    farcaster.addUser({ id: String(fid), username: name, verifiedAddresses: [address] });
    x.addUser({ id: xUserId, username: name });
  }
  const places = {
    service: `http://127.0.0.1:${await freePort(0)}`,
    farcaster: await farcaster.start(),
    x: await x.start(),
    chain: inject('anvilUrl'),
  };
  const env = {
    ...serviceEnvironment(places, database.url),
    DATABASE_POOL: String(POOL_SIZE),
    MENTION_POLL_SECONDS: '0',
    ...options.env,
  };
  const loaded = loadConfig(env);
  const { confirmations } = options;
  const config: Config =
    confirmations === undefined
      ? loaded
      : { ...loaded, chains: loaded.chains.map((each) => ({ ...each, chain: { ...each.chain, confirmations } })) };
  const lines: string[] = [];
  let running: Runtime | null = null;

  async function start(): Promise<Runtime> {
    const log = createLog({
      level: 'debug',
      secrets: secretsOf(config),
      destination: { write: (line) => void lines.push(line) },
    });
    const runtime = await createRuntime({
      config,
      log,
      migrationsFolder: MIGRATIONS,
      pagesFolder: PAGES,
      version: '0.0.0',
      timing: options.timing ?? FAST,
      readDisk: options.readDisk ?? readAmpleDisk,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.elapsed === undefined ? {} : { elapsed: options.elapsed }),
    });
    const server = runtime.server.listen(config.port, '127.0.0.1');
    await once(server, 'listening');
    runtime.start();
    running = runtime;
    farcaster.setWebhook(`${places.service}/webhooks/farcaster`);
    x.setWebhook(`${places.service}/webhooks/twitter`);
    return runtime;
  }

  async function stop(): Promise<void> {
    const stopped = running;
    running = null;
    await stopped?.stop();
  }

  await start();
  return {
    farcaster,
    x,
    config,
    env,
    url: places.service,
    database,
    /** What the service has logged so far, one JSON text for each line. */
    lines,
    /** The service that runs now. @throws Error between a stop and the next start */
    get runtime(): Runtime {
      if (running === null) throw new Error('the service is stopped');
      return running;
    },
    start,
    stop,
    async close() {
      await stop();
      await Promise.all([farcaster.stop(), x.stop()]);
      await database.remove();
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
