import { describe, expect, test } from 'vitest';
import type { NewGig } from '../../../src/domain/gigs/gig.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips, seedToken } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const WINDOW = { startTime: SEEDED_AT, endTime: SEEDED_AT + 86_400_000 };

/** Terms of which none is as in a gig that is seeded. */
export const OTHER_TERMS = {
  rewardAmount: 2n ** 255n,
  feeAmount: 7n,
  startTime: 1_000,
  endTime: 3_000,
  duration: 2_000,
  gigType: 'custom_bounty',
  platform: 'twitter',
  title: 'Launch week',
  howToEarn: 'Do it',
  earningCriteria: 'Well',
  externalUrl: 'https://x.example/1',
  verifier: 'somebody',
  refundAddress: seedAddress(0xfee),
  refundName: 'alice.eth',
  awardDays: 90,
  start: 'when_funded',
  ownersMayAward: true,
} as const satisfies Omit<NewGig, 'tokenId'>;

export function describeGigTerms({ store, write }: Subject): void {
  const change = (id: number, terms: NewGig, now = SEEDED_AT) => write.changeTerms(id, { terms, now });
  const lock = (id: number, holder: string, now: number, until: number) => write.lockGig(id, { holder, now, until });
  const goLive = (id: number, holder: string) => write.markLive(id, { holder, ...WINDOW });

  async function otherTerms(): Promise<NewGig> {
    const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC', decimals: 6 });
    return { ...OTHER_TERMS, tokenId: usdc.id };
  }

  describe('the terms of a gig', () => {
    test('behavior: change all of them, and nothing else', async () => {
      const before = await seedGig(store);
      const bystander = await seedGig(store);
      expect(await change(before.id, await otherTerms())).toBe(true);
      const { token, ...changed } = (await store.gig(before.id)) ?? before;
      const { token: _, ...same } = before;
      expect(token.symbol).toBe('USDC');
      expect(changed).toEqual({ ...same, ...OTHER_TERMS, startUntil: SEEDED_AT + 30 * 86_400_000 });
      expect(await store.gig(bystander.id)).toEqual(bystander);
    });

    test('behavior: can be taken away again', async () => {
      const { id } = await seedGig(store, { howToEarn: 'Do it', verifier: 'somebody' });
      const none = { title: null, howToEarn: null, earningCriteria: null, externalUrl: null, verifier: null };
      const terms = { ...(await otherTerms()), ...none };
      expect(await change(id, terms)).toBe(true);
      expect(await store.gig(id)).toMatchObject(none);
    });

    test('security: what a caller hands in besides them changes nothing', async () => {
      const { id } = await seedGig(store);
      const live = await seedGig(store, { live: true });
      await seedTips(store, live, [{ platform: 'farcaster', platformUserId: '7', amount: 5n }]);
      const whole = { ...(await store.gig(live.id)), ...(await otherTerms()) };
      const expected = { id, status: 'created', production: false, awardedAmount: 0n, walletAddress: seedAddress(id) };
      expect(await change(id, whole)).toBe(true);
      expect(await store.gig(id)).toMatchObject(expected);
      const options = { now: 1, walletAddress: seedAddress };
      const copy = await write.insertGig(whole, options);
      expect(copy).toMatchObject({ ...expected, id: 3, createdAt: 1, walletAddress: seedAddress(3) });
    });

    test('security: a live gig keeps its own', async () => {
      const gig = await seedGig(store, { live: true });
      expect(await change(gig.id, await otherTerms(), SEEDED_AT + 1e12)).toBe(false);
      expect(await store.gig(gig.id)).toEqual(gig);
    });

    test('behavior: a gig that is not there has none', async () => {
      expect(await change(99, await otherTerms())).toBe(false);
    });

    test('security: wait while somebody starts the gig, until the lease is over', async () => {
      const gig = await seedGig(store);
      const terms = await otherTerms();
      await lock(gig.id, 'a', 1_000, 1_100);
      expect(await change(gig.id, terms, 1_099)).toBe(false);
      expect(await store.gig(gig.id)).toEqual(gig);
      expect(await change(gig.id, terms, 1_100)).toBe(true);
      expect((await store.gig(gig.id))?.feeAmount).toBe(7n);
    });

    test('security: a start that outlived its lease does not go live on terms it has not seen', async () => {
      const { id } = await seedGig(store);
      await lock(id, 'slow', 1_000, 1_100);
      await change(id, await otherTerms(), 1_100);
      expect(await goLive(id, 'slow')).toBe(false);
      expect((await store.gig(id))?.status).toBe('created');
      expect(await lock(id, 'slow', 1_200, 1_300)).toBe(true);
    });

    test('behavior: change as soon as the lock is given back', async () => {
      const { id } = await seedGig(store);
      await lock(id, 'a', 1_000, 1_100);
      await write.unlockGig(id, 'a');
      expect(await change(id, await otherTerms(), 1_001)).toBe(true);
    });

    test('error: an unknown token, a negative amount, or a window that is not its duration is refused', async () => {
      const gig = await seedGig(store);
      const terms = await otherTerms();
      await expect(change(gig.id, { ...terms, tokenId: 99 })).rejects.toThrow();
      await expect(change(gig.id, { ...terms, rewardAmount: -1n })).rejects.toThrow();
      await expect(change(gig.id, { ...terms, endTime: 3_001 })).rejects.toThrow();
      expect(await store.gig(gig.id)).toEqual(gig);
    });
  });
}
