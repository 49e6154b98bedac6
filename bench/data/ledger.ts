import type { LocalToken } from '../../sandbox/chain.ts';
import type { Wallets } from '../../src/chain/wallets.ts';
import { ABSENT_TERMS } from '../../src/domain/gigs/terms.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/index.ts';
import { MIGRATIONS } from './sqlite.ts';

const DAY_MS = 86_400_000;

interface Plan {
  readonly wallets: Wallets;
  readonly chainId: number;
  readonly token: LocalToken;
  readonly gigs: number;
  /** Of each gig, to as many people. */
  readonly payments: number;
  /** Of each gig, in base units; ten for each payment when absent. */
  readonly reward?: bigint;
  /** Where everybody is paid who claims; nobody does when it is null. */
  readonly recipient: `0x${string}` | null;
}

/** The FID of one of the people, from 1. */
export function fidOf(person: number): string {
  return String(1_000 + person);
}

async function openGigs(store: Store, plan: Plan): Promise<{ gigIds: number[]; tokenId: number }> {
  const { wallets, chainId, token, gigs, payments, reward = BigInt(payments) * 10n } = plan;
  const now = Date.now();
  return await store.transaction(async (tx) => {
    const ids: number[] = [];
    const { name, symbol, decimals, address } = token;
    const { token: known } = await tx.ensureToken({
      createdAt: now,
      address,
      chainId,
      decimals,
      name,
      symbol,
      imageUrl: '',
      isNative: false,
      coingeckoId: null,
    });
    for (let count = 0; count < gigs; count++) {
      const gig = await tx.insertGig(
        {
          ...ABSENT_TERMS,
          tokenId: known.id,
          rewardAmount: reward,
          feeAmount: 0n,
          gigType: 'mention',
          platform: 'farcaster',
          startTime: now,
          duration: DAY_MS,
          endTime: now + DAY_MS,
          earningCriteria: null,
          externalUrl: null,
          awardDays: 0,
        },
        { now, walletAddress: wallets.gigAddress },
      );
      await tx.lockGig(gig.id, { holder: 'bench', now, until: now + 60_000 });
      await tx.markLive(gig.id, { holder: 'bench', startTime: now, endTime: now + DAY_MS });
      const start = { gigId: gig.id, tokenId: known.id, chainId, blockNumber: 0n, checkBlock: null };
      await tx.recordGigTransaction({ ...start, amount: gig.rewardAmount, commissionAmount: 0n }, now);
      ids.push(gig.id);
    }
    return { gigIds: ids, tokenId: known.id };
  });
}

/** One person has a tip from every gig, and may claim them: a payment from each gig's wallet. */
async function earn(
  store: Store,
  { chainId, recipient }: Plan,
  { gigIds, tokenId, person }: { gigIds: readonly number[]; tokenId: number; person: number },
): Promise<void> {
  const now = Date.now();
  const account = { platform: 'farcaster' as const, platformUserId: fidOf(person) };
  const added = gigIds.map((gigId) => {
    return { ...account, gigId, tokenId, amount: 1n, userAddress: null };
  });
  await store.transaction(async (tx) => {
    await tx.insertTips(added, now);
    if (recipient === null) return;
    const claim = await tx.insertClaim({
      ...account,
      postId: `0x${person.toString(16).padStart(40, '0')}`,
      source: 'url',
      recipient,
      publicId: `claim-${person}`,
      createdAt: now,
    });
    for (const tip of await tx.takeTips(claim, { now, lockTimeout: now + DAY_MS })) {
      const gig = await tx.gig(tip.gigId);
      if (gig === null) throw new Error(`there is no gig ${tip.gigId}`);
      await tx.planPayment(
        {
          kind: 'payout',
          chainId,
          gigId: gig.id,
          claimId: claim.id,
          tokenId: tip.tokenId,
          recipient,
          amount: tip.amount,
        },
        { now, tipIds: [tip.id] },
      );
    }
  });
}

/**
 * A database, as `openStore` names it, in which so many payments of so many gigs are planned, or can be claimed. The service pays them
 * at once.
 * @returns the ids of the gigs
 */
export async function prepareLedger(url: string, plan: Plan): Promise<readonly number[]> {
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  try {
    const { gigIds, tokenId } = await openGigs(store, plan);
    for (let person = 1; person <= plan.payments; person++) await earn(store, plan, { gigIds, tokenId, person });
    return gigIds;
  } finally {
    await store.close();
  }
}
