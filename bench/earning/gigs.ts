import SqliteDatabase from 'better-sqlite3';
import { MNEMONIC } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { storeRules } from '../../src/domain/earning/terms/rules-json.ts';
import { ABSENT_TERMS } from '../../src/domain/gigs/terms.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { MIGRATIONS } from '../data/sqlite.ts';
import { castOf, firstFidOf } from './casts.ts';

const DAY_MS = 86_400_000;
const AUTHOR = '1999999';
const TOKEN = {
  address: '0x00000000000000000000000000000000000ea121',
  chainId: 31337,
  decimals: 18,
  name: 'Bench',
  symbol: 'BENCH',
  imageUrl: '',
  isNative: false,
  coingeckoId: null,
} as const;

/** A watched gig. */
export interface GigPlan {
  /** Epoch milliseconds. */
  readonly startTime: number;
  readonly holdMs: number;
}

/** Adds live gigs that pay one unit for each like of their casts; returns their ids. */
export async function addWatchedGigs(path: string, plans: readonly GigPlan[]): Promise<readonly number[]> {
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  const wallets = createWallets(MNEMONIC);
  const gates = {
    minScore: 550_000,
    minAccountAgeDays: 7,
    minFollowers: 0,
    verifiedAddress: true,
    spamLabel: 'not_spam',
    minLetters: 10,
  } as const;
  const now = Date.now();
  // On the chain of the bench: what a gig's wallet has paid is asked there before anything is decided.
  const { token } = await store.transaction((tx) => tx.ensureToken({ ...TOKEN, createdAt: now }));
  const terms = {
    ...ABSENT_TERMS,
    tokenId: token.id,
    rewardAmount: 10n ** 12n,
    feeAmount: 0n,
    duration: DAY_MS,
    gigType: 'like',
    platform: 'farcaster',
    earningCriteria: null,
    externalUrl: null,
    awardDays: 0,
  } as const;
  const ids: number[] = [];
  for (const [number, { startTime, holdMs }] of plans.entries()) {
    const endTime = startTime + DAY_MS;
    const rules = storeRules({ rule: { type: 'fixed', amount: 1n }, gates, holdMs, tipsByRequest: true });
    const target = { kind: 'post', postId: castOf(number), authorId: AUTHOR } as const;
    await store.transaction(async (tx) => {
      const made = { now: startTime, walletAddress: wallets.gigAddress };
      const { id } = await tx.insertGig({ ...terms, startTime, endTime }, made);
      await tx.storeEarningRules(id, { given: null, rules, target });
      await tx.lockGig(id, { holder: 'bench', now: startTime, until: startTime + 60_000 });
      await tx.markLive(id, { holder: 'bench', startTime, endTime });
      const start = { gigId: id, tokenId: token.id, chainId: TOKEN.chainId, blockNumber: 0n, checkBlock: null };
      await tx.recordGigTransaction({ ...start, amount: terms.rewardAmount, commissionAmount: 0n }, now);
      await tx.openWatch(id, { target, nextAt: startTime });
      ids.push(id);
    });
  }
  await store.close();
  return ids;
}

/** How many acts are stored of those whom a measurement with this seed has let like. */
export function countTold(path: string, seed: number): number {
  const database = new SqliteDatabase(path, { readonly: true });
  const count = database
    .prepare<[number, number], number>(
      'select count(*) from observations where cast(platform_user_id as integer) >= ? and cast(platform_user_id as integer) < ?',
    )
    .pluck();
  const stored = count.get(firstFidOf(seed), firstFidOf(seed + 1)) ?? 0;
  database.close();
  return stored;
}

/** How many accounts of a gig are in each state, as another process sees it. */
export function openCounts(path: string, gigId: number) {
  const database = new SqliteDatabase(path, { readonly: true });
  const counts = database.prepare<[number], { state: string; n: number }>(
    'select state, n from earning_counts where gig_id = ?',
  );
  return {
    read: (): Readonly<Record<string, number>> =>
      Object.fromEntries(counts.all(gigId).map(({ state, n }) => [state, n])),
    close: () => database.close(),
  };
}
