import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import type { AccountKey, Platform } from '../../src/domain/account.ts';
import type { ClaimStatus } from '../../src/domain/claims/claim.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../src/domain/gigs/token.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import type { PayerChain } from '../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { type ClaimPost, claimRewards } from '../../src/services/claims/claim-rewards.ts';
import type { ClaimContext } from '../../src/services/claims/context.ts';
import { readClaim } from '../../src/services/claims/list-claims.ts';
import { PAYMENT_POLICY, SENDER_TIMING, type SenderTiming } from '../../src/services/payments/sender/context.ts';
import type { Store } from '../../src/store/port/index.ts';
import { anvilClients, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { openTestStore } from '../support/database.ts';
import { createPayer, type PayerOptions } from '../support/payer.ts';
import { type Paying, stepPayments } from '../support/steps.ts';
import { seedGig, seedTips, seedToken } from '../support/store.ts';
import { createClock, createNetwork, keepLog } from './fakes.ts';

export const ALICE: AccountKey = { platform: 'farcaster', platformUserId: '1001' };
export const BOB: AccountKey = { platform: 'farcaster', platformUserId: '1002' };
export const BOB_ON_X: AccountKey = { platform: 'twitter', platformUserId: '1002' };

/** A refusal counts at once, and what a node does not tell yet is asked again at once, because the clock stands still. */
const TIMING: SenderTiming = { ...SENDER_TIMING, refusedMs: 0, barelyRefusedMs: 0, settleMs: 0 };

/** A live gig that is to be seeded. */
interface GigTerms {
  readonly asset: TestToken | 'native';
  readonly tips: readonly { account: AccountKey; amount: bigint }[];
  /** Base units; a million unless said otherwise. */
  readonly reward?: bigint;
  /** Base units; none unless said otherwise. */
  readonly fee?: bigint;
  /** What its wallet holds, in base units; reward and fee unless said otherwise. */
  readonly funds?: bigint;
}

interface CashierOptions extends PayerOptions {
  readonly timing?: Partial<SenderTiming>;
  /** What the payments get instead of the real chain, made from it. */
  readonly wrap?: (payer: PayerChain) => PayerChain;
}

/**
 * Claims and payments over a real store, a real chain and wallets that nobody else knows. The clock stands still; nothing
 * is paid but by `settle` and `look`.
 */
export async function openCashier(options: CashierOptions = {}) {
  const url = options.url ?? inject('anvilUrl');
  const { store, database, close } = await openTestStore();
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const { wallets, payer } = createPayer({ ...options, url, clock });
  /** The verified address of each FID, which is its primary one. */
  const verified = new Map<string, Address>();
  const payoutAddresses = async (id: string) => [verified.get(id) ?? []].flat();
  const primaryAddress = async (id: string) => verified.get(id) ?? null;
  const platforms = new Map<Platform, SocialPlatform>([
    ['farcaster', { ...createNetwork('farcaster').network, payoutAddresses, primaryAddress }],
    ['twitter', createNetwork('twitter').network],
  ]);
  let ids = 0;
  let posts = 0;
  const claiming: ClaimContext = {
    store,
    platforms,
    wallets,
    clock,
    wakePayments: () => undefined,
    newId: () => `claim-${++ids}`,
  };
  const timing = { ...TIMING, ...options.timing };
  const paying: Paying = {
    deps: { store, clock, log, timing, policy: PAYMENT_POLICY },
    payer: options.wrap?.(payer) ?? payer,
  };

  async function tokenOf(asset: TestToken | 'native'): Promise<Token> {
    if (asset !== 'native') return await seedTestToken(store, asset);
    const ether = { address: NATIVE_TOKEN_ADDRESS, decimals: 18, name: 'Ether', symbol: 'ETH', isNative: true };
    return await seedToken(store, { ...ether, chainId: 31337 });
  }

  async function gig({ asset, tips, reward = 1_000_000n, fee = 0n, funds = reward + fee }: GigTerms): Promise<Gig> {
    const { id: tokenId } = await tokenOf(asset);
    const terms = { tokenId, rewardAmount: reward, feeAmount: fee, live: true, walletAddress: wallets.gigAddress };
    const seeded = await seedGig(store, terms);
    if (funds > 0n) {
      if (asset === 'native') await fundNative(seeded.walletAddress, funds, url);
      else await fundToken(asset, seeded.walletAddress, funds, url);
    }
    const given = tips.map(({ account, amount }) => ({ ...account, amount }));
    await seedTips(store, seeded, given);
    return seeded;
  }

  /** A post of its own by an account, made now. */
  function post(account: AccountKey, text = 'claim my rewards', overrides: Partial<ClaimPost> = {}): ClaimPost {
    posts += 1;
    return { ...account, postId: `post-${posts}`, source: 'url', text, postedAt: clock(), retry: true, ...overrides };
  }

  return {
    store,
    database,
    close,
    clock,
    advance,
    log,
    lines,
    url,
    wallets,
    payer,
    verified,
    platforms,
    claiming,
    paying,
    gig,
    post,
    node: anvilClients(url).test,
    claim: (made: ClaimPost): Promise<ClaimStatus> => claimRewards(claiming, made),
    status: ({ claim }: ClaimStatus): Promise<ClaimStatus> => readClaim({ store }, claim.id),
    fundTank: (wei: bigint) => fundNative(wallets.gasTankAddress(), wei, url),
    /** Base units of a token, or wei. */
    async held(asset: TestToken | 'native', owner: Address): Promise<bigint> {
      if (asset === 'native') return await anvilClients(url).public.getBalance({ address: owner });
      const data = `0x70a08231${owner.slice(2).padStart(64, '0')}` as const;
      const answer = await anvilClients(url).public.call({ to: asset.address, data });
      return BigInt(answer.data ?? '0x0');
    },
    /** Brings every payment on until nothing moves at once any more. */
    async look(): Promise<void> {
      while (await stepPayments(paying));
    },
    /** Brings the payments on until none is left. @throws Error when some still wait after several seconds */
    async settle(): Promise<void> {
      for (let rounds = 0; rounds < 1_000; rounds += 1) {
        if (!(await stepPayments(paying))) {
          if ((await store.chainsWithPayments()).length === 0) return;
          await wait(10);
        }
      }
      const left = await store.payments({ limit: 10 });
      throw new Error(`not settled: ${left.map(({ id, state, reason }) => `${id} ${state} ${reason}`).join(', ')}`);
    },
    /** Every payment of a kind, oldest first. */
    async payments(kind: Payment['kind']): Promise<Payment[]> {
      return (await store.payments({ limit: 1_000, kind })).toReversed();
    },
  };
}

export type Cashier = Awaited<ReturnType<typeof openCashier>>;

/** The row of a token that is deployed on anvil. */
export async function seedTestToken(store: Store, { address, decimals, name, symbol }: TestToken): Promise<Token> {
  return await seedToken(store, { address, decimals, name, symbol, chainId: 31337 });
}

/** The pending tips of an account. */
export async function pendingTips({ store }: Cashier, account: AccountKey) {
  return (await store.pendingTips([account])).tips;
}
