import { describe, expect, test } from 'vitest';
import { SEEDED_AT, sampleClaim, seedGig, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;
const HASH = 'a'.repeat(64);
const UNIT = 10n ** 18n;

export function describeOperator({ store, change, write }: Subject): void {
  const insertKey = () => {
    const times = { createdAt: 1, expiresAt: null };
    return write.insertApiKey({ name: 'shop', hash: HASH, scopes: ['operator'], client: 'shop', ...times });
  };
  const pending = async () => (await store.pendingTips([ALICE])).tips.map(({ id }) => id);
  const voidTip = (id: number) => write.voidTip(id, { reason: 'a mistake', now: SEEDED_AT + 1 });

  describe('a tip that is taken back', () => {
    test('behavior: is found by no look-up, counts for nothing, and leaves the rest of its gig as it was', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [
        { ...ALICE, amount: 3n * UNIT },
        { ...ALICE, amount: 4n * UNIT },
      ]);
      expect(await voidTip(1)).toBe(true);
      expect(await pending()).toEqual([2]);
      expect((await store.gig(gig.id))?.awardedAmount).toBe(4n * UNIT);
      expect(await store.hasTip(gig.id, ALICE)).toBe(true);
      expect(await voidTip(2)).toBe(true);
      expect((await store.gig(gig.id))?.awardedAmount).toBe(0n);
      expect(await store.hasTip(gig.id, ALICE)).toBe(false);
      const expected = { status: 'pending', voidedAt: SEEDED_AT + 1, voidReason: 'a mistake' };
      expect(await store.tip(1)).toMatchObject(expected);
      expect(await store.tip(9)).toBeNull();
    });

    test('security: is none that a running claim holds, and none that was taken back before; no claim takes it', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [ALICE, ALICE]);
      expect([await voidTip(1), await voidTip(1), await voidTip(9)]).toEqual([true, false, false]);
      const taken = await change(async (tx) => {
        const claim = await tx.insertClaim(sampleClaim(ALICE, 'post'));
        return await tx.takeTips(claim, { now: SEEDED_AT, lockTimeout: SEEDED_AT + 1 });
      });
      expect(taken.map(({ id }) => id)).toEqual([2]);
      expect(await voidTip(2)).toBe(false);
      expect((await store.gig(gig.id))?.awardedAmount).toBe(UNIT);
    });

    test('behavior: names the key that awarded it', async () => {
      const { id: key } = await insertKey();
      const gig = await seedGig(store, { live: true });
      const tip = { ...ALICE, gigId: gig.id, tokenId: gig.token.id, amount: 1n, userAddress: null };
      await write.insertTips([tip], SEEDED_AT, key);
      expect(await store.tip(1)).toMatchObject({ awardedBy: key, voidedAt: null, voidReason: null });
    });
  });

  describe('the client of a gig', () => {
    test('security: is set once', async () => {
      const { id } = await seedGig(store);
      const assign = (gigId: number, client: string) => write.assignGig(gigId, client);
      expect([await assign(id, 'shop'), await assign(id, 'other')]).toEqual([true, false]);
      expect(await assign(99, 'shop')).toBe(false);
      expect((await store.gig(id))?.client).toBe('shop');
    });
  });

  describe('the operator’s freeze of a gig', () => {
    test('behavior: stands beside what an audit found, and neither ends the other', async () => {
      const { id } = await seedGig(store, { live: true });
      const byOperator = (reason: string | null) => write.freezeByOperator(id, reason);
      const found = (reason: string | null) => write.freezeGig(id, { reason, now: SEEDED_AT });
      expect([await byOperator('a leak'), await byOperator('again')]).toEqual([true, false]);
      expect(await store.gigFreeze(id)).toBe('a leak');
      await found('it does not add up');
      expect(await store.frozenGigs()).toEqual([{ gigId: id, reason: 'it does not add up', isByOperator: false }]);
      await found(null);
      expect(await store.frozenGigs()).toEqual([{ gigId: id, reason: 'a leak', isByOperator: true }]);
      await found('it does not add up');
      expect([await byOperator(null), await byOperator(null)]).toEqual([true, false]);
      expect(await store.gigFreeze(id)).toBe('it does not add up');
      await found(null);
      expect(await store.frozenGigs()).toEqual([]);
    });
  });

  describe('owners', () => {
    test('behavior: are removed one by one', async () => {
      const { id } = await seedGig(store, { owners: [ALICE, { ...ALICE, platformUserId: '8' }] });
      const remove = () => write.removeGigOwner(id, ALICE);
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect(await store.ownsGig(id, ALICE)).toBe(false);
      expect(await store.gigOwners(id)).toMatchObject([{ platformUserId: '8' }]);
    });
  });

  describe('log-in links', () => {
    test('security: are used up by one of any number of tries, and not after their end', async () => {
      const link = { hash: HASH, createdAt: 1, expiresAt: 20 };
      expect(await write.insertLoginLink(link)).toBe(1);
      const take = (hash: string, now: number) => write.useLoginLink(hash, now);
      expect([await take(HASH, 20), await take('b'.repeat(64), 10)]).toEqual([null, null]);
      expect((await Promise.all([take(HASH, 10), take(HASH, 10)])).filter((taken) => taken !== null)).toEqual([1]);
      await expect(write.insertLoginLink({ ...link, hash: 'the-token-itself' })).rejects.toThrow();
    });
  });

  describe('the end of a key', () => {
    test('behavior: comes when it was to come at the latest', async () => {
      const { id } = await insertKey();
      const end = (at: number) => write.endApiKey(id, at);
      expect([await end(50), await end(90)]).toEqual([true, true]);
      expect((await store.apiKey(id))?.expiresAt).toBe(50);
      await write.revokeApiKey(id, 40);
      expect(await end(45)).toBe(false);
    });
  });

  describe('the audit trail', () => {
    test('behavior: lists what was done, newest first, of one gig or by one key', async () => {
      const { id: key } = await insertKey();
      const { id: gig } = await seedGig(store);
      const event = {
        at: 5,
        actor: 'api_key',
        actorName: 'shop',
        apiKeyId: key,
        client: 'shop',
        requestId: 'r-1',
        action: 'gig.create',
        subject: 'gig',
        subjectId: String(gig),
        gigId: gig,
        detail: '{"reward":"9"}',
      } as const;
      const job = { ...event, actor: 'job', actorName: 'payments', apiKeyId: null, client: null } as const;
      const other = { ...event, gigId: null, subject: 'key', subjectId: '1', action: 'key.revoke' } as const;
      for (const each of [event, job, other]) {
        await write.insertAuditEvent(each);
      }
      const ids = async (query: { limit: number; before?: number; gigId?: number; apiKeyId?: number }) =>
        (await store.auditEvents(query)).map(({ id }) => id);
      expect(await ids({ limit: 9 })).toEqual([3, 2, 1]);
      expect(await ids({ limit: 1, before: 3 })).toEqual([2]);
      expect(await ids({ limit: 9, gigId: gig })).toEqual([2, 1]);
      expect(await ids({ limit: 9, apiKeyId: key })).toEqual([3, 1]);
      expect(await ids({ limit: 9, gigId: gig, apiKeyId: key })).toEqual([1]);
      expect(await store.auditEvents({ limit: 1, before: 2 })).toEqual([{ id: 1, ...event }]);
    });
  });
}
