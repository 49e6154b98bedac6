import { randomBytes } from 'node:crypto';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, beforeEach, inject, onTestFinished } from 'vitest';
import { commandsFor, guideOf } from '../../src/bot/commands/index.ts';
import { createChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Platform } from '../../src/domain/account.ts';
import { chainByKey, type GigWallets } from '../../src/domain/chains/chain.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { Platforms } from '../../src/domain/mentions/mention.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { type AppOptions, createApp } from '../../src/http/app.ts';
import { createLog } from '../../src/log.ts';
import { createDeliveryCounters } from '../../src/services/deliveries/deliver-next.ts';
import { createEarningCounter } from '../../src/services/earning/tally.ts';
import { createHeldSteps } from '../../src/services/gigs/steps/held-steps.ts';
import { createPlatformBreaker, type PlatformBreaker } from '../../src/services/mentions/platform-breaker.ts';
import { type ApiKeyRequest, createApiKey } from '../../src/services/operators/api-keys.ts';
import { createClockStatus } from '../../src/services/operators/clock/clock-status.ts';
import type { Store } from '../../src/store/port/index.ts';
import { freshAddress } from '../support/anvil.ts';
import { NO_BRAND } from '../support/config.ts';
import { openTestStore } from '../support/database.ts';
import { readAmpleDisk } from '../support/disk.ts';
import { ALONE } from '../support/instances.ts';
import { PAGES, seedGig, seedToken } from '../support/store.ts';
import { holdCode } from './documented-codes.ts';

/** 2026-11-21T09:30:00Z. */
export const NOW = 1_795_253_400_000;

export interface Service {
  readonly app: Hono;
  readonly store: Store;
  /** Of the database, as `DATABASE_URL` has it. */
  readonly url: string;
  readonly health: PlatformBreaker;
  /** A usable API key. */
  readonly key: string;
  /** What was logged, line by line. */
  readonly lines: Record<string, unknown>[];
  /** The whole log as it was written. */
  readonly logText: () => string;
  /** Set it to move the service's clock. */
  readonly time: { now: number };
  /** Set it when the service shall stop: nobody waits for anything then. */
  readonly stopping: { now: boolean };
  readonly woken: () => number;
  /** Runs SQL behind the service's back, for states that no operation leads to yet; what is read next sees it. */
  sql(statement: string, ...values: unknown[]): Promise<void>;
  start(gigId: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends JSON with the usable key; a text goes as it is. */
  send(method: 'POST' | 'PATCH', path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Creates an API key as the command line does, which does not expire unless it says so. */
  newKey(request: Omit<ApiKeyRequest, 'expiresAt'> & { expiresAt?: number }): ReturnType<typeof createApiKey>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly rpcUrl?: string;
  readonly platforms?: Platforms;
  /** Those of a fresh mnemonic when absent; null when none is configured. */
  readonly wallets?: GigWallets | null;
  readonly config?: Partial<AppOptions['config']>;
  /** Happens whenever a request waits; the clock goes on meanwhile. */
  readonly whileWaiting?: () => Promise<void>;
  /** None when absent. */
  readonly gasTank?: AppOptions['gasTank'];
  /** A new one when absent. */
  readonly counter?: AppOptions['counter'];
  /** A new one when absent. */
  readonly alertCounter?: AppOptions['alertCounter'];
  /** Nothing is signed when absent. */
  readonly sender?: AppOptions['sender'];
  /** Alone when absent. */
  readonly instances?: AppOptions['instances'];
  /** More than enough space when absent. */
  readonly readDisk?: AppOptions['readDisk'];
  /** Nothing is to be learned when absent. */
  readonly learnPaid?: AppOptions['learnPaid'];
  readonly prices?: AppOptions['prices'];
  /** Names are off when absent. */
  readonly names?: AppOptions['names'];
  /** No way to sign in when absent. */
  readonly signIn?: AppOptions['signIn'];
  /** There are no cards when absent. */
  readonly taps?: AppOptions['taps'];
  /** None when absent. */
  readonly logo?: AppOptions['logo'];
  /** The store that the app gets, made from the real one. */
  readonly wrap?: (store: Store) => AppOptions['store'];
}

function collectLog() {
  const text: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write(line: string) {
      text.push(line);
      const fields: Record<string, unknown> = JSON.parse(line);
      lines.push(fields);
    },
  };
  return { log: createLog({ level: 'debug', destination }), lines, logText: () => text.join('') };
}

function enabledChains(rpcUrl: string, clock: () => number) {
  const chain = chainByKey('anvil');
  if (chain === undefined) throw new Error('anvil is not a known chain');
  return createChains({ endpoints: [{ chain, rpcUrls: [rpcUrl] }], clock, retries: 0, timeoutMs: 2_000 });
}

/**
 * All tests share one node, so a wallet that two of them know would hold the funds of both. They are derived when one is
 * asked for, because the way from words to a key takes long.
 */
function freshWallets(): GigWallets {
  let made: GigWallets | undefined;
  const wallets = () => {
    made ??= createWallets(entropyToMnemonic(randomBytes(16), wordlist));
    return made;
  };
  return {
    gigAddress: (gigId) => wallets().gigAddress(gigId),
    gasTankAddress: () => wallets().gasTankAddress(),
    contractAddresses: () => wallets().contractAddresses(),
  };
}

/** The app on a real store, the shared node, and a clock that stands at {@link NOW}. */
export async function openService(options: ServiceOptions = {}): Promise<Service> {
  const time = { now: NOW };
  const stopping = { now: false };
  const clock = () => time.now;
  const { store, database, close } = await openTestStore({ clock });
  const { log, lines, logText } = collectLog();
  const platforms: Platforms = options.platforms ?? new Map();
  const health = createPlatformBreaker({ platforms: [...platforms.keys()], clock, log });
  let ids = 0;
  let wakes = 0;
  const app = createApp({
    store: options.wrap?.(store) ?? store,
    chains: enabledChains(options.rpcUrl ?? inject('anvilUrl'), clock),
    platforms,
    health,
    clocks: createClockStatus({ clock }),
    instances: options.instances ?? ALONE,
    gasTank: options.gasTank ?? null,
    counter: options.counter ?? createEarningCounter(),
    ...createDeliveryCounters(),
    ...(options.alertCounter && { alertCounter: options.alertCounter }),
    sender: options.sender ?? null,
    heldSteps: createHeldSteps({ clock, log }),
    readDisk: options.readDisk ?? readAmpleDisk,
    startedAt: NOW,
    clock,
    newId: () => `id-${++ids}`,
    randomBytes,
    log,
    payers: null,
    signIn: options.signIn ?? { wallet: null, farcaster: null },
    taps: options.taps ?? null,
    learnPaid: options.learnPaid,
    prices: options.prices,
    names: options.names,
    treasury: null,
    sleep: async (ms) => {
      time.now += ms;
      await options.whileWaiting?.();
      return !stopping.now;
    },
    wakePayments: () => undefined,
    wake: () => {
      wakes += 1;
    },
    wallets: options.wallets === undefined ? freshWallets() : options.wallets,
    config: {
      publicUrl: 'http://gigclaim.test',
      rateLimitPerMinute: 100_000,
      trustedProxies: 0,
      adminPort: null,
      platformFeeBps: 500,
      earningOnX: true,
      earningLookSeconds: 600,
      refundDelayHours: 72,
      spamLabelsFile: null,
      accountAssociation: null,
      notifications: null,
      claimLimits: { client: 100_000, inAll: 100_000 },
      mcpOrigins: [],
      ownerCreate: 'nobody',
      ownerOpenGigs: 3,
      brand: NO_BRAND,
      ...options.config,
    },
    version: '1.2.3',
    pagesFolder: PAGES,
    logo: options.logo ?? null,
    commands: guideOf(commandsFor([]), []),
  });
  const newKey: Service['newKey'] = ({ expiresAt = null, ...request }) =>
    createApiKey({ store, clock, randomBytes, actor: COMMAND_LINE }, { ...request, expiresAt });
  const { key } = await newKey({ name: 'test', scopes: ['operator'] });
  const send: Service['send'] = async (method, path, body, headers = {}) => {
    const response = await app.request(path, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    await holdCode(app, method, path, response);
    return response;
  };
  return {
    app,
    store,
    url: database.url,
    health,
    key,
    lines,
    logText,
    time,
    stopping,
    woken: () => wakes,
    async sql(statement, ...values) {
      await database.sql(statement, ...values);
    },
    start: (gigId, headers) => send('POST', '/api/gigs/start', { gig_id: gigId }, headers),
    send,
    newKey,
    close,
  };
}

/** The service of the test that runs, in a file that uses {@link useService} or {@link shareService}. */
export let service: Service;

/** How it is opened: with these options, or as a folder's own `open` does. */
type Opening = ServiceOptions | (() => Promise<Service>);

/** Opens the service of a test that {@link useService} opens none for; the file closes it. */
export async function setUp(open: Opening = {}): Promise<void> {
  service = typeof open === 'function' ? await open() : await openService(open);
}

/** Puts another service in the place of the one that was opened for the test. */
export async function reopen(open: Opening = {}): Promise<void> {
  await service.close();
  await setUp(open);
}

/** Has what is opened closed when the test is finished. */
export async function forThisTest<Opened extends { close(): Promise<void> }>(
  opening: Promise<Opened>,
): Promise<Opened> {
  const opened = await opening;
  onTestFinished(() => opened.close());
  return opened;
}

/** Gives each test of a file, or of a `describe`, a service. */
export function useService(open: Opening = {}): void {
  beforeEach(() => setUp(open));
  afterEach(() => service.close());
}

/** Gives all tests of a file, or of a `describe`, one service. */
export function shareService(open: Opening = {}): void {
  beforeAll(() => setUp(open));
  afterAll(() => service.close());
}

/** A gig for 100 of a token on the local chain, with a fee of 5 and a wallet that nobody has used. */
export async function seedLocalGig(
  store: Store,
  token: { address: Gig['walletAddress']; decimals: number; symbol: string; name: string; isNative?: boolean },
  terms: Parameters<typeof seedGig>[1] = {},
): Promise<Gig> {
  const { address, decimals, symbol, name, isNative = false } = token;
  const { id } = await seedToken(store, { chainId: 31337, address, decimals, symbol, name, isNative });
  const unit = 10n ** BigInt(decimals);
  return await seedGig(store, {
    tokenId: id,
    rewardAmount: 100n * unit,
    feeAmount: 5n * unit,
    startTime: NOW + 3_600_000,
    walletAddress: freshAddress,
    ...terms,
  });
}

/** Remembers who holds a handle now. */
export async function label(store: Store, platform: Platform, platformUserId: string, username: string) {
  await store.transaction((tx) => tx.setUsername({ platform, platformUserId, username }, NOW));
}
