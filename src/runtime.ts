import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createAlertReceivers } from './alerts/receivers.ts';
import { OUTCOME_WORDS } from './bot/commands/claim.ts';
import { commandsFor, guideOf } from './bot/commands/index.ts';
import { offeredBy } from './bot/context.ts';
import { NOTICE_WORDS } from './bot/notice-replies.ts';
import { createMentionReader } from './bot/read-mention.ts';
import { createReplyEmbeds } from './bot/reply-embeds.ts';
import {
  type ChainsOptions,
  createChains,
  createDepositChains,
  createEndpointPools,
  createPayerChains,
  createSignatureChecks,
  type SignatureChecks,
} from './chain/registry.ts';
import { createWallets } from './chain/wallets.ts';
import { type Config, ConfigError, secretsOf } from './config.ts';
import { chainById } from './domain/chains/chain.ts';
import type { Actor } from './domain/operators/actor.ts';
import type { DiskSpace } from './domain/operators/disk.ts';
import type { NoteOddAnswer } from './domain/platforms/odd-answer.ts';
import { clockProblem, HOUR_MS } from './domain/time.ts';
import { createEventSender } from './endpoints/sender.ts';
import { createApp } from './http/app.ts';
import { atMostEvery } from './http/middleware/rate-limit.ts';
import { createGracefulShutdown, createHttpServer, type Patience } from './http/server.ts';
import { createPacedWake } from './jobs/paced-wake.ts';
import { createRunner, type Task } from './jobs/runner.ts';
import type { Log } from './log.ts';
import { createPlatforms } from './platforms/registry.ts';
import { createCoinGecko } from './prices/coingecko.ts';
import { readLogo, readSpamLabels } from './runtime/files.ts';
import { createNames } from './runtime/names.ts';
import { createX402 } from './runtime/x402.ts';
import type { AuditContext } from './services/audits/context.ts';
import { createPaidLearner } from './services/audits/learn-paid.ts';
import { reconcileGig, reconcileOpenGigs } from './services/audits/reconcile.ts';
import type { JobContext } from './services/context.ts';
import { createDeliveryCounters, TELL_TIMING } from './services/deliveries/deliver-next.ts';
import { EARNING_TIMING } from './services/earning/context.ts';
import { createEarningCounter } from './services/earning/tally.ts';
import { createRefundJob } from './services/ends/plan-refund.ts';
import { createReturnJob } from './services/ends/return-cancelled.ts';
import { createWakingStore, type WakingStore } from './services/events/waking-store.ts';
import type { FundingContext, RefundReads } from './services/gigs/context.ts';
import { adoptLedger, createSkipWatch } from './services/gigs/gig-ids.ts';
import { createHeldSteps, type HeldSteps } from './services/gigs/steps/held-steps.ts';
import { ANSWER_TIMING } from './services/mentions/answer-mentions.ts';
import type { PauseKeeper } from './services/mentions/cap.ts';
import { createOddAnswers } from './services/mentions/odd-answers.ts';
import { createPlatformBreaker, type PlatformBreaker } from './services/mentions/platform-breaker.ts';
import { followPause } from './services/mentions/platform-pause.ts';
import { LONGEST_BACKOFF_MS, SEND_TIMING } from './services/mentions/send-replies.ts';
import { createJumpWatch } from './services/operators/clock/clock-jump.ts';
import { createClockStatus } from './services/operators/clock/clock-status.ts';
import { type ClockWatch, createClockWatch } from './services/operators/clock/clock-watch.ts';
import { createInstanceWatch, type InstanceWatch } from './services/operators/instances.ts';
import { createGasTank } from './services/payments/gas-tank.ts';
import { recordMnemonic } from './services/payments/mnemonic.ts';
import { createChainPayments } from './services/payments/pay-chain.ts';
import { PAYMENT_POLICY, type PaymentContext, SENDER_TIMING } from './services/payments/sender/context.ts';
import { openPrices } from './services/prices/open-prices.ts';
import { openSignIn } from './sign-in/registry.ts';
import { readDiskSpace } from './store/disk-space.ts';
import { openStoreWhenThere } from './store/open.ts';
import type { Store } from './store/port/index.ts';
import { createTasks, createWakes, POLL_TIMING, type Wakes } from './tasks.ts';
import { createVerifiers } from './verifiers/registry.ts';

const DROP_WARNING_MS = 60_000;
const ADMIN_CONNECTIONS = 100;
/** Events of commits that follow each other so soon get their places together. */
const RELEASE_PACE_MS = 100;

export interface RuntimeOptions {
  readonly config: Config;
  readonly log: Log;
  readonly migrationsFolder: string;
  /** The folder `src/http/pages` with the pages' static files. */
  readonly pagesFolder: string;
  readonly version: string;
  /** The time limits of requests; Node's own when absent. */
  readonly patience?: Patience;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: () => number;
  /** Milliseconds since some moment, by a clock that nobody sets; the `clock` when that is given, which is moved on purpose. */
  readonly elapsed?: () => number;
  /** Waits and leases of the background work; production values when absent. */
  readonly timing?: {
    readonly answer?: Partial<typeof ANSWER_TIMING>;
    readonly send?: Partial<typeof SEND_TIMING>;
    readonly payment?: Partial<typeof SENDER_TIMING>;
    readonly earning?: Partial<typeof EARNING_TIMING>;
    readonly look?: Partial<typeof POLL_TIMING>;
    readonly tell?: Partial<typeof TELL_TIMING>;
  };
  /** The space where the database is; read from its file system when absent. */
  readonly readDisk?: () => Promise<DiskSpace | null>;
}

export interface Runtime {
  /** The server for requests; it does not listen yet. */
  readonly server: Server;
  /** The server of the operator's paths, not listening yet; null when they have no port of their own. */
  readonly adminServer: Server | null;
  readonly store: WakingStore;
  /** The background work, which `start` runs. */
  readonly tasks: readonly Task[];
  /** Settles with the reason when the store was moved to another database: requests get 503, and the process has to end. */
  readonly moved: Promise<string>;
  start(): void;
  /** Stops listening and starting background work, lets work under way end, and closes the store. */
  stop(): Promise<void>;
}

type Resolved = RuntimeOptions & { readonly clock: () => number };

/** How waits end when the service stops. */
interface Ending {
  readonly sleep: (ms: number) => Promise<boolean>;
  readonly stop: AbortSignal;
}

/** Null without a mnemonic. */
function createPaymentStack({ config, log }: Resolved, asked: ChainsOptions) {
  if (config.gigWalletMnemonic === null) return null;
  const wallets = createWallets(config.gigWalletMnemonic);
  const payers = createPayerChains({ ...asked, wallets });
  const chains = config.chains.map(({ chain }) => chain);
  const gasTank = createGasTank({ address: wallets.gasTankAddress(), chains, payers, log });
  return { wallets, payers, gasTank, deposits: createDepositChains({ ...asked, wallets }) };
}

type PaymentStack = ReturnType<typeof createPaymentStack>;

/** What is said to people after an answer. */
const WORDS = { words: OUTCOME_WORDS, noticeWords: NOTICE_WORDS };

const RECONCILE: Actor = { kind: 'job', name: 'reconcile' };

interface PaymentParts {
  readonly paymentStack: PaymentStack;
  readonly wakes: Wakes;
}

/** Each chain has payments of its own, so that a chain that does not answer delays no other. */
function createPayments(
  options: Resolved,
  shared: FundingContext & RefundReads & { readonly heldSteps: HeldSteps },
  { paymentStack, wakes }: PaymentParts,
) {
  if (paymentStack === null) return { payments: [], reconcile: null, refunds: [], learnPaid: undefined };
  const { payers, wallets, deposits } = paymentStack;
  const { config } = options;
  const timing = { ...SENDER_TIMING, ...options.timing?.payment };
  const { clientGasPerDay, ownersGasPerDay, screeningOracles } = config;
  const policy = { ...PAYMENT_POLICY, clientGasPerDay, ownersGasPerDay };
  const sending = { chains: deposits, gasPerDay: config.x402.gasPerDay };
  const sender = { ...shared, timing, policy, screeningOracles, deposits: sending };
  const paying: PaymentContext = { ...sender, tankIsLow: wakes.gasTank };
  const auditing: AuditContext = { ...paying, payers, actor: RECONCILE };
  const learnPaid = createPaidLearner(auditing);
  const ending = {
    ...shared,
    ...auditing,
    wallets,
    reconcile: (gigId: number) => reconcileGig(auditing, gigId),
    learnPaid,
    wake: (chainId: number) => {
      const chain = chainById(chainId);
      if (chain !== undefined) wakes.paymentsOn(chain);
    },
  };
  return {
    refunds: [createRefundJob(ending), createReturnJob(ending)],
    payments: config.chains.map(({ chain }) => ({ chain, pay: createChainPayments(paying, payers.payer(chain.id)) })),
    learnPaid,
    reconcile: () => reconcileOpenGigs(auditing),
  };
}

/** The operator's server stays reachable when the public one is full. */
function createServers({ config, log, clock, patience }: Resolved, app: ReturnType<typeof createApp>) {
  const { maxConnections, adminPort } = config;
  const server = createHttpServer({ app, newId: randomUUID }, { ...patience, maxConnections });
  const message = 'MAX_CONNECTIONS reached; closing new connections';
  server.on('drop', atMostEvery(DROP_WARNING_MS, { clock, run: () => log.warn({ maxConnections }, message) }));
  const operators = { ...patience, maxConnections: ADMIN_CONNECTIONS };
  const adminServer =
    adminPort === null ? null : createHttpServer({ app, newId: randomUUID, door: 'operators' }, operators);
  const shutdowns = [server, adminServer].flatMap((each) => (each === null ? [] : [createGracefulShutdown(each)]));
  return { server, adminServer, shutDown: () => Promise.all(shutdowns.map((shutDown) => shutDown())) };
}

/** @throws ConfigError naming GIG_WALLET_MNEMONIC */
async function requireOwnMnemonic(store: Store, paymentStack: PaymentStack, clock: () => number): Promise<void> {
  const problem = paymentStack === null ? null : await recordMnemonic({ store, clock }, paymentStack.wallets);
  if (problem === null) return;
  await store.close();
  throw new ConfigError([problem]);
}

/** The chains, and what asks or pays on them. @throws ConfigError when the store belongs to another mnemonic */
async function openChains(options: Resolved, opened: Store, note: NoteOddAnswer) {
  const { config, log, clock } = options;
  const { chainAnchor: anchorOf } = opened;
  const pools = createEndpointPools({ endpoints: config.chains, clock, log, anchorOf, note });
  const asked = { endpoints: config.chains, clock, pools, note };
  const paymentStack = createPaymentStack(options, asked);
  await requireOwnMnemonic(opened, paymentStack, clock);
  const names = createNames(config, asked);
  return { chains: createChains(asked), checks: createSignatureChecks(asked), names, paymentStack };
}

async function openPlatforms({ config, clock, log }: Resolved, opened: Store, note: NoteOddAnswer) {
  const keep: PauseKeeper = (platform, pause) =>
    opened.transaction((tx) => tx.setPlatformPause(platform, pause, clock()), { narrow: true });
  const health = createPlatformBreaker({ platforms: config.platforms.map(({ id }) => id), clock, log, keep });
  return { health, platforms: await createPlatforms(config.platforms, { clock, gate: health.gate, note }) };
}

/** What asks other machines than chains and platforms, and the disk. */
function createOutside(
  { config, readDisk, clock }: Resolved,
  { checks, signedAt, stop }: { checks: SignatureChecks; signedAt: RuntimeOptions['clock']; stop: AbortSignal },
) {
  return {
    verifiers: createVerifiers(config.verifiers, { signedAt }),
    sender: createEventSender({
      signingKey: config.signingKey,
      allowPrivate: config.webhookAllowPrivate,
      clock,
      signedAt,
      stop,
    }),
    readDisk: readDisk ?? (() => readDiskSpace({ url: config.databaseUrl })),
    ...openSignIn(config, { clock, ask: (chainId, signed) => checks(chainId).confirms(signed) }),
  };
}

function timingOf({ timing }: RuntimeOptions) {
  return {
    answer: { ...ANSWER_TIMING, ...timing?.answer },
    send: { ...SEND_TIMING, ...timing?.send },
    earning: { ...EARNING_TIMING, ...timing?.earning },
    look: { ...POLL_TIMING, ...timing?.look },
    tell: { ...TELL_TIMING, ...timing?.tell },
  };
}

/**
 * Opens the store, once its database is there, and makes what works with it and with other machines.
 * @param signedAt the clock of signatures; the system's when it is undefined
 */
async function openParts(options: Resolved, signedAt: RuntimeOptions['clock'], { sleep, stop }: Ending) {
  const { config, log, clock, migrationsFolder } = options;
  const problem = clockProblem(clock());
  if (problem !== null) throw new ConfigError([problem]);
  const [labels, logo] = await Promise.all([readSpamLabels(options), readLogo(options.config)]);
  const { databaseUrl: url, databasePool: poolSize, postgresDurable: durable } = config;
  const floors = { clock, randomBelow: randomInt };
  const opened = await openStoreWhenThere({ url, poolSize, durable, migrationsFolder, floors }, { log, sleep });
  // Before this process says that it works with the store.
  const { beatAt: lastBeatAt } = await opened.ledgerState();
  const clocks = createClockStatus({ clock, lastBeatAt });
  const oddAnswers = createOddAnswers({ store: opened, secrets: secretsOf(config), clock });
  const { chains, checks, names, paymentStack } = await openChains(options, opened, oddAnswers.note);
  const parts = {
    oddAnswers,
    ...(await openPlatforms(options, opened, oddAnswers.note)),
    ...createOutside(options, { checks, signedAt, stop }),
    offered: offeredBy(config),
    clocks,
    chains,
    names,
    prices: openPrices(config, { store: opened, chains, connect: createCoinGecko, clock, log }),
    labels,
    logo,
    counter: createEarningCounter(),
    ...createDeliveryCounters(),
    startedAt: clock(),
    refundDelayMs: config.refundDelayHours * HOUR_MS,
    wallets: paymentStack?.wallets ?? null,
    payers: paymentStack?.payers ?? null,
    x402: createX402(config, paymentStack, stop),
    gasTank: paymentStack?.gasTank ?? null,
    treasury: config.treasuryAddress,
    config,
    clock,
    newId: randomUUID,
    randomBytes,
    log,
  };
  return { opened, lastBeatAt, paymentStack, parts };
}

/** Takes up the work of earlier processes, before the first request: nothing that had expired is valid again. */
async function takeUp(
  context: JobContext & {
    readonly config: Config;
    readonly health: PlatformBreaker;
    readonly instances: InstanceWatch;
  },
  clockWatch: ClockWatch,
): Promise<void> {
  const { store, instances, config, clock, log } = context;
  await adoptLedger({ store, clock, log });
  await instances.look();
  if (instances.isOnTime()) await clockWatch.look();
  for (const { id: platform } of config.platforms) await followPause(context, platform);
  const ended = await store.begin();
  if (ended > 0) log.warn({ leases: ended }, 'released leases of an earlier process');
  const { server } = await store.engine();
  for (const { text, remedy } of server?.doubts ?? []) log.warn({}, remedy === '' ? text : `${text}. ${remedy}`);
}

/**
 * Builds the whole service from its configuration, once its database is there; nothing runs until `start`.
 * @throws ConfigError when the clock is before 2026, the store belongs to another mnemonic, or the file of spam labels or
 * of the logo cannot be used
 */
export async function createRuntime(given: RuntimeOptions): Promise<Runtime> {
  const { config, log, pagesFolder, version, clock = Date.now } = given;
  const options = { ...given, clock };
  const stopping = new AbortController();
  const sleep = (ms: number) => wait(ms, true, { signal: stopping.signal }).catch(() => false);

  const ending = { sleep, stop: stopping.signal };
  const { opened, lastBeatAt, paymentStack, parts } = await openParts(options, given.clock, ending);
  const wakes = createWakes(
    (task) => runner.wake(task),
    config.chains.map(({ chain }) => chain),
  );
  const store = createWakingStore(opened, createPacedWake(wakes.releasingEvents, RELEASE_PACE_MS));
  const { promise: moved, resolve: onMoved } = Promise.withResolvers<string>();
  const instances = createInstanceWatch({ store, version, clock, log, onMoved });
  const shared = {
    ...parts,
    store,
    instances,
    heldSteps: createHeldSteps({ clock, log }),
    wakePayments: wakes.payments,
  };
  const timing = timingOf(options);
  const paying = createPayments(options, shared, { paymentStack, wakes });
  const waits = { leaseMs: timing.answer.leaseMs, longestWaitMs: LONGEST_BACKOFF_MS };
  const clockWatch = createClockWatch({ ...shared, ...waits, lastBeatAt });
  const work = {
    clockWatch,
    hasJumped: createJumpWatch({ clock, elapsed: given.elapsed ?? given.clock ?? (() => performance.now()), log }),
    elapsed: () => performance.now(),
    sleep,
    receivers: createAlertReceivers(config.alertWebhooks, { stop: stopping.signal }),
    readMention: createMentionReader({ ...shared, publicUrl: config.publicUrl }),
    ...WORDS,
    embedOf: createReplyEmbeds({ ...shared, ...config, platforms: shared.platforms }),
    ...paying,
    timing,
    wakes,
    lookForSkips: createSkipWatch({ store, clock, log }),
  };
  const tasks = createTasks({ ...shared, ...work });
  const runner = createRunner({ tasks, log });
  await takeUp(shared, clockWatch);

  const app = createApp({
    ...shared,
    learnPaid: paying.learnPaid,
    commands: guideOf(commandsFor(shared.offered), shared.offered),
    wake: wakes.answering,
    sleep,
    version,
    pagesFolder,
  });
  const { shutDown, ...servers } = createServers(options, app);

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all([shutDown(), runner.stop()]);
    await parts.oddAnswers.keep().catch(() => undefined);
    await store.close();
  }

  return { ...servers, store, tasks, moved, start: runner.start, stop };
}
