import { randomBytes } from 'node:crypto';
import { createWallets } from '../src/chain/wallets.ts';
import type { AccountKey } from '../src/domain/account.ts';
import { type Chain, type Chains, chainByKey } from '../src/domain/chains/chain.ts';
import { type Gig, type GigType, requiredFunds } from '../src/domain/gigs/gig.ts';
import { defaultAwardDays } from '../src/domain/gigs/gig-end.ts';
import { ABSENT_TERMS } from '../src/domain/gigs/terms.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../src/domain/operators/actor.ts';
import { startGig } from '../src/services/gigs/start-gig.ts';
import { offerToken } from '../src/services/gigs/terms/tokens.ts';
import { createApiKey } from '../src/services/operators/api-keys.ts';
import type { Store } from '../src/store/port/index.ts';
import type { LocalChain, LocalToken } from './chain.ts';
import { FEE_BPS, FUNDER, MNEMONIC, PEOPLE, person, TREASURY } from './people.ts';

const DAY_MS = 86_400_000;
const ANVIL_ID = 31337;
const ANVIL = requireAnvil();
/** Where the service pays the fees of the gigs that were started before it runs. */
const TREASURY_ADDRESS: Address = `0x${TREASURY.slice(2).toLowerCase()}`;
const REFUND_ADDRESS: Address = `0x${FUNDER.address.slice(2).toLowerCase()}`;

export interface Seed {
  /** A key for `x-api-key`. */
  readonly apiKey: string;
  /** The ERC-20 tokens on the chain. */
  readonly tokens: readonly LocalToken[];
  /** What there is, a line for each gig. */
  readonly gigs: readonly string[];
}

interface Plan {
  readonly note: string;
  readonly token: 'DEGEN' | 'USDC' | 'ETH';
  /** Whole tokens. */
  readonly reward: bigint;
  readonly gigType: GigType;
  /** What people read that they do for it. */
  readonly task: string;
  readonly platform: 'farcaster' | 'twitter';
  /** When it starts and ends, in days from now. */
  readonly window: readonly [number, number];
  readonly owner: string;
  /** Base units more (or less) than what the gig needs; null leaves the wallet empty. */
  readonly fundedBy: bigint | null;
  readonly live?: boolean;
  /** The cast that it is about; the service demands one of these gig types whenever their terms change. */
  readonly cast?: { readonly author: string; readonly text: string };
  /** Whole tokens tipped to people, by name. */
  readonly tips?: Readonly<Record<string, readonly bigint[]>>;
}

const PLANS: readonly Plan[] = [
  {
    note: 'live',
    token: 'DEGEN',
    reward: 1_000n,
    gigType: 'boost',
    task: 'Boost carol’s launch cast: like it, recast it, and tell your followers what you would build with it.',
    platform: 'farcaster',
    window: [-1, 2],
    owner: 'carol',
    fundedBy: 0n,
    live: true,
    tips: { alice: [100n, 50n], bob: [75n] },
    cast: { author: 'carol', text: 'Our app is live: build something with it!' },
  },
  {
    note: 'funded exactly: its owner bob can start it, on either network',
    token: 'DEGEN',
    reward: 500n,
    gigType: 'mention',
    task: 'Mention @acme and say what you have built with it.',
    platform: 'farcaster',
    window: [-1, 6],
    owner: 'bob',
    fundedBy: 0n,
  },
  {
    note: 'not funded: a start is refused',
    token: 'DEGEN',
    reward: 100n,
    gigType: 'follow',
    task: 'Follow bob, who writes about tokens every day.',
    platform: 'farcaster',
    window: [0, 7],
    owner: 'bob',
    fundedBy: null,
  },
  {
    note: 'one base unit too much: a start is refused',
    token: 'USDC',
    reward: 250n,
    gigType: 'recast',
    task: 'Recast bob’s release notes so that your followers see them.',
    platform: 'farcaster',
    window: [0, 3],
    owner: 'bob',
    fundedBy: 1n,
    cast: { author: 'bob', text: 'Release notes: what is new in our app.' },
  },
  {
    note: 'funded exactly: start it through the API',
    token: 'USDC',
    reward: 40n,
    gigType: 'reply',
    task: 'Reply to carol with your best idea for the next release.',
    platform: 'farcaster',
    window: [1, 8],
    owner: 'carol',
    fundedBy: 0n,
    cast: { author: 'carol', text: 'What shall the next release bring?' },
  },
  {
    note: 'ended; its tips are still to be claimed',
    token: 'USDC',
    reward: 90n,
    gigType: 'custom_bounty',
    task: 'Draw a logo for carol’s reading club.',
    platform: 'twitter',
    window: [-9, -2],
    owner: 'carol',
    fundedBy: 0n,
    live: true,
    tips: { alice: [12n], bob: [20n, 5n] },
  },
  {
    note: 'live, paid in the native asset',
    token: 'ETH',
    reward: 2n,
    gigType: 'like',
    task: 'Like carol’s picture of the day.',
    platform: 'farcaster',
    window: [-1, 13],
    owner: 'carol',
    fundedBy: 0n,
    live: true,
    tips: { alice: [1n] },
    cast: { author: 'carol', text: 'The picture of the day.' },
  },
];

function requireAnvil(): Chain {
  const chain = chainByKey('anvil');
  if (chain === undefined) throw new TypeError('there is no chain anvil');
  return chain;
}

function accountsOf(name: string): { key: AccountKey; username: string }[] {
  const { fid, xUserId } = person(name);
  return [
    { key: { platform: 'farcaster', platformUserId: String(fid) }, username: name },
    { key: { platform: 'twitter', platformUserId: xUserId }, username: name },
  ];
}

/** Fills an empty sandbox: people, tokens on the chain, gigs in every state, tips, and an API key. */
export async function seed(options: {
  store: Store;
  chain: LocalChain;
  chains: Chains;
  clock: () => number;
  /** Makes the cast that a gig is about, and gives its URL. */
  cast: (cast: { author: string; text: string; at: number }) => string;
}): Promise<Seed> {
  const { store, chain, chains, clock, cast } = options;
  const wallets = createWallets(MNEMONIC);
  const local: Record<Plan['token'], LocalToken> = {
    DEGEN: await chain.deploy({ name: 'Degen', symbol: 'DEGEN', decimals: 18 }),
    USDC: await chain.deploy({ name: 'USD Coin', symbol: 'USDC', decimals: 6 }),
    ETH: { address: NATIVE_TOKEN_ADDRESS, name: 'Ether', symbol: 'ETH', decimals: 18 },
  };

  async function createGig(plan: Plan): Promise<Gig> {
    const now = clock();
    const [start, end] = plan.window;
    const at = now + Math.min(start, 0) * DAY_MS;
    const externalUrl = plan.cast === undefined ? null : cast({ ...plan.cast, at });
    return await store.transaction(async (tx) => {
      const { token } = await tx.ensureToken({
        ...local[plan.token],
        createdAt: now,
        chainId: ANVIL_ID,
        imageUrl: '',
        coingeckoId: null,
        isNative: plan.token === 'ETH',
      });
      const unit = 10n ** BigInt(token.decimals);
      const gig = await tx.insertGig(
        {
          ...ABSENT_TERMS,
          tokenId: token.id,
          rewardAmount: plan.reward * unit,
          feeAmount: (plan.reward * unit * FEE_BPS) / 10_000n,
          startTime: now + start * DAY_MS,
          endTime: now + end * DAY_MS,
          duration: (end - start) * DAY_MS,
          gigType: plan.gigType,
          platform: plan.platform,
          earningCriteria: null,
          verifier: plan.gigType === 'custom_bounty' ? plan.owner : null,
          refundAddress: REFUND_ADDRESS,
          awardDays: defaultAwardDays({ gigType: plan.gigType, rules: null }),
          howToEarn: plan.task,
          externalUrl,
        },
        { now, walletAddress: (id) => wallets.gigAddress(id) },
      );
      for (const { key } of accountsOf(plan.owner)) await tx.addGigOwner(gig.id, key, now);
      return gig;
    });
  }

  async function fund(gig: Gig, plan: Plan): Promise<void> {
    if (plan.fundedBy === null) return;
    const token = plan.token === 'ETH' ? null : local[plan.token];
    await chain.send({ token, to: gig.walletAddress, amount: requiredFunds(gig) + plan.fundedBy });
  }

  /** A live gig of the past went live then, so its start runs on a clock of then. */
  async function start(gig: Gig): Promise<void> {
    const then = () => Math.min(gig.startTime, clock());
    await startGig(
      { store, chains, payers: null, clock: then, treasury: TREASURY_ADDRESS, randomBytes },
      {
        gigId: gig.id,
        holder: 'sandbox',
        actor: COMMAND_LINE,
      },
    );
  }

  async function tip(gig: Gig, token: Token, plan: Plan): Promise<void> {
    const unit = 10n ** BigInt(token.decimals);
    const tips = Object.entries(plan.tips ?? {}).flatMap(([name, amounts]) =>
      amounts.map((amount, index) => {
        const account = accountsOf(name)[index % 2];
        if (account === undefined) throw new RangeError(`${name} has no account`);
        return { ...account.key, gigId: gig.id, tokenId: token.id, amount: amount * unit, userAddress: null };
      }),
    );
    await store.transaction((tx) => tx.insertTips(tips, clock()));
  }

  await store.transaction(async (tx) => {
    for (const { name } of PEOPLE) {
      for (const { key, username } of accountsOf(name)) await tx.setUsername({ ...key, username }, clock());
    }
  });
  const gigs: string[] = [];
  for (const plan of PLANS) {
    const gig = await createGig(plan);
    await fund(gig, plan);
    if (plan.live) await start(gig);
    if (plan.tips !== undefined) await tip(gig, gig.token, plan);
    gigs.push(`gig ${gig.id}: ${plan.reward} ${plan.token}, owner ${plan.owner}, ${plan.note}`);
  }
  for (const { address } of [local.DEGEN, local.USDC]) {
    await offerToken({ store, clock }, { chain: ANVIL, address, isOffered: true, actor: COMMAND_LINE });
  }
  const { key } = await createApiKey(
    { store, clock, randomBytes: (size) => Buffer.alloc(size, 'gigclaim-sandbox-'), actor: COMMAND_LINE },
    { name: 'sandbox', expiresAt: null, scopes: ['operator'] },
  );
  return { apiKey: key, tokens: [local.DEGEN, local.USDC], gigs };
}
