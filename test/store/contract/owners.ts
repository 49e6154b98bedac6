import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import { seedAddress, seedMention, seedToken } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'twitter', platformUserId: '22' } as const;
const WALLET = seedAddress(1);
const OTHER = seedAddress(2);

export function describeOwners({ store, change, write }: Subject): void {
  /** A mention of its own for each post, and the link that it asks for. */
  async function link(account: AccountKey, postId: string, wallet = WALLET): Promise<number> {
    const mentionId = await seedMention(store, {
      platform: account.platform,
      authorId: account.platformUserId,
      authorUsername: null,
      postId,
    });
    await write.insertLink(account, { wallet, postId, mentionId, createdAt: 10 });
    return mentionId;
  }

  const linkId = async (account: typeof ALICE | typeof BOB) => (await store.linkOf(account))?.id ?? 0;
  const linkedTo = async (wallet: typeof WALLET, now: number) =>
    (await store.accountsLinkedTo(wallet, now)).map(({ platformUserId }) => platformUserId);

  describe('links of accounts to wallets', () => {
    let mentionId: number;
    beforeEach(async () => {
      mentionId = await link(ALICE, '0xa1');
    });

    test('behavior: a link waits, is valid from its confirmation on, and is read with its account', async () => {
      const waiting = { ...ALICE, id: 1, wallet: WALLET, postId: '0xa1', mentionId, createdAt: 10, validFrom: null };
      expect(await store.linkOf(ALICE)).toEqual(waiting);
      expect(await linkedTo(WALLET, 1_000)).toEqual([]);
      await write.setUsername({ ...ALICE, username: 'alice' }, 5);
      expect([await write.confirmLink(1, 20), await write.confirmLink(1, 30)]).toEqual([true, false]);
      expect(await store.linkOf(ALICE)).toEqual({ ...waiting, validFrom: 20 });
      expect(await linkedTo(WALLET, 19)).toEqual([]);
      expect(await store.accountsLinkedTo(WALLET, 20)).toEqual([{ ...ALICE, username: 'alice' }]);
      expect(await linkedTo(OTHER, 20)).toEqual([]);
      // A clock that is set back does not take it away.
      await write.endWaits({ now: 15, leaseMs: 1 });
      expect(await linkedTo(WALLET, 15)).toEqual(['1001']);
    });

    test('behavior: several accounts of one wallet are listed, the oldest link first, but those that have opted out', async () => {
      await link(BOB, '7');
      for (const account of [ALICE, BOB]) {
        const id = await linkId(account);
        await write.confirmLink(id, 20);
      }
      expect(await linkedTo(WALLET, 20)).toEqual(['1001', '22']);
      expect((await store.linksTo(WALLET)).map(({ validFrom }) => validFrom)).toEqual([20, 20]);
      await write.setOptedOut(ALICE, true, 21);
      expect(await linkedTo(WALLET, 21)).toEqual(['22']);
      await write.setOptedOut(ALICE, false, 22);
      expect(await linkedTo(WALLET, 22)).toEqual(['1001', '22']);
      expect(await write.endLinksTo(OTHER, 23)).toEqual([]);
      expect((await write.endLinksTo(WALLET, 23)).map(({ platform }) => platform).toSorted()).toEqual([
        'farcaster',
        'twitter',
      ]);
      expect(await linkedTo(WALLET, 24)).toEqual([]);
      expect(await store.linksTo(WALLET)).toEqual([]);
    });

    test('security: strangers who link their accounts to a wallet displace no earlier one', async () => {
      await write.confirmLink(1, 20);
      for (let id = 2; id <= 101; id += 1) {
        await link({ platform: 'twitter', platformUserId: String(id) }, String(id));
        await write.confirmLink(id, 30);
      }
      const accounts = await linkedTo(WALLET, 40);
      expect([accounts.length, accounts[0]]).toEqual([100, '1001']);
      expect((await store.linksTo(WALLET))[0]).toMatchObject(ALICE);
    });

    test('security: an account has one link, and one that was ended never comes back', async () => {
      await expect(link(ALICE, '0xa2', OTHER)).rejects.toThrow();
      expect([await write.endLinkOf(ALICE, 20), await write.endLinkOf(ALICE, 21)]).toEqual([WALLET, null]);
      expect(await write.confirmLink(1, 22)).toBe(false);
      expect(await write.refuseLink(1, 22)).toBe(false);
      expect(await store.linkOf(ALICE)).toBeNull();
      // A mention links once, even after its link is ended.
      const again = { wallet: WALLET, postId: '0xa1', mentionId, createdAt: 10 };
      await expect(write.insertLink(ALICE, again)).rejects.toThrow();
      await link(ALICE, '0xa3', OTHER);
      expect(await store.linkOf(ALICE)).toMatchObject({ wallet: OTHER, validFrom: null });
    });

    test('behavior: is to be checked once its reply was sent for so long, and while it waits', async () => {
      const due = async (sentBefore: number, since = 0) =>
        (await store.linksToCheck({ since, sentBefore })).map(({ postId }) => postId);
      expect(await due(1_000)).toEqual([]);
      const replyId = await write.queueReply({ mentionId, kind: 'answer', text: 'linked' }, 10);
      expect(await due(1_000)).toEqual([]);
      await change(async (tx) => {
        await tx.leaseReply('farcaster', { lease: 'one', now: 10, until: 20 });
        await tx.markSending(replyId, 'one');
        await tx.markSent(replyId, { lease: 'one', postId: '0xb1', now: 12 });
      });
      expect(await due(11)).toEqual([]);
      expect(await due(12)).toEqual(['0xa1']);
      expect(await due(12, 10)).toEqual([]);
      expect(await write.refuseLink(1, 13)).toBe(true);
      expect(await due(12)).toEqual([]);
    });
  });

  describe('what owners may', () => {
    test('behavior: owners are allowed and disallowed once, and listed from the newest on', async () => {
      expect(await write.allowOwner('farcaster:1001', 5)).toBe(true);
      expect(await write.allowOwner('farcaster:1001', 6)).toBe(false);
      expect(await write.allowOwner(`wallet:${WALLET}`, 7)).toBe(true);
      const listed = await store.allowedOwners({ limit: 9 });
      expect(listed).toMatchObject([
        { owner: `wallet:${WALLET}`, allowedAt: 7 },
        { owner: 'farcaster:1001', allowedAt: 5 },
      ]);
      expect(await store.allowedOwners({ limit: 9, before: listed[0]?.id })).toEqual(listed.slice(1));
      expect(await store.isOwnerAllowed('farcaster:1001')).toBe(true);
      expect(await write.disallowOwner('farcaster:1001')).toBe(true);
      expect(await write.disallowOwner('farcaster:1001')).toBe(false);
      expect(await store.isOwnerAllowed('farcaster:1001')).toBe(false);
    });

    test('behavior: a token is offered and withdrawn once, which allows it no gas', async () => {
      const token = await seedToken(store);
      expect(await store.offeredTokens()).toEqual([]);
      expect(await write.offerToken(token.id, true)).toBe(true);
      expect(await write.offerToken(token.id, true)).toBe(false);
      expect(await store.offeredTokens()).toEqual([token]);
      expect(await write.allowToken(token.id, false)).toBe(false);
      expect(await write.offerToken(token.id, false)).toBe(true);
      expect(await write.offerToken(token.id + 1, true)).toBe(false);
      expect(await store.offeredTokens()).toEqual([]);
    });
  });
}
