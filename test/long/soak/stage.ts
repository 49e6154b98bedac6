import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startAnvil } from '../../../sandbox/anvil.ts';
import { createLocalChain, type LocalChain, type LocalToken } from '../../../sandbox/chain.ts';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { SocialNetwork } from '../../../sandbox/networks/network.ts';
import { createTwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import type { Dialect } from '../../../sandbox/networks/twitter-dialect.ts';
import { MNEMONIC, NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { freePort } from '../../../sandbox/port.ts';
import { createServiceProcess } from '../../../sandbox/service.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/token.ts';
import { run } from '../../support/process.ts';
import { diskFolder } from '../../support/store.ts';
import { createNode, type Node } from '../chaos/node.ts';
import type { Outage } from './answers.ts';
import { type Chance, createChance } from './chance.ts';
import { type Gateway, openGateway } from './gateway.ts';

const RETURN_MS = 30_000;
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
  readonly databasePath: string;
  readonly outages: readonly Outage[];
  /** The vocabularies that X has understood, in order: one at a time. */
  readonly dialects: readonly Dialect[];
  pid(): number | undefined;
  /** Kills the service as a crash would, and settles when it answers again; with both dialects X then changes its own. */
  kill(): Promise<void>;
  /** Ends the service for good. */
  stop(): Promise<void>;
  /** Runs one of the operator's commands, on the node itself. */
  admin(...args: string[]): Promise<{ code: number | NodeJS.Signals; output: string }>;
  close(): Promise<void>;
}

async function isHealthy(url: string): Promise<boolean> {
  return await fetch(`${url}/health`).then(
    (response) => response.ok,
    () => false,
  );
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

/** Opens everything and starts the service on an empty database. Nothing goes wrong yet. */
export async function openStage(chance: Chance, say: (line: string) => void, dialect: Dialect): Promise<Stage> {
  const folder = diskFolder();
  const databasePath = join(folder.path, 'gigclaim.db');
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
    ...serviceEnvironment(places, databasePath),
    TREASURY_ADDRESS: treasury,
    RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    CLAIM_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: RATE_LIMIT,
    // One client has all the gigs, and pays for more in ten minutes than the default allows it in a day.
    GAS_BUDGET_CLIENT_DAY: '0',
  };
  const chain = createLocalChain({ url: anvil.url, mnemonic: MNEMONIC });
  await chain.deployPayer();
  const outages: Outage[] = [];
  const dialects: Dialect[] = [];
  function speak(next: Dialect): void {
    twitter.manners.dialect = next;
    dialects.push(next);
  }
  speak(dialect === 'both' ? 'old' : dialect);

  async function admin(...args: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> {
    const command = run('src/cli/main.ts', { args, env: { ...env, RPC_URL_31337: anvil.url }, cwd: folder.path });
    return { code: await command.ended, output: command.output() };
  }

  const key = await admin('api-key', 'create', '--name', 'soak');
  if (key.code !== 0) throw new Error(`no API key: ${key.output}`);
  const service = createServiceProcess({
    url,
    env,
    say,
    path: process.env['PATH'] ?? '',
    logFile: join(folder.path, 'service.log'),
  });
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
    databasePath,
    outages,
    admin,
    dialects,
    networks: { farcaster, twitter },
    node: createNode(anvil.url),
    tokens: await deployTokens(chain),
    apiKey: key.output.trimEnd().split('\n').at(-1) ?? '',
    pid: () => service.pids()[0],
    async kill() {
      const [pid] = service.pids();
      if (pid === undefined) throw new Error('the service does not run');
      const outage: Outage = { from: Date.now(), until: Number.POSITIVE_INFINITY };
      outages.push(outage);
      process.kill(pid, 'SIGKILL');
      const deadline = Date.now() + RETURN_MS;
      while (service.pids()[0] === pid || !(await isHealthy(url))) {
        if (Date.now() > deadline) throw new Error(`the service did not come back within ${RETURN_MS / 1_000} s`);
        await wait(20);
      }
      outage.until = Date.now();
      // While it runs, so that a vocabulary that was understood before is understood no more.
      if (dialect === 'both') speak(dialects.at(-1) === 'old' ? 'new' : 'old');
    },
    stop: () => service.stop(),
    async close() {
      await service.stop();
      process.off('exit', killAtExit);
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close()));
      await Promise.all([farcaster.stop(), twitter.stop(), anvil.stop()]);
      folder.remove();
    },
  };
}
