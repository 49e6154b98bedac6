import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startAnvil } from '../../../sandbox/anvil.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { createLog } from '../../../src/log.ts';
import { claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { createChainPayments } from '../../../src/services/payments/pay-chain.ts';
import { PAYMENT_POLICY, type PaymentContext, SENDER_TIMING } from '../../../src/services/payments/sender/context.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { openTestStore } from '../../support/database.ts';
import { openPayments, type Payments } from '../../support/payer-chain.ts';
import { deployHostileToken, type TokenWay } from '../../support/payer-contracts.ts';
import { seedGig, seedTips, seedToken } from '../../support/store.ts';

const IDLE_MS = 10;
/** What each gig holds: more than its tips. */
const FUNDS = 1_000_000n;
const AMOUNT = 1_000n;

/** One asset that gigs pay in. */
export interface Asset {
  readonly address: Address;
  readonly isNative: boolean;
  /** Gives so much of it to a wallet. */
  fund(wallet: Address, amount: bigint): Promise<unknown>;
}

/** A service's payments on a node and in a database of their own. */
export interface World extends Payments {
  readonly store: Store;
  readonly url: string;
  native: Asset;
  /** An ERC-20 without faults. */
  good(): Promise<Asset>;
  hostile(way: TokenWay): Promise<Asset>;
  /** A live and funded gig of a client, or of nobody's. */
  gig(asset: Asset, client?: string | null): Promise<Gig>;
  /** Gives an account one tip of 1,000 base units from each of these gigs, and claims what it can; answers the payments. */
  claim(fid: string, gigs: readonly Gig[]): Promise<readonly Payment[]>;
  /** Takes steps until it holds. */
  payUntil(holds: () => Promise<boolean>, policy?: Partial<PaymentContext['policy']>): Promise<void>;
  /** Whether these payments are confirmed. */
  arePaid(payments: readonly Payment[]): Promise<boolean>;
}

const TIMING: PaymentContext['timing'] = {
  ...SENDER_TIMING,
  rebroadcastMs: 100,
  raiseMs: 500,
  settleMs: 100,
  refusedMs: 200,
  barelyRefusedMs: 200,
  failedMs: 20,
  lookMs: 100,
};

/** Opens a world, which is closed when the test has finished. */
export async function openWorld(): Promise<World> {
  const anvil = await startAnvil();
  onTestFinished(() => anvil.stop());
  const { store, close } = await openTestStore();
  onTestFinished(close);
  const { url } = anvil;
  const payments = await openPayments({ url });
  const { wallets, stage, payer } = payments;
  const clock = Date.now;
  const log = createLog({ level: 'fatal', destination: { write: () => undefined } });
  const claimDeps = { store, wallets, clock, platforms: new Map(), newId: randomUUID, wakePayments: () => undefined };

  return {
    ...payments,
    store,
    url,
    native: {
      address: NATIVE_TOKEN_ADDRESS,
      isNative: true,
      fund: (wallet, amount) => fundNative(wallet, amount, url),
    },
    async good() {
      const token: TestToken = await deployToken({ decimals: 6 }, url);
      const fund: Asset['fund'] = (wallet, amount) => fundToken(token, wallet, amount, url);
      return { address: token.address, isNative: false, fund };
    },
    async hostile(way) {
      const token = await deployHostileToken(stage, way);
      return { address: token.address, isNative: false, fund: token.mint };
    },
    async gig(asset, client = null) {
      const { address, isNative } = asset;
      const symbol = address.slice(2, 8);
      const token = await seedToken(store, { address, isNative, symbol, chainId: payer.chain.id, decimals: 6 });
      const terms = { tokenId: token.id, rewardAmount: FUNDS, feeAmount: 0n, walletAddress: wallets.gigAddress };
      const gig = await seedGig(store, { ...terms, live: true });
      if (client !== null) await store.transaction((tx) => tx.assignGig(gig.id, client));
      await asset.fund(gig.walletAddress, FUNDS);
      return gig;
    },
    async claim(fid, gigs) {
      const account = { platform: 'farcaster', platformUserId: fid } as const;
      for (const gig of gigs) await seedTips(store, gig, [{ ...account, amount: AMOUNT }]);
      const text = `claim my rewards ${freshAddress()}`;
      const postId = `0x${randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
      const post = { ...account, postId, source: 'url', text, postedAt: clock(), retry: true } as const;
      return (await claimRewards(claimDeps, post)).payments;
    },
    async payUntil(holds, policy = {}) {
      const deps = { store, clock, log, timing: TIMING, policy: { ...PAYMENT_POLICY, ...policy } };
      const step = createChainPayments(deps, payer);
      while (!(await holds())) {
        if ((await step()) !== true) await wait(IDLE_MS);
      }
    },
    async arePaid(wanted) {
      const found = await Promise.all(wanted.map(({ id }) => store.payment(id)));
      return found.every((payment) => payment?.state === 'confirmed');
    },
  };
}
