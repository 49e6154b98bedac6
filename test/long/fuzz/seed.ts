import { randomBytes } from 'node:crypto';
import type { LocalChain, LocalToken } from '../../../sandbox/chain.ts';
import type { LocalPlatform } from '../../../sandbox/networks/network.ts';
import type { createWallets } from '../../../src/chain/wallets.ts';
import type { Chains } from '../../../src/domain/chains/chain.ts';
import { type Gig, requiredFunds } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { seedGig, seedTips, seedToken } from '../../support/store.ts';

const CHAIN_ID = 31337;
const DAY_MS = 86_400_000;
const UNIT = 10n ** 18n;
const TRAPS = 6;

/** Accounts that exist in great number, each known to its network under a username. */
export type Crowd = Readonly<Record<LocalPlatform, readonly { readonly id: string; readonly username: string }[]>>;

/** What there is in a new world. Every gig's token is `token`. */
export interface Seeded {
  readonly token: LocalToken;
  /** Live, with a tip for each of the crowd and plenty left. */
  readonly live: Gig;
  /** Funded exactly, and not to be started by anything but the grammar: each of the crowd owns all of them. */
  readonly traps: readonly Gig[];
  /** Funded exactly, for the API to start. */
  readonly startable: Gig;
  readonly unfunded: Gig;
}

/** What a world is seeded with. */
export interface SeedOptions {
  readonly store: Store;
  readonly wallets: ReturnType<typeof createWallets>;
  readonly chain: LocalChain;
  readonly chains: Chains;
  readonly clock: () => number;
  readonly crowd: Crowd;
}

/** Fills an empty store and the chain behind it. */
export async function seedWorld({ store, wallets, chain, chains, clock, crowd }: SeedOptions): Promise<Seeded> {
  const local = await chain.deploy({ name: 'Fuzz', symbol: 'FUZZ', decimals: 18 });
  const people = [
    ...crowd.farcaster.map((user) => ({ ...user, platform: 'farcaster' as const })),
    ...crowd.twitter.map((user) => ({ ...user, platform: 'twitter' as const })),
  ].map(({ platform, id, username }) => ({ platform, platformUserId: id, username }));

  async function create({ funded }: { funded: boolean }): Promise<Gig> {
    const now = clock();
    const token = await seedToken(store, { ...local, chainId: CHAIN_ID, createdAt: now });
    const window = { startTime: now - DAY_MS, duration: 31 * DAY_MS, createdAt: now };
    const amounts = { tokenId: token.id, rewardAmount: 1_000_000n * UNIT, feeAmount: 50_000n * UNIT };
    const walletAddress = wallets.gigAddress;
    const gig = await seedGig(store, { ...amounts, ...window, howToEarn: 'fuzz', walletAddress });
    if (funded) await chain.send({ token: local, to: gig.walletAddress, amount: requiredFunds(gig) });
    return gig;
  }

  const live = await create({ funded: true });
  await startGig(
    { store, chains, payers: null, clock, treasury: null, randomBytes },
    { gigId: live.id, holder: 'seed', actor: COMMAND_LINE },
  );
  const traps: Gig[] = [];
  while (traps.length < TRAPS) traps.push(await create({ funded: true }));
  const startable = await create({ funded: true });
  const unfunded = await create({ funded: false });
  await store.transaction(async (tx) => {
    for (const account of people) {
      await tx.setUsername(account, clock());
      for (const trap of traps) await tx.addGigOwner(trap.id, account, clock());
    }
  });
  await seedTips(store, live, people);
  return { token: local, live, traps, startable, unfunded };
}
