import { describe, expect, test } from 'vitest';
import type { Mention, ReplyKind } from '../../../src/domain/mention.ts';
import { seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeReplies(subject: Subject): void {
  async function queue(
    postId: string,
    overrides: Partial<Mention> = {},
    reply: { kind?: ReplyKind; now?: number } = {},
  ) {
    const mentionId = await seedMention(subject.store, { postId, ...overrides }, 10);
    const { kind = 'answer', now = 10 } = reply;
    return await subject.store.transaction((tx) => tx.queueReply({ mentionId, kind, text: `to ${postId}` }, now));
  }

  /** Sends the next reply and answers its id. */
  async function send(postId: string): Promise<number> {
    return await subject.store.transaction(async (tx) => {
      const reply = await tx.leaseReply('farcaster', { lease: 'l', now: 1e6, until: 2e6 });
      if (reply === null) throw new Error('nothing to send');
      await tx.markSending(reply.id, 'l');
      await tx.markSent(reply.id, { lease: 'l', postId, now: 1e6 });
      return reply.id;
    });
  }

  describe('replies', () => {
    test('behavior: a queued reply comes back with what is needed to send it', async () => {
      const mentionId = await seedMention(subject.store, { postId: 'p', replyTo: 'r', threadId: 't', authorId: '9' });
      const id = await subject.store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text: 'hi' }, 30));
      const expected = {
        id,
        mentionId,
        platform: 'farcaster',
        kind: 'answer',
        text: 'hi',
        worth: 2,
        createdAt: 30,
        state: 'queued',
        attempts: 0,
        postId: null,
        sentAt: null,
        lastError: null,
        mention: { postId: 'p', replyTo: 'r', threadId: 't', authorId: '9' },
      };
      expect(await subject.store.reply(id)).toEqual(expected);
      expect(await subject.store.replyTo(mentionId)).toEqual(expected);
    });

    test('behavior: replies that are not there are null', async () => {
      expect(await subject.store.reply(1)).toBeNull();
      expect(await subject.store.replyTo(1)).toBeNull();
    });

    test('error: a second reply to a mention is refused, and whatever came with it', async () => {
      const id = await queue('p1');
      const first = await subject.store.reply(id);
      const mentionId = first?.mentionId ?? 0;
      const again = subject.store.transaction(async (tx) => {
        await tx.setPollCursor('farcaster', 'moved', 1);
        await tx.queueReply({ mentionId, kind: 'answer', text: 'again' }, 40);
      });
      await expect(again).rejects.toThrow();
      expect(await subject.store.replyTo(mentionId)).toEqual(first);
      expect(await subject.store.pollCursor('farcaster')).toBeNull();
    });

    test('error: a reply to no mention is refused', async () => {
      const queued = subject.store.transaction((tx) => tx.queueReply({ mentionId: 9, kind: 'answer', text: 'x' }, 1));
      await expect(queued).rejects.toThrow('there is no mention 9 to reply to');
    });

    test('behavior: replies to an author are counted from a time on, by kind, on one platform', async () => {
      await queue('p1', { authorId: '5' }, { now: 99 });
      await queue('p2', { authorId: '5' }, { now: 100 });
      await queue('p3', { authorId: '5' }, { now: 200, kind: 'unasked_help' });
      await queue('p4', { authorId: '5', platform: 'twitter' }, { now: 200 });
      await queue('p5', { authorId: '6' }, { now: 200 });
      const count = (query: { since: number; kind?: ReplyKind }) =>
        subject.store.countRepliesToAuthor({ platform: 'farcaster', platformUserId: '5' }, query);
      expect(await count({ since: 100 })).toBe(2);
      expect(await count({ since: 0 })).toBe(3);
      expect(await count({ since: 201 })).toBe(0);
      expect(await count({ since: 0, kind: 'unasked_help' })).toBe(1);
      expect(await count({ since: 0, kind: 'answer' })).toBe(2);
    });

    test('behavior: replies in a thread are counted from a time on, on one platform', async () => {
      await queue('p1', { threadId: 't', authorId: '5' }, { now: 99 });
      await queue('p2', { threadId: 't', authorId: '6' }, { now: 100 });
      await queue('p3', { threadId: 't', platform: 'twitter' }, { now: 100 });
      await queue('p4', { threadId: 'u' }, { now: 100 });
      const count = (since: number) =>
        subject.store.countRepliesInThread({ platform: 'farcaster', threadId: 't' }, { since });
      expect([await count(0), await count(100), await count(101)]).toEqual([2, 1, 0]);
    });

    test('behavior: replies sent are counted from a time on, on one platform, with those being sent now', async () => {
      const sendAt = async (postId: string, now: number, platform: 'farcaster' | 'twitter' = 'farcaster') => {
        await queue(postId, { platform });
        await subject.store.transaction(async (tx) => {
          const reply = await tx.leaseReply(platform, { lease: 'l', now, until: 1e9 });
          await tx.markSending(reply?.id ?? 0, 'l');
          await tx.markSent(reply?.id ?? 0, { lease: 'l', postId: `0x${postId}`, now });
        });
      };
      await sendAt('p1', 99);
      await sendAt('p2', 100);
      await sendAt('p3', 200);
      await sendAt('p4', 200, 'twitter');
      await queue('p5');
      const count = (since: number, until = 1e9) => subject.store.countRepliesSent('farcaster', { since, until });
      expect([await count(0), await count(100), await count(201)]).toEqual([3, 2, 0]);
      expect([await count(0, 199), await count(100, 100), await count(0, 98)]).toEqual([2, 1, 0]);
      await subject.store.transaction(async (tx) => {
        const reply = await tx.leaseReply('farcaster', { lease: 'm', now: 300, until: 1e9 });
        await tx.markSending(reply?.id ?? 0, 'm');
      });
      expect([await count(0), await count(201)]).toEqual([4, 1]);
      expect(await subject.store.countRepliesSent('twitter', { since: 201, until: 1e9 })).toBe(0);
    });

    test('behavior: the bot knows its own posts, on the platform they are on', async () => {
      await queue('p1');
      expect(await subject.store.isOwnPost('farcaster', '0xsent')).toBe(false);
      await send('0xsent');
      expect(await subject.store.isOwnPost('farcaster', '0xsent')).toBe(true);
      expect(await subject.store.isOwnPost('twitter', '0xsent')).toBe(false);
      expect(await subject.store.isOwnPost('farcaster', 'p1')).toBe(false);
    });

    test('behavior: lists are newest first, page by page, by state; depths count each state', async () => {
      const ids = [];
      for (let i = 1; i <= 4; i++) ids.push(await queue(`p${i}`, {}, { now: i }));
      const [first, second, third, fourth] = ids;
      expect(await send('s1')).toBe(first);
      const list = async (query: Parameters<Subject['store']['replies']>[0]) =>
        (await subject.store.replies(query)).map(({ id }) => id);
      expect(await list({ limit: 2 })).toEqual([fourth, third]);
      expect(await list({ limit: 2, before: third })).toEqual([second, first]);
      expect(await list({ limit: 9, state: 'sent' })).toEqual([first]);
      expect(await list({ limit: 9, state: 'queued', before: fourth })).toEqual([third, second]);
      expect(await subject.store.queueDepths()).toEqual({
        mentions: 4,
        replies: { queued: 3, sending: 0, sent: 1, failed: 0, unknown: 0 },
      });
    });
  });
}
