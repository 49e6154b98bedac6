import { beforeEach, describe, expect, test } from 'vitest';
import type { Telling } from '../../../src/domain/gigs/notice.ts';
import { SEEDED_AT, seedGig, seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

export function describeTellings({ store, write }: Subject): void {
  let telling: Telling;

  const notice = (mentionId: number, event: 'live' | 'ended' = 'live', gigId = 1) =>
    write.queueReply({ mentionId, kind: 'notice', text: event, notice: { gigId, event } }, 10);

  describe('what owners are told', () => {
    beforeEach(async () => {
      const { id: gigId } = await seedGig(store, { owners: [ALICE] });
      const mentionId = await seedMention(store);
      telling = { gigId, owner: ALICE, mentionId, asked: true, state: 'open', told: ['funded'] };
      await write.storeTelling(telling);
    });

    test('behavior: is kept once for each gig and owner', async () => {
      expect(await store.telling(1, ALICE)).toEqual(telling);
      expect(await store.telling(1, { ...ALICE, platformUserId: '1002' })).toBeNull();
      const mentionId = await seedMention(store, { postId: 'later' });
      const later = { ...telling, mentionId, asked: false, told: ['funded', 'live'] } as const;
      await write.storeTelling(later);
      expect(await store.openTellings()).toEqual([later]);
    });

    test('behavior: is read with what decides about a gig’s events', async () => {
      expect(await store.gigFacts(1)).toEqual({
        status: 'created',
        createdAt: SEEDED_AT,
        start: 'on_request',
        startUntil: null,
        startTime: SEEDED_AT,
        endTime: SEEDED_AT + 86_400_000,
        stoppedAt: null,
        cancelledAt: null,
        settledAt: null,
        wentLiveAt: null,
        isRefunded: false,
        rewardAmount: 100n * 10n ** 18n,
        awardedAmount: 0n,
      });
      expect(await store.gigFacts(2)).toBeNull();
    });

    test('behavior: moves on from what was told, and not from anything else', async () => {
      const told = ['funded', 'live'] as const;
      expect(await write.markTold(telling, { from: ['live'], told })).toBe(false);
      expect(await write.markTold(telling, { from: ['funded'], told })).toBe(true);
      expect(await write.markTold(telling, { from: ['funded'], told })).toBe(false);
      expect(await store.telling(1, ALICE)).toMatchObject({ told });
    });

    test('behavior: is looked at no more once it is over or off', async () => {
      expect([await write.endTelling(telling), await write.endTelling(telling)]).toEqual([true, false]);
      expect(await write.markTold(telling, { from: ['funded'], told: ['live'] })).toBe(false);
      await write.storeTelling({ ...telling, state: 'off' });
      expect(await store.openTellings()).toEqual([]);
    });
  });

  describe('notices', () => {
    beforeEach(async () => {
      await seedGig(store, { owners: [ALICE] });
      await seedGig(store, { owners: [ALICE] });
    });

    test('behavior: stand beside the reply and the follow-up of a mention, each event of a gig once', async () => {
      const mentionId = await seedMention(store);
      const live = await notice(mentionId);
      const answer = await write.queueReply({ mentionId, kind: 'answer', text: 'hi' }, 10);
      const ended = await notice(mentionId, 'ended');
      const ofOther = await notice(mentionId, 'live', 2);
      const all = await store.repliesTo(mentionId);
      expect(all.map(({ id, notice }) => [id, notice?.event ?? null])).toEqual([
        [live, 'live'],
        [answer, null],
        [ended, 'ended'],
        [ofOther, 'live'],
      ]);
      expect(await store.replyTo(mentionId)).toMatchObject({ id: answer, notice: null });
      expect(await store.followUpTo(mentionId)).toBeNull();
      expect(await store.reply(ended)).toMatchObject({ kind: 'notice', notice: { gigId: 1, event: 'ended' } });
    });

    test('security: of one event to one account are refused, under another mention as well', async () => {
      const first = await seedMention(store);
      const second = await seedMention(store, { postId: 'later' });
      const ofOther = await seedMention(store, { postId: 'other', authorId: '1002' });
      await notice(first);
      await expect(notice(second)).rejects.toThrow();
      await notice(ofOther);
      expect(await store.replies({ limit: 9 })).toHaveLength(2);
    });

    test('security: are of their kind alone', async () => {
      const mentionId = await seedMention(store);
      const subjectOf = { gigId: 1, event: 'live' } as const;
      const queue = (reply: object) => write.queueReply({ mentionId, kind: 'answer', text: 'x', ...reply }, 10);
      await expect(queue({ kind: 'notice' })).rejects.toThrow('replies_notice');
      await expect(queue({ notice: subjectOf })).rejects.toThrow('replies_notice');
      await expect(queue({ kind: 'notice', notice: subjectOf, followUp: true })).rejects.toThrow('replies_notice');
    });

    test('behavior: that wait are not in the way of answers', async () => {
      const mentionId = await seedMention(store);
      await notice(mentionId);
      const window = { platform: 'farcaster', authorId: '1001' } as const;
      expect(await store.replyWindow(window, { since: 0 })).toEqual({ sentAt: [], sending: 0, queued: 0 });
    });

    test('behavior: that were given up are not among the replies that an account misses', async () => {
      await notice(await seedMention(store));
      expect(await write.giveUpReplies('farcaster', { worth: 2, dueBefore: 10, error: 'late' })).toBe(1);
      expect(await store.unpostedReplies(ALICE, { since: 0, limit: 9 })).toEqual([]);
    });
  });
}
