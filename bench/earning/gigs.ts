import SqliteDatabase from 'better-sqlite3';
import { MNEMONIC } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { storeRules } from '../../src/domain/earning/rules-json.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { MIGRATIONS } from '../data/sqlite.ts';

const DAY_MS = 86_400_000;
const AUTHOR = '1999999';

/** The hash of the cast that the n-th of the watched gigs is about. */
export function castOf(number: number): string {
  return `0x${(0xbe9c0000 + number).toString(16).padStart(40, '0')}`;
}

/** Adds live gigs that pay one unit for each like of their casts, without a hold; returns the first one's id. */
export async function addWatchedGigs(path: string, { count, startTime }: { count: number; startTime: number }) {
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
  const rules = storeRules({ rule: { type: 'fixed', amount: 1n }, gates, holdMs: 0, tipsByRequest: true });
  const endTime = startTime + DAY_MS;
  const terms = {
    tokenId: 1,
    rewardAmount: 10n ** 12n,
    feeAmount: 0n,
    startTime,
    endTime,
    duration: DAY_MS,
    gigType: 'like',
    platform: 'farcaster',
    howToEarn: null,
    earningCriteria: null,
    externalUrl: null,
    verifier: null,
  } as const;
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) {
    await store.transaction(async (tx) => {
      const { id } = await tx.insertGig(terms, { now: startTime, walletAddress: wallets.gigAddress });
      const target = { kind: 'post', postId: castOf(number), authorId: AUTHOR } as const;
      await tx.keepEarningRules(id, { given: null, rules, target });
      await tx.lockGig(id, { holder: 'bench', now: startTime, until: startTime + 60_000 });
      await tx.markLive(id, { holder: 'bench', startTime, endTime });
      await tx.openWatch(id, { target, nextAt: startTime });
      ids.push(id);
    });
  }
  await store.close();
  return ids[0] ?? 0;
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
