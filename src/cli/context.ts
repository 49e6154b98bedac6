import { randomBytes, randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  type ChainsOptions,
  createChains,
  createDepositChains,
  createEndpointPools,
  createPayerChains,
} from '../chain/registry.ts';
import { createWallets } from '../chain/wallets.ts';
import { type Config, loadConfig, settingWarnings } from '../config.ts';
import type { Chains } from '../domain/chains/chain.ts';
import type { SpamLabels } from '../domain/earning/labels.ts';
import type { Verifiers } from '../domain/earning/payouts/verifier.ts';
import type { FloorDraw } from '../domain/gigs/tip.ts';
import type { Platforms } from '../domain/mentions/mention.ts';
import type { DiskSpace } from '../domain/operators/disk.ts';
import type { PayerChains } from '../domain/payments/payer-chain.ts';
import { isPostgres } from '../domain/settings/database-url.ts';
import { clockProblem } from '../domain/time.ts';
import type { DepositChains } from '../domain/x402/deposit-chain.ts';
import { createLog } from '../log.ts';
import { PLATFORM_DEFINITIONS } from '../platforms/index.ts';
import { createPlatforms, openLabels } from '../platforms/registry.ts';
import { readDiskSpace } from '../store/disk-space.ts';
import { nameDatabase, openStore, removeStore } from '../store/open.ts';
import type { Store } from '../store/port/index.ts';
import { createVerifiers } from '../verifiers/registry.ts';
import type { ProgressLine } from './progress.ts';
import type { Setup } from './setup/setup.ts';

export interface Printer {
  /** Writes a line to stdout. */
  readonly print: (line: string) => void;
  /** The width of the terminal that stdout is; null when it is none. */
  readonly width: number | null;
}

export interface Context extends Printer {
  /** Shows how far long work is, where stderr is a terminal. */
  readonly progress: ProgressLine;
  /** Writes a line to stderr and makes the exit code 1. */
  readonly fail: (line: string) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly migrationsFolder: string;
  /** Null where nothing can be set up. */
  readonly setup: Setup | null;
  /** The space where the database is; null on a server. @throws Error when it cannot be determined */
  readonly readDisk: () => Promise<DiskSpace | null>;
  /** @throws ConfigError when the environment is not usable */
  readonly config: () => Config;
  /**
   * As `config`, before the webhooks are registered: what a platform issues only then, as Neynar does NEYNAR_WEBHOOK_SECRETS,
   * is a random value where it is missing.
   * @throws ConfigError when the environment is not usable
   */
  readonly configToRegister: () => Config;
  /** A sentence for each variable that has no effect, although its name looks like a setting's. */
  readonly settingWarnings: () => readonly string[];
  /** The endpoints of the enabled chains, the same for all that a command makes of them. */
  readonly endpoints: () => ChainsOptions;
  readonly chains: () => Chains;
  /** The enabled chains for payments; null without a mnemonic. */
  readonly payers: () => PayerChains | null;
  /** The enabled chains for deposits; null without a mnemonic. */
  readonly deposits: () => DepositChains | null;
  readonly platforms: (config: Config) => Promise<Platforms>;
  /** The spam labels of a configuration; null without a file of them. @throws LabelsUnreadable when it cannot be used */
  readonly labels: (config: Config) => Promise<SpamLabels | null>;
  readonly verifiers: (config: Config) => Verifiers;
  /**
   * Opens the store, runs the work and closes the store, also when the work fails. Commands that may precede the
   * service's first start pass `create`; otherwise a missing database means a wrong DATABASE_URL. With `untilFailure` a
   * database that was created for work that fails is removed again.
   * @throws StoreUnusable when it cannot be opened, does not exist, or the clock is before 2026
   */
  withStore<T>(work: (store: Store) => Promise<T>, options?: { readonly create: boolean | 'untilFailure' }): Promise<T>;
  /** The same for a command that gives tips no numbers, and is run often: it draws no floor of them. */
  readonly withoutFloors: () => Context;
  /**
   * Whether the file of DATABASE_URL exists; a database on a server has to. @throws StoreUnusable when that cannot be
   * determined
   */
  readonly hasDatabase: () => boolean;
}

/** The database cannot be used; the message names it and says why. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}

export interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly migrationsFolder: string;
  readonly clock: () => number;
  /** Read from the file system when absent. */
  readonly readDisk?: (() => Promise<DiskSpace | null>) | undefined;
  readonly print: (line: string) => void;
  readonly width: number | null;
  readonly fail: (line: string) => void;
  readonly progress: ProgressLine;
  readonly setup: Setup | null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** Errors of the database name it; any other error is a defect and stays as it is. */
export function explainUnusable(cause: unknown, database: string): unknown {
  return cause instanceof Error && cause.message.includes(database)
    ? new StoreUnusable(cause.message, { cause })
    : cause;
}

function configToRegister(env: ContextOptions['env']): Config {
  const issued = PLATFORM_DEFINITIONS.flatMap((platform) => platform.issued ?? []);
  const awaited = issued.filter(({ variable, after }) => isSet(env[after]) && !isSet(env[variable]));
  const standIns = awaited.map(({ variable }) => [variable, randomBytes(32).toString('hex')]);
  return loadConfig({ ...env, ...Object.fromEntries(standIns) });
}

function hasDatabaseAt(url: string): boolean {
  if (isPostgres(url)) return true;
  try {
    return statSync(url, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw explainUnusable(cause, url);
  }
}

/** What opens the store of a run, as {@link Context} says. */
function createStores(
  config: () => Config,
  { migrationsFolder, clock }: { readonly migrationsFolder: string; readonly clock: () => number },
) {
  const hasDatabase = () => hasDatabaseAt(config().databaseUrl);

  async function open(create: boolean | 'untilFailure', floors: FloorDraw | undefined): Promise<Store> {
    const { databaseUrl: url, postgresDurable: durable } = config();
    if (create === false && !hasDatabase()) {
      const message = `There is no database at ${url}. Check DATABASE_URL; the service creates the database when it first starts.`;
      throw new StoreUnusable(message);
    }
    const problem = clockProblem(clock());
    if (problem !== null) throw new StoreUnusable(problem);
    try {
      return await openStore({ url, durable, migrationsFolder, clock, floors });
    } catch (cause) {
      throw explainUnusable(cause, nameDatabase(url));
    }
  }

  /** The store of the work under way, which knows on which block of a chain it counts. */
  let inUse: Store | null = null;

  function withStore(floors: FloorDraw | undefined): Context['withStore'] {
    return async (work, { create } = { create: false }) => {
      const isTentative = create === 'untilFailure' && !hasDatabase();
      const store = await open(create, floors);
      inUse = store;
      let hasFailed = true;
      try {
        const result = await work(store);
        hasFailed = false;
        return result;
      } finally {
        inUse = null;
        await store.close();
        if (isTentative && hasFailed) await removeStore({ url: config().databaseUrl });
      }
    };
  }

  const anchorOf = async (chainId: number) => (await inUse?.chainAnchor(chainId)) ?? null;
  return { hasDatabase, withStore, anchorOf };
}

/** The {@link Context} of one run. */
export function createContext(options: ContextOptions): Context {
  const { env, migrationsFolder, clock, print, width, fail, progress } = options;
  const config = () => loadConfig(env);

  const { hasDatabase, withStore, anchorOf } = createStores(config, { migrationsFolder, clock });
  let opened: ChainsOptions | null = null;
  const endpoints = () => {
    if (opened !== null) return opened;
    const onBlocksOf: ChainsOptions['onBlocksOf'] =
      ({ name }) =>
      (done, total) =>
        progress.count(`blocks of ${name}`, done, total);
    const given = { endpoints: config().chains, clock, onBlocksOf };
    opened = { ...given, pools: createEndpointPools({ ...given, anchorOf }) };
    return opened;
  };

  const context: Context = {
    print,
    width,
    fail,
    progress,
    clock,
    migrationsFolder,
    setup: options.setup,
    readDisk: options.readDisk ?? (() => readDiskSpace({ url: config().databaseUrl })),
    config,
    configToRegister: () => configToRegister(env),
    settingWarnings: () => settingWarnings(env),
    endpoints,
    chains: () => createChains(endpoints()),
    payers: () => {
      const { gigWalletMnemonic: mnemonic } = config();
      return mnemonic === null ? null : createPayerChains({ ...endpoints(), wallets: createWallets(mnemonic) });
    },
    deposits: () => {
      const { gigWalletMnemonic: mnemonic } = config();
      return mnemonic === null ? null : createDepositChains({ ...endpoints(), wallets: createWallets(mnemonic) });
    },
    platforms: ({ platforms }) => createPlatforms(platforms, { clock }),
    labels: ({ spamLabelsFile: path }) => openLabels({ path, log: createLog({ level: 'silent' }) }),
    verifiers: ({ verifiers }) => createVerifiers(verifiers, {}),
    hasDatabase,
    withStore: withStore({ clock, randomBelow: randomInt }),
    withoutFloors: () => ({ ...context, withStore: withStore(undefined) }),
  };
  return context;
}
