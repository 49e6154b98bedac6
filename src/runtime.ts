import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createResponder, OUTCOME_WORDS } from './bot/commands.ts';
import { createChains, createWriters } from './chain/registry.ts';
import { createWallets } from './chain/wallets.ts';
import { type Config, ConfigError, platformSettings } from './config.ts';
import type { Platform } from './domain/account.ts';
import type { Chain } from './domain/chain.ts';
import { AdapterError } from './domain/errors.ts';
import { createApp } from './http/app.ts';
import { atMostEvery } from './http/seldom.ts';
import { createGracefulShutdown, createHttpServer, type Patience } from './http/server.ts';
import { createRunner, type Task } from './jobs/runner.ts';
import { type Log, summarizeError } from './log.ts';
import { createPlatforms } from './platforms/registry.ts';
import { keepFirstTankNonces } from './services/audits/acknowledge-gas-tank.ts';
import { tellOutcomes } from './services/claims/claim-progress.ts';
import { checkFundings } from './services/gigs/check-funding.ts';
import { ANSWER_TIMING, answerNextMention } from './services/mentions/answer-mentions.ts';
import { createPlatformBreaker } from './services/mentions/platform-breaker.ts';
import { pollMentions } from './services/mentions/receive-mentions.ts';
import { giveUpPerished, SEND_TIMING, sendNextReply } from './services/mentions/send-replies.ts';
import { createClockWatch } from './services/operators/clock-watch.ts';
import { PAYMENT_TIMING } from './services/payments/broadcast.ts';
import { createGasTank } from './services/payments/gas-tank.ts';
import { keepMnemonic } from './services/payments/mnemonic.ts';
import { createPaymentWorker, type PaymentWorker } from './services/payments/payment-worker.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/port/index.ts';

const ANSWER_LANES = 8;
const SEND_LANES = 4;
const IDLE_MS = 1_000;
const OUTCOMES_MS = 2_000;
const CHAIN_PING_MS = 60_000;
const GIVE_UP_MS = 60_000;
const DROP_WARNING_MS = 60_000;
const ADMIN_CONNECTIONS = 100;
/** How often the funding of gigs that were started a moment ago is looked at. */
const FUNDING_CHECK_MS = 2_000;
/** How often it is looked whether the clock was set back. */
const CLOCK_LOOK_MS = 1_000;
const WATCH_TANK = 'watch gas tank';

export interface RuntimeOptions {
  readonly config: Config;
  readonly log: Log;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  /** The folder `src/http/pages`, with what browsers load beside a page. */
  readonly pagesFolder: string;
  /** The file of the thread that copies the store's log into its file; when absent, that is done between answers. */
  readonly checkpointThread?: string;
  readonly version: string;
  /** How long callers may take over a request; Node's own limits when absent. */
  readonly patience?: Patience;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: () => number;
  /** Waits and leases of the background work; those of production when absent. */
  readonly timing?: {
    readonly answer?: Partial<typeof ANSWER_TIMING>;
    readonly send?: Partial<typeof SEND_TIMING>;
    readonly payment?: Partial<typeof PAYMENT_TIMING>;
  };
}

export interface Runtime {
  /** The server that answers requests; it listens nowhere yet. */
  readonly server: Server;
  /** The server of the operator's paths, which listens nowhere yet either; null when they have none of their own. */
  readonly adminServer: Server | null;
  readonly store: Store;
  /** Starts the background work. */
  start(): void;
  /** Listens no more, starts no more background work, lets what is under way end, and closes the store. */
  stop(): Promise<void>;
}

/** What pays gigs' tips: their wallets, the chains they pay on, and the gas tank. */
function createPaymentStack({ config, log, clock }: RuntimeOptions & { clock: () => number }) {
  if (config.gigWalletMnemonic === null) return null;
  const wallets = createWallets(config.gigWalletMnemonic);
  const writers = createWriters({ endpoints: config.chains, wallets, clock });
  const enabled = config.chains.map(({ chain }) => chain);
  return {
    wallets,
    writers,
    gasTank: createGasTank({ address: wallets.gasTankAddress(), chains: enabled, writers, log }),
  };
}

type PaymentStack = NonNullable<ReturnType<typeof createPaymentStack>>;

/** The task that pays on a chain. */
function payOn(chain: Chain): string {
  return `pay ${chain.key}`;
}

/** What pays on each chain, each by itself, so that one that does not answer keeps no other waiting. */
function createPaymentWorkers(
  options: RuntimeOptions & {
    clock: () => number;
    store: Store;
    purse: PaymentStack;
    tankIsLow: () => void;
    wakePayments: (chain: Chain) => void;
  },
): (PaymentWorker & { readonly name: string })[] {
  const { clock, store, purse, log, config, tankIsLow, wakePayments } = options;
  const { wallets, writers } = purse;
  const timing = { ...PAYMENT_TIMING, ...options.timing?.payment };
  const deps = { store, writers, wallets, clock, log, timing, tankIsLow };
  return config.chains.map(({ chain }) => ({
    name: payOn(chain),
    ...createPaymentWorker(deps, { chainId: chain.id, wake: () => wakePayments(chain) }),
  }));
}

function watchingTask(
  { gasTank, wallets, writers }: PaymentStack,
  { config, log, store, clock }: RuntimeOptions & { clock: () => number; store: Store },
): Task {
  const run = async () => {
    const firstLooks = config.chains.map(async ({ chain }) => {
      await keepFirstTankNonces({ store, writers, wallets, clock }, chain.id).catch((error: unknown) => {
        if (!(error instanceof AdapterError)) throw error;
        log.debug({ chain: chain.key, error: summarizeError(error) }, 'the gas tank’s nonces cannot be seen');
      });
    });
    await Promise.all(firstLooks);
    await gasTank.look();
    return false;
  };
  return { name: WATCH_TANK, concurrency: 1, intervalMs: CHAIN_PING_MS, run };
}

async function openServiceStore({ config, log, migrationsFolder, checkpointThread }: RuntimeOptions): Promise<Store> {
  const onFault = (error: unknown) =>
    log.warn(
      { error: summarizeError(error) },
      'the thread that copies the database’s log failed: for ten minutes that is done between answers',
    );
  const checkpoints = checkpointThread === undefined ? undefined : { thread: checkpointThread, onFault };
  return await openStore({ url: config.databasePath, migrationsFolder, checkpoints });
}

/** The server for everybody and, when it has a port of its own, the operator's; that one has room when the other is full. */
function createServers({
  config,
  log,
  clock,
  patience,
  app,
}: RuntimeOptions & { clock: () => number; app: ReturnType<typeof createApp> }): Pick<
  Runtime,
  'server' | 'adminServer'
> {
  const { maxConnections, adminPort } = config;
  const server = createHttpServer({ app, newId: randomUUID }, { ...patience, maxConnections });
  const message = 'connections beyond MAX_CONNECTIONS are closed at once';
  server.on('drop', atMostEvery(DROP_WARNING_MS, { clock, run: () => log.warn({ maxConnections }, message) }));
  const operators = { ...patience, maxConnections: ADMIN_CONNECTIONS };
  const adminServer =
    adminPort === null ? null : createHttpServer({ app, newId: randomUUID, door: 'operators' }, operators);
  return { server, adminServer };
}

/** Refuses to serve a store with other wallets than its own. @throws ConfigError naming GIG_WALLET_MNEMONIC */
async function requireOwnMnemonic(store: Store, purse: PaymentStack | null, clock: () => number): Promise<void> {
  const problem = purse === null ? null : await keepMnemonic({ store, clock }, purse.wallets);
  if (problem === null) return;
  await store.close();
  throw new ConfigError([problem]);
}

/**
 * Builds the whole service from its configuration, top to bottom; nothing runs until `start`.
 * @throws ConfigError when the store belongs to another mnemonic
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, log, version } = options;
  const clock = options.clock ?? Date.now;
  const newId = randomUUID;
  const stopping = new AbortController();
  const store = await openServiceStore(options);
  const chains = createChains({ endpoints: config.chains, clock });
  const purse = createPaymentStack({ ...options, clock });
  await requireOwnMnemonic(store, purse, clock);
  const wallets = purse?.wallets ?? null;
  const enabled = [...platformSettings(config).keys()];
  const health = createPlatformBreaker({ platforms: enabled, clock, log });
  const platforms = await createPlatforms({ ...config, clock, gate: health.gate });
  const wakeAnswering = (platform: Platform) => runner.wake(`answer ${platform}`);
  const wakePaymentsOn = (chain: Chain) => runner.wake(payOn(chain));
  const wakePayments = () => {
    for (const { chain } of config.chains) wakePaymentsOn(chain);
  };
  // Otherwise it would be seen as it was for up to a minute.
  const tankIsLow = () => runner.wake(WATCH_TANK);
  const wakeSending = (platform: Platform) => runner.wake(`send ${platform}`);
  const app = createApp({
    store,
    chains,
    wallets,
    platforms,
    health,
    gasTank: purse?.gasTank ?? null,
    clock,
    newId,
    randomBytes,
    log,
    wake: wakeAnswering,
    wakePayments,
    sleep: (ms) => wait(ms, true, { signal: stopping.signal }).catch(() => false),
    treasury: config.treasuryAddress,
    config,
    version,
    pagesFolder: options.pagesFolder,
  });

  const answering = {
    store,
    platforms,
    clock,
    newId,
    log,
    wake: wakeSending,
    limits: config.replyLimits,
    respond: createResponder({
      store,
      chains,
      wallets,
      platforms,
      clock,
      newId,
      wakePayments,
      treasury: config.treasuryAddress,
      publicUrl: config.publicUrl,
    }),
    timing: { ...ANSWER_TIMING, ...options.timing?.answer },
  };
  const payings =
    purse === null
      ? []
      : createPaymentWorkers({ ...options, clock, store, purse, tankIsLow, wakePayments: wakePaymentsOn });
  const sending = {
    store,
    platforms,
    health,
    clock,
    newId,
    log,
    limits: config.replyLimits,
    timing: { ...SEND_TIMING, ...options.timing?.send },
  };
  const telling = { store, platforms, words: OUTCOME_WORDS, clock, log, wake: wakeSending };
  const clockWatch = createClockWatch({ store, clock, log, leaseMs: answering.timing.leaseMs });
  const receiving = { store, platforms, health, clock, log, wake: wakeAnswering };
  const pollMs = config.mentionPollSeconds * 1_000;

  async function pingChains(): Promise<boolean> {
    const pings = chains.list().map(async (reader) => {
      await reader.ping().catch((error: unknown) => {
        if (!(error instanceof AdapterError)) throw error;
        log.warn({ chain: reader.chain.key, error: summarizeError(error) }, 'chain does not answer');
      });
    });
    await Promise.all(pings);
    return false;
  }

  const tasks: Task[] = [
    // Lanes of its own for each platform: whatever waits for one that is silent keeps nothing of the other waiting.
    ...[...platforms].map(([platform, network]) => ({
      name: `answer ${platform}`,
      concurrency: ANSWER_LANES,
      intervalMs: IDLE_MS,
      run: (took: () => void) => answerNextMention({ ...answering, platforms: new Map([[platform, network]]) }, took),
    })),
    ...payings.map(({ name, poll: look }) => ({ name, concurrency: 1, intervalMs: IDLE_MS, run: look })),
    ...(purse === null ? [] : [watchingTask(purse, { ...options, clock, store })]),
    { name: 'tell outcomes', concurrency: 1, intervalMs: OUTCOMES_MS, run: () => tellOutcomes(telling) },
    ...config.chains.map(({ chain }) => ({
      name: `check fundings ${chain.key}`,
      concurrency: 1,
      intervalMs: FUNDING_CHECK_MS,
      run: async () => {
        if (await checkFundings({ store, chains, clock, log }, chain.id)) wakePaymentsOn(chain);
        return false;
      },
    })),
    {
      name: 'watch clock',
      concurrency: 1,
      intervalMs: CLOCK_LOOK_MS,
      run: async () => {
        if (!(await clockWatch.look())) return false;
        for (const platform of enabled) {
          wakeAnswering(platform);
          wakeSending(platform);
        }
        return false;
      },
    },
    { name: 'ping chains', concurrency: 1, intervalMs: CHAIN_PING_MS, run: pingChains },
    ...enabled.map((platform) => ({
      name: `send ${platform}`,
      concurrency: SEND_LANES,
      intervalMs: IDLE_MS,
      run: (took: () => void) => sendNextReply(sending, platform, took),
    })),
    ...enabled.map((platform) => ({
      name: `give up replies ${platform}`,
      concurrency: 1,
      intervalMs: GIVE_UP_MS,
      run: async () => {
        await giveUpPerished(sending, platform);
        return false;
      },
    })),
    ...(pollMs === 0 ? [] : enabled).map((platform) => ({
      name: `poll ${platform}`,
      concurrency: 1,
      intervalMs: pollMs,
      run: async () => {
        // Less than the wait, so that a clock that runs a little slow does not miss its turn.
        await pollMentions(receiving, platform, { everyMs: Math.floor(pollMs * 0.9) });
        return false;
      },
    })),
  ];
  const runner = createRunner({ tasks, log });

  const ended = await store.endStaleLeases();
  if (ended > 0) log.warn({ leases: ended }, 'took over work that a stopped process had left');

  const servers = createServers({ ...options, app, clock });
  const closings = [servers.server, servers.adminServer].flatMap((one) =>
    one === null ? [] : [createGracefulShutdown(one)],
  );
  return {
    ...servers,
    store,
    start: () => runner.start(),
    stop: async () => {
      stopping.abort();
      await Promise.all([
        ...closings.map((close) => close()),
        runner.stop(),
        ...payings.map((paying) => paying.stop()),
      ]);
      await store.close();
    },
  };
}
