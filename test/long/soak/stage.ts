import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startAnvil } from '../../../sandbox/anvil.ts';
import { createLocalChain, type LocalChain, type LocalToken } from '../../../sandbox/chain.ts';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createInstances } from '../../../sandbox/instances.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { SocialNetwork } from '../../../sandbox/networks/network.ts';
import { createTwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import type { Dialect } from '../../../sandbox/networks/twitter-dialect.ts';
import { MNEMONIC, NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { freePort } from '../../../sandbox/port.ts';
import { createServiceProcess, type ServiceEvent } from '../../../sandbox/service.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { run } from '../../support/process.ts';
import { diskFolder } from '../../support/store.ts';
import { createNode, type Node } from '../chaos/node.ts';
import type { Outage } from './answers.ts';
import { type Chance, createChance } from './chance.ts';
import { type Engine, openDatabase } from './database.ts';
import { type Gateway, openGateway } from './gateway.ts';

const RETURN_MS = 30_000;
/** Leases of mentions and replies end after a minute. */
const HALT_MS = 75_000;
/** So many that nobody reaches it: all clients of a soak have one address. */
const RATE_LIMIT = '1000000000';

/** The bundled service as `npm start` runs it, among local networks and a node, with a gateway before each of them. */
export interface Stage {
  readonly url: string;
  readonly networks: Readonly<Record<'farcaster' | 'twitter', SocialNetwork>>;
  readonly gateways: Readonly<Record<'farcaster' | 'twitter' | 'chain', Gateway>>;
  /** The node itself, without a gateway. */
  readonly node: Node;
  readonly chain: LocalChain;
  /** Two tokens and the native asset. */
  readonly tokens: readonly LocalToken[];
  /** Nobody else sends to it. */
  readonly treasury: Address;
  readonly apiKey: string;
  readonly walPath: string | null;
  readonly outages: readonly Outage[];
  /** The vocabularies that X has understood, in order: one at a time. */
  readonly dialects: readonly Dialect[];
  /** Of the service's processes. */
  pids(): readonly number[];
  /**
   * Kills the service, or the next of its instances, as a crash would, and settles when it answers again; with both dialects
   * X then changes its own.
   */
  kill(): Promise<void>;
  /**
   * Ends the database's primary as in a crash, makes its standby the primary, and does what the operator then does; null
   * without a server. Settles when the service answers again.
   */
  readonly failOver: (() => Promise<void>) | null;
  /** Lets one instance stand still for longer than every lease, and go on then; null where there is one alone. */
  readonly halt: (() => Promise<void>) | null;
  /** Ends the service for good. */
  stop(): Promise<void>;
  /** Runs one of the operator's commands, on the node itself. */
  admin(...args: string[]): Promise<{ code: number | NodeJS.Signals; output: string }>;
  close(): Promise<void>;
}

/** Whether each instance answers a question that needs the store: they are asked in turn. */
async function isReady(url: string, instances: number): Promise<boolean> {
  const asked = Array.from({ length: 2 * instances }, () => fetch(`${url}/ready`).then(({ status }) => status));
  const statuses = await Promise.all(asked).catch(() => []);
  return statuses.length > 0 && statuses.every((status) => status === 200);
}

async function deployTokens(chain: LocalChain): Promise<LocalToken[]> {
  return [
    await chain.deploy({ name: 'USD Coin', symbol: 'USDC', decimals: 6 }),
    await chain.deploy({ name: 'Degen', symbol: 'DEGEN', decimals: 18 }),
    { address: NATIVE_TOKEN_ADDRESS, name: 'Ether', symbol: 'ETH', decimals: 18 },
  ];
}

/** An address whose key nobody has. */
export function nobodysAddress(): Address {
  return `0x${randomBytes(20).toString('hex')}`;
}

/** What a soak is about. */
export interface StageOptions {
  /** Which vocabulary X understands: one all the time, or, with `both`, the old and the new in turn, one at a time. */
  readonly dialect: Dialect;
  readonly store: Engine;
  /** How many instances of the service run, more than one only on PostgreSQL. */
  readonly instances: number;
  readonly say: (line: string) => void;
}

/** Opens everything and starts the service on an empty database. Nothing goes wrong yet. */
export async function openStage(
  chance: Chance,
  { dialect, store, instances: count, say }: StageOptions,
): Promise<Stage> {
  const folder = diskFolder();
  const database = await openDatabase(store, folder.path);
  const anvil = await startAnvil();
  const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
  const twitter = createTwitterNetwork(NETWORK_CREDENTIALS.twitter);
  const open = async (target: string) => await openGateway(target, createChance(chance.between(1, 2 ** 31)));
  const gateways = {
    farcaster: await open(await farcaster.start()),
    twitter: await open(await twitter.start()),
    chain: await open(anvil.url),
  };
  const url = `http://127.0.0.1:${await freePort(0)}`;
  const treasury = nobodysAddress();
  const places = {
    service: url,
    farcaster: gateways.farcaster.url,
    x: gateways.twitter.url,
    chain: gateways.chain.url,
  };
  const env = {
    ...serviceEnvironment(places, database.name),
    TREASURY_ADDRESS: treasury,
    RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    CLAIM_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: RATE_LIMIT,
    // One client has all the gigs, and pays for more in ten minutes than the default allows it in a day.
    GAS_BUDGET_CLIENT_DAY: '0',
  };
  const chain = createLocalChain({ url: anvil.url, mnemonic: MNEMONIC });
  await chain.deployPayer();
  const { failOver } = database;
  const outages: Outage[] = [];
  const dialects: Dialect[] = [];
  function speak(next: Dialect): void {
    twitter.manners.dialect = next;
    dialects.push(next);
  }
  speak(dialect === 'both' ? 'old' : dialect);

  /** Does something by which the service is away, and settles when it answers again. */
  async function during(work: () => Promise<void>): Promise<void> {
    const outage: Outage = { from: Date.now(), until: Number.POSITIVE_INFINITY };
    outages.push(outage);
    await work();
    const deadline = Date.now() + RETURN_MS;
    while (!(await isReady(url, count))) {
      if (Date.now() > deadline) throw new Error(`the service did not come back within ${RETURN_MS / 1_000} s`);
      await wait(20);
    }
    outage.until = Date.now();
  }

  async function admin(...args: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> {
    const command = run('src/admin.ts', { args, env: { ...env, RPC_URL_31337: anvil.url }, cwd: folder.path });
    return { code: await command.ended, output: command.output() };
  }

  const key = await admin('api-key', 'create', '--name', 'soak');
  if (key.code !== 0) throw new Error(`no API key: ${key.output}`);
  let observe: (event: ServiceEvent) => void = () => undefined;
  const options = {
    url,
    env,
    say,
    path: process.env['PATH'] ?? '',
    logFile: join(folder.path, 'service.log'),
    observe: (event: ServiceEvent) => observe(event),
  };
  const service = count === 1 ? createServiceProcess(options) : await createInstances({ ...options, count });
  const killAtExit = () => {
    service.kill();
    folder.remove();
  };
  process.once('exit', killAtExit);
  await service.start();
  farcaster.setWebhook(`${url}/webhooks/farcaster`);
  twitter.setWebhook(`${url}/webhooks/twitter`);
  // The load delivers by itself, because it has to know what was answered.
  for (const network of [farcaster, twitter]) network.faults.webhook = 'never';

  return {
    url,
    gateways,
    chain,
    treasury,
    walPath: database.walPath,
    outages,
    admin,
    dialects,
    networks: { farcaster, twitter },
    node: createNode(anvil.url),
    tokens: await deployTokens(chain),
    apiKey: key.output.trimEnd().split('\n').at(-1) ?? '',
    pids: service.pids,
    async kill() {
      const isBack = new Promise<void>((resolve, reject) => {
        observe = ({ type }) => {
          if (type === 'back') resolve();
          if (type === 'lost') reject(new Error('the service did not come back'));
        };
      });
      await during(async () => {
        if (!service.crash()) throw new Error('the service does not run');
        await isBack;
      });
      // While it runs, so that a vocabulary that was understood before is understood no more.
      if (dialect === 'both') speak(dialects.at(-1) === 'old' ? 'new' : 'old');
    },
    failOver:
      failOver === null
        ? null
        : async () => {
            await during(failOver);
            const { code, output } = await admin('reconcile');
            say(`the standby is the primary; reconcile ended with ${code}: ${output.trim().split('\n').at(-1)}`);
          },
    halt:
      count === 1
        ? null
        : async () => {
            const [pid] = service.pids();
            if (pid === undefined) throw new Error('the service does not run');
            await during(async () => {
              process.kill(pid, 'SIGSTOP');
              await wait(HALT_MS);
              process.kill(pid, 'SIGCONT');
            });
            say(`process ${pid} goes on after ${HALT_MS / 1_000} s`);
          },
    stop: () => service.stop(),
    async close() {
      await service.stop();
      process.off('exit', killAtExit);
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close()));
      await Promise.all([farcaster.stop(), twitter.stop(), anvil.stop(), database.stop()]);
      folder.remove();
    },
  };
}
