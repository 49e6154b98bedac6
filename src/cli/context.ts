import { randomBytes } from 'node:crypto';
import { createAuditors, createChains } from '../chain/registry.ts';
import { type Config, loadConfig } from '../config.ts';
import type { ChainAuditors, Chains } from '../domain/chain.ts';
import type { Platforms } from '../domain/mention.ts';
import { createPlatforms } from '../platforms/registry.ts';
import type { Store } from '../store/port.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';

/** What the operator's commands share. */
export interface Context {
  /** Writes a line to stdout. */
  readonly print: (line: string) => void;
  /** Writes a line to stderr and makes the exit code 1. */
  readonly fail: (line: string) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** @throws ConfigError when the environment is not usable */
  readonly config: () => Config;
  /**
   * The same before the webhooks are registered: Neynar gives NEYNAR_WEBHOOK_SECRETS only then, so a random one stands
   * in where there is none.
   * @throws ConfigError when the environment is not usable
   */
  readonly configToRegister: () => Config;
  /** The enabled chains. */
  readonly chains: () => Chains;
  /** The same, to audit wallets on. */
  readonly auditors: () => ChainAuditors;
  /** The platforms that are on in a configuration. */
  readonly platforms: (config: Config) => Promise<Platforms>;
  /**
   * Opens the store for one piece of work and closes it afterwards, also when the work fails.
   * @throws StoreUnusable when it cannot be opened
   */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** The database cannot be used; the message names it and says why. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}

export interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  readonly clock: () => number;
  readonly print: (line: string) => void;
  readonly fail: (line: string) => void;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** The {@link Context} of one run. */
export function createContext(options: ContextOptions): Context {
  const { env, migrationsFolder, clock, print, fail } = options;
  const config = () => loadConfig(env);

  async function openStore(): Promise<Store> {
    const path = config().databasePath;
    try {
      return await openSqliteStore({ path, migrationsFolder, clock });
    } catch (cause) {
      // What is wrong with the file names it; anything else is a defect.
      if (!(cause instanceof Error && cause.message.includes(path))) throw cause;
      throw new StoreUnusable(cause.message, { cause });
    }
  }

  return {
    print,
    fail,
    clock,
    config,
    configToRegister: () => {
      const awaiting = isSet(env['NEYNAR_API_KEY']) && !isSet(env['NEYNAR_WEBHOOK_SECRETS']);
      const standIn = { NEYNAR_WEBHOOK_SECRETS: randomBytes(32).toString('hex') };
      return loadConfig(awaiting ? { ...env, ...standIn } : env);
    },
    chains: () => createChains({ endpoints: config().chains, clock }),
    auditors: () => createAuditors({ endpoints: config().chains, clock }),
    platforms: ({ farcaster, twitter }) => createPlatforms({ farcaster, twitter, clock }),
    withStore: async (work) => {
      const store = await openStore();
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
  };
}
