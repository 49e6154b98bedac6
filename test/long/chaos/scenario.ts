import { randomBytes } from 'node:crypto';
import { createLocalChain, type LocalToken } from '../../../sandbox/chain.ts';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createLog } from '../../../src/log.ts';
import { checkFundings } from '../../../src/services/gigs/check-funding.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { MIGRATIONS, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { MOST_BEHIND_MS } from './clocks.ts';
import {
  CANCELLED_GIG,
  CHAIN,
  type ClaimOrder,
  type Order,
  REFUNDED_GIGS,
  STARTED_GIG,
  TREASURY,
  UNFUNDED_GIG,
} from './order.ts';

const ETHER = 10n ** 18n;
const UNIT = 10n ** 6n;
const ELSEWHERE: Address = '0x000000000000000000000000000000000000dead';

/** Where the money of gigs returns to. */
const BACK: Address = '0x0000000000000000000000000000000000000bac';
/** What the cancelled gig holds. */
const IN_PART = 42n * UNIT;

/** What the gigs of the console get, a week and more after their creation. */
const CONSOLE = { client: 'owner:farcaster:1003', rewardAmount: 50n * UNIT, feeAmount: 2n * UNIT };
const CONSOLE_AGE_MS = 8 * 86_400_000;
/** What the one holds that is never funded. */
const TOO_LITTLE = 7n * UNIT;

/** The gigs that pay. Each tip is an account and its amount in base units. */
const GIGS = [
  {
    asset: 'usdc',
    reward: 100n * UNIT,
    fee: 5n * UNIT,
    tips: [
      ['1001', 12_500_000n],
      ['1001', 1n],
      ['1002', 7n * UNIT],
    ],
  },
  {
    asset: 'ether',
    reward: ETHER,
    fee: 0n,
    tips: [
      ['1001', 300_000_000_000_000_000n],
      ['1003', 1n],
    ],
  },
  {
    asset: 'usdc',
    reward: 40n * UNIT,
    fee: UNIT,
    tips: [
      ['1001', 2n],
      ['1002', 30n * UNIT],
      ['1003', 3n],
      ['1004', 4n],
    ],
  },
] as const;

type Asset = (typeof GIGS)[number]['asset'];

/** Who has tips before anything goes wrong, in the order of their claims. */
const PEOPLE = ['1001', '1002', '1003', '1004'] as const;

/** The gig of tips that are awarded late. What a ledger loses of them is awarded to somebody else, under the same number. */
const LATE_GIG = 3;
const LATE = { usual: { fid: '1005', amount: 5n }, other: { fid: '1006', amount: 6n } } as const;

type Way = keyof typeof LATE;

/** Who claims by tapping a card; the others post. */
const TAPPERS: ReadonlySet<string> = new Set(['1002', '1004', LATE.usual.fid]);

/** Where an account is paid when it claims in the usual way, or in the other one. */
function recipientOf(fid: string, way: Way): Address {
  return `0x${(way === 'usual' ? 'a' : 'b').padEnd(36, '0')}${fid}`;
}

function claimOf(fid: string, way: Way, late: (typeof LATE)[Way]): ClaimOrder {
  const digit = way === 'usual' ? 'a' : 'b';
  const isTap = TAPPERS.has(fid);
  const postId = isTap ? `snap:${digit.repeat(28)}${fid}` : `0x${digit.repeat(36)}${fid}`;
  const earns = late.fid === fid ? { gigId: LATE_GIG, amount: String(late.amount) } : null;
  return { fid, by: isTap ? 'tap' : 'post', postId, recipient: recipientOf(fid, way), earns };
}

/** Everybody claims, the last ones while payments for others are under way. */
export const USUAL: Order['rounds'] = [['1001', '1002'], ['1003', '1005'], ['1004']].map((fids) =>
  fids.map((fid) => claimOf(fid, 'usual', LATE.usual)),
);
/** The same posts again, after the ledger has lost some of them; and what it lost of late tips is not awarded again. */
export const AGAIN: Order['rounds'] = [
  ['1001', '1002'],
  ['1003', '1006'],
  ['1004', '1005'],
].map((fids) => fids.map((fid) => claimOf(fid, 'usual', LATE.other)));
/** Everybody claims by other posts, to other addresses and in another order. */
export const OTHER: Order['rounds'] = [['1004', '1006'], ['1003'], ['1002', '1001'], ['1005']].map((fids) =>
  fids.map((fid) => claimOf(fid, 'other', LATE.other)),
);

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Base units of each asset. */
export type Holdings = Readonly<Record<Asset, bigint>>;

function earned(fid: string, asset: Asset): bigint {
  const gigs = GIGS.filter((gig) => gig.asset === asset);
  return sum(gigs.flatMap(({ tips }) => tips.flatMap(([owner, amount]) => (owner === fid ? [amount] : []))));
}

/** Somebody with all of their addresses, and what they must hold there together in the end. */
export interface Paid {
  readonly owners: readonly Address[];
  readonly holds: Holdings;
  /** Whether they may hold nothing, because every ledger that knew their tip is lost. */
  readonly isLate: boolean;
}

function ownersOf(fid: string): Address[] {
  return [recipientOf(fid, 'usual'), recipientOf(fid, 'other')];
}

/** What the refunded gigs have not awarded, and what the cancelled one held. */
function returned(): Holdings {
  const holds = { usdc: IN_PART + TOO_LITTLE, ether: 0n };
  for (const [index, { asset, reward, tips }] of GIGS.entries()) {
    if (!REFUNDED_GIGS.some((id) => id === index + 1)) continue;
    holds[asset] += reward - sum(tips.map(([, amount]) => amount));
  }
  return holds;
}

/** Everybody who is paid. */
export const PAID: readonly Paid[] = [
  ...PEOPLE.map((fid) => {
    const holds = { usdc: earned(fid, 'usdc'), ether: earned(fid, 'ether') };
    return { owners: ownersOf(fid), holds, isLate: false };
  }),
  ...Object.values(LATE).map(({ fid, amount }) => {
    return { owners: ownersOf(fid), holds: { usdc: amount, ether: 0n }, isLate: true };
  }),
  { owners: [BACK], holds: returned(), isLate: false },
  {
    owners: [TREASURY],
    holds: { usdc: sum(GIGS.map(({ fee }) => fee)) + CONSOLE.feeAmount, ether: 0n },
    isLate: false,
  },
];

/** Everybody who has tips, or may have some. */
export const ACCOUNTS = [...PEOPLE, ...Object.values(LATE).map(({ fid }) => fid)].map((platformUserId) => {
  return { platform: 'farcaster', platformUserId } as const;
});

/** A gig's wallet, and what it was funded with, to the base unit. */
export interface Payer {
  readonly gigId: number;
  readonly wallet: Address;
  readonly asset: Asset;
  readonly funded: bigint;
}

async function seedAsset(store: Store, asset: Asset, usdc: LocalToken): Promise<Token> {
  const chainId = CHAIN.id;
  if (asset === 'ether') {
    const native = { ...CHAIN.nativeCurrency, address: NATIVE_TOKEN_ADDRESS, isNative: true };
    return await seedToken(store, { ...native, chainId });
  }
  const { address, name, symbol, decimals } = usdc;
  return await seedToken(store, { address, name, symbol, decimals, chainId });
}

/**
 * Starts the gigs, funded to the base unit and with no gas of their own, and awards the tips, on a node that makes a block
 * for each transaction and in a new database.
 */
export async function prepare({ url, database }: { url: string; database: string }) {
  const local = createLocalChain({ url, mnemonic: MNEMONIC });
  const wallets = createWallets(MNEMONIC);
  await local.deployPayer();
  const usdc = await local.deploy({ name: 'USD Coin', symbol: 'USDC', decimals: 6 });
  const store = await openStore({ url: database, migrationsFolder: MIGRATIONS });
  // What is planned here is due by the slowest of the clocks.
  const clock = () => Date.now() - MOST_BEHIND_MS;
  const deps = {
    store,
    chains: createChains({ endpoints: [{ chain: CHAIN, rpcUrls: [url] }], clock }),
    payers: null,
    clock,
  };
  const opened: { gig: Gig; plan: (typeof GIGS)[number] }[] = [];
  for (const plan of GIGS) {
    const { asset, reward: rewardAmount, fee: feeAmount } = plan;
    const { id: tokenId } = await seedAsset(store, asset, usdc);
    const terms = { tokenId, rewardAmount, feeAmount, refundAddress: BACK, walletAddress: wallets.gigAddress };
    const gig = await seedGig(store, terms);
    const token = asset === 'ether' ? null : usdc;
    await local.send({ token, to: gig.walletAddress, amount: rewardAmount + feeAmount });
    const start = { gigId: gig.id, holder: 'chaos', actor: COMMAND_LINE };
    await startGig({ ...deps, treasury: TREASURY, randomBytes }, start);
    opened.push({ gig, plan });
  }
  const { id: tokenId } = await seedAsset(store, 'usdc', usdc);
  const cancelled = await seedGig(store, { tokenId, refundAddress: BACK, walletAddress: wallets.gigAddress });
  if (cancelled.id !== CANCELLED_GIG) throw new Error(`gig ${cancelled.id} is to be cancelled`);
  await local.send({ token: usdc, to: cancelled.walletAddress, amount: IN_PART });
  const owned = { ...CONSOLE, tokenId, refundAddress: BACK, walletAddress: wallets.gigAddress };
  const old = { createdAt: clock() - CONSOLE_AGE_MS };
  const starting = await seedGig(store, { ...owned, ...old, start: 'when_funded' });
  const unfunded = await seedGig(store, { ...owned, ...old });
  if (starting.id !== STARTED_GIG || unfunded.id !== UNFUNDED_GIG) throw new Error('other gigs are the console’s');
  const funding = CONSOLE.rewardAmount + CONSOLE.feeAmount;
  await local.send({ token: usdc, to: starting.walletAddress, amount: funding });
  await local.send({ token: usdc, to: unfunded.walletAddress, amount: TOO_LITTLE });
  // Nothing is paid before the funding has settled, and each transaction makes a block.
  for (let blocks = 0; blocks < CHAIN.confirmations; blocks += 1) {
    await local.send({ token: null, to: ELSEWHERE, amount: 1n });
  }
  const log = createLog({ level: 'fatal', destination: { write: () => undefined } });
  await checkFundings({ ...deps, log }, CHAIN.id);
  const wallet = cancelled.walletAddress;
  const payers: Payer[] = [
    { gigId: CANCELLED_GIG, wallet, asset: 'usdc', funded: IN_PART },
    { gigId: STARTED_GIG, wallet: starting.walletAddress, asset: 'usdc', funded: funding },
    { gigId: UNFUNDED_GIG, wallet: unfunded.walletAddress, asset: 'usdc', funded: TOO_LITTLE },
  ];
  for (const { gig, plan } of opened) {
    const tips = plan.tips.map(([platformUserId, amount]) => {
      return { platform: 'farcaster', platformUserId, amount } as const;
    });
    await seedTips(store, gig, tips);
    payers.push({ gigId: gig.id, wallet: gig.walletAddress, asset: plan.asset, funded: plan.reward + plan.fee });
  }
  await store.close();
  return { usdc: usdc.address, payers };
}
