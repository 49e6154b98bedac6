import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { english, generateMnemonic } from 'viem/accounts';
import { startAnvil } from '../../../sandbox/anvil.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { createTwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import { MNEMONIC, PEOPLE } from '../../../sandbox/people.ts';
import { createChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { CHAINS } from '../../../src/domain/chains/chain.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { newApiKey } from '../../support/clients.ts';
import { type Running, run } from '../../support/process.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';
import { type Crowd, type Seeded, seedWorld } from './seed.ts';

/** Everything that only the operator of this world's service knows, drawn anew for each. */
export function drawCredentials() {
  const secret = (name: string) => `${name}-${randomBytes(18).toString('base64url')}`;
  return {
    mnemonic: generateMnemonic(english),
    farcaster: {
      apiKey: secret('neynar'),
      signerUuid: crypto.randomUUID(),
      botFid: 9001,
      botUsername: 'gigclaim',
      webhookSecrets: [secret('hook-new'), secret('hook-old')],
    },
    twitter: {
      appKey: secret('app-key'),
      appSecret: secret('app-secret'),
      accessToken: secret('access-token'),
      accessSecret: secret('access-secret'),
      botUserId: '1700000000000009001',
      botUsername: 'gigclaim',
    },
  };
}

export type Credentials = ReturnType<typeof drawCredentials>;

/** The bundled service in a process of its own, among a local Farcaster, X and EVM node. */
export interface World {
  readonly url: string;
  readonly port: number;
  /** A key that the service takes. */
  readonly apiKey: string;
  readonly credentials: Credentials;
  readonly databasePath: string;
  readonly farcaster: ReturnType<typeof createFarcasterNetwork>;
  readonly twitter: ReturnType<typeof createTwitterNetwork>;
  readonly chainUrl: string;
  readonly seeded: Seeded;
  /** The process, its log included. */
  readonly service: Running;
  close(): Promise<void>;
}

/** How a world is to be. */
export interface WorldOptions {
  /** More of the service's environment. */
  readonly env?: Record<string, string>;
  /** Who owns the trap gigs and has tips to claim. */
  readonly crowd?: Crowd;
  /** Where the service finds the chain, given where it is. */
  readonly rpcUrl?: (chainUrl: string) => Promise<string>;
}

const ANVIL = CHAINS.filter(({ key }) => key === 'anvil');
/** Enough gas for everything that a run can ask for. */
const GAS_TANK_WEI = `0x${(10n ** 21n).toString(16)}`;

async function fillGasTank(chainUrl: string, address: string): Promise<void> {
  await fetch(chainUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: [address, GAS_TANK_WEI] }),
  });
}

/** Fills a new database; answers an API key and what there is. */
async function prepare(options: { databasePath: string; chainUrl: string; mnemonic: string; crowd: Crowd }) {
  const { databasePath: path, chainUrl, mnemonic, crowd } = options;
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  try {
    const clock = Date.now;
    const wallets = createWallets(mnemonic);
    await fillGasTank(chainUrl, wallets.gasTankAddress());
    const key = await newApiKey(store, { name: 'fuzz' });
    const chain = createLocalChain({ url: chainUrl, mnemonic: MNEMONIC });
    await chain.deployPayer();
    const seeded = await seedWorld({
      store,
      wallets,
      clock,
      crowd,
      chain,
      chains: createChains({ endpoints: ANVIL.map((chain) => ({ chain, rpcUrls: [chainUrl] })), clock }),
    });
    return { key, seeded };
  } finally {
    await store.close();
  }
}

/** Starts a world; the networks deliver to the service as soon as this resolves. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const crowd = options.crowd ?? { farcaster: [], twitter: [] };
  const credentials = drawCredentials();
  const folder = temporaryFolder();
  const databasePath = join(folder.path, 'gigclaim.db');
  const anvil = await startAnvil();
  const farcaster = createFarcasterNetwork(credentials.farcaster);
  const twitter = createTwitterNetwork(credentials.twitter);
  for (const { name, fid, xUserId, address } of PEOPLE) {
    farcaster.addUser({ id: String(fid), username: name, verifiedAddresses: [address] });
    twitter.addUser({ id: xUserId, username: name });
  }
  for (const { id, username } of crowd.farcaster) {
    farcaster.addUser({ id, username, verifiedAddresses: [PEOPLE[0]?.address ?? ''] });
  }
  for (const user of crowd.twitter) twitter.addUser(user);
  const places = { service: 'http://127.0.0.1:0', farcaster: await farcaster.start(), x: await twitter.start() };
  const { key, seeded } = await prepare({
    databasePath,
    chainUrl: anvil.url,
    mnemonic: credentials.mnemonic,
    crowd,
  });
  const { farcaster: neynar, twitter: x } = credentials;
  const rpcUrl = (await options.rpcUrl?.(anvil.url)) ?? anvil.url;
  const service = run('dist/main.js', {
    cwd: folder.path,
    env: {
      ...serviceEnvironment({ ...places, chain: rpcUrl }, databasePath),
      PORT: '0',
      GIG_WALLET_MNEMONIC: credentials.mnemonic,
      LOG_LEVEL: 'debug',
      // A look for missed mentions goes through everything that was posted here, again and again.
      MENTION_POLL_SECONDS: '0',
      RATE_LIMIT_PER_MINUTE: '100000000',
      CLAIM_RATE_LIMIT_PER_MINUTE: '100000000',
      CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: '100000000',
      NEYNAR_API_KEY: neynar.apiKey,
      NEYNAR_SIGNER_UUID: neynar.signerUuid,
      NEYNAR_WEBHOOK_SECRETS: neynar.webhookSecrets.join(','),
      X_APP_KEY: x.appKey,
      X_APP_SECRET: x.appSecret,
      X_ACCESS_TOKEN: x.accessToken,
      X_ACCESS_SECRET: x.accessSecret,
      ...options.env,
    },
  });

  async function close(): Promise<void> {
    service.child.kill('SIGKILL');
    await service.ended;
    await Promise.all([farcaster.stop(), twitter.stop(), anvil.stop()]);
    folder.remove();
  }

  try {
    const [, text] = await service.seen(/"port":([0-9]+),"publicUrl".*"listening"/);
    const url = `http://127.0.0.1:${text}`;
    farcaster.setWebhook(`${url}/webhooks/farcaster`);
    twitter.setWebhook(`${url}/webhooks/twitter`);
    return {
      url,
      port: Number(text),
      apiKey: key,
      credentials,
      databasePath,
      farcaster,
      twitter,
      seeded,
      service,
      close,
      chainUrl: anvil.url,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
