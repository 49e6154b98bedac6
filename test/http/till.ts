import { afterEach, beforeEach } from 'vitest';
import { createFarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import { createTwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { NETWORK_CREDENTIALS, PEOPLE } from '../../sandbox/people.ts';
import type { Platform } from '../../src/domain/account.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../src/services/payments/sender/context.ts';
import { keepLog } from '../services/fakes.ts';
import { fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { createPayer } from '../support/payer.ts';
import { type Paying, stepPayments } from '../support/steps.ts';
import { seedTips } from '../support/store.ts';
import { NOW, openService, type Service, type ServiceOptions, seedLocalGig } from './service.ts';

export interface TillOptions extends ServiceOptions {
  /** Whether payments are made while a request waits; they are unless it says false. */
  readonly pays?: boolean;
  /** What the gas tank holds, in wei; an ether when absent. */
  readonly tank?: bigint;
  /** The platform that the service gets, made from the real adapter. */
  readonly wrapPlatform?: (platform: SocialPlatform) => SocialPlatform;
}

export interface Till {
  readonly service: Service;
  readonly farcaster: SocialNetwork;
  readonly x: SocialNetwork;
  /** Brings the payments on by one step. */
  pay(): Promise<boolean>;
  /** A live gig whose wallet holds two million base units, with tips in base units. */
  gig(asset: TestToken, tips: readonly { fid?: string; xUserId?: string; amount: bigint }[]): Promise<Gig>;
  /** `POST /api/claim` as a published client sends it: without a Content-Type. */
  claim(url: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** The app among both networks, whose people are those of the sandbox, with wallets of its own on the shared node. */
export async function openTill(options: TillOptions = {}): Promise<Till> {
  let now = () => NOW;
  const clock = () => now();
  const farcaster = createFarcasterNetwork({ ...NETWORK_CREDENTIALS.farcaster, clock });
  const x = createTwitterNetwork({ ...NETWORK_CREDENTIALS.twitter, clock });
  for (const { name, fid, xUserId, address } of PEOPLE) {
    farcaster.addUser({ id: String(fid), username: name, verifiedAddresses: name === 'mallory' ? [] : [address] });
    x.addUser({ id: xUserId, username: name });
  }
  const wrap = options.wrapPlatform ?? ((platform: SocialPlatform) => platform);
  const neynar = await createFarcaster({ ...NETWORK_CREDENTIALS.farcaster, baseUrl: await farcaster.start(), clock });
  const twitter = await createXPlatform({ ...NETWORK_CREDENTIALS.twitter, baseUrl: await x.start(), clock });
  const platforms = new Map<Platform, SocialPlatform>([
    ['farcaster', wrap(neynar)],
    ['twitter', wrap(twitter)],
  ]);
  const { wallets, payer, tank } = createPayer({ clock });
  const service = await openService({
    platforms,
    wallets,
    ...(options.pays === false ? {} : { whileWaiting: async () => void (await pay()) }),
    ...options,
  });
  now = () => service.time.now;
  const { store } = service;
  const deps = { store, clock, log: keepLog().log, timing: SENDER_TIMING, policy: PAYMENT_POLICY };
  const paying: Paying = { deps, payer };
  let last: Promise<unknown> = Promise.resolve();
  // One after the other, as in the service: several claims may wait at the same time.
  const pay = () => {
    const next = last.then(() => stepPayments(paying));
    last = next;
    return next;
  };
  await fundNative(tank, options.tank ?? 10n ** 18n);
  return {
    service,
    farcaster,
    x,
    pay,
    async gig(asset, tips) {
      const terms = { live: true, rewardAmount: 2_000_000n, feeAmount: 0n, walletAddress: wallets.gigAddress };
      const gig = await seedLocalGig(store, asset, terms);
      await fundToken(asset, gig.walletAddress, 2_000_000n);
      const accounts = tips.map(({ fid, xUserId, amount }) =>
        fid === undefined
          ? ({ platform: 'twitter', platformUserId: xUserId ?? '', amount } as const)
          : ({ platform: 'farcaster', platformUserId: fid, amount } as const),
      );
      await seedTips(store, gig, accounts);
      return gig;
    },
    claim: async (url, headers = {}) =>
      await service.app.request('/api/claim', {
        method: 'POST',
        headers,
        body: new TextEncoder().encode(typeof url === 'string' ? JSON.stringify({ url }) : JSON.stringify(url)),
      }),
    async close() {
      await service.close();
      await Promise.all([farcaster.stop(), x.stop()]);
    },
  };
}

/** The till of the test that runs, in a file that uses {@link useTill}. */
export let till: Till;

/** Gives each test of a file a till. */
export function useTill(options: () => TillOptions = () => ({})): void {
  beforeEach(() => setTill(options()));
  afterEach(() => till.close());
}

/** Opens the till of a test that {@link useTill} opens none for; the file closes it. */
export async function setTill(options: TillOptions = {}): Promise<void> {
  till = await openTill(options);
}

/** Puts another till in the place of the one that was opened for the test. */
export async function changeTill(options: TillOptions = {}): Promise<void> {
  await till.close();
  await setTill(options);
}
