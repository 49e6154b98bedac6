import { describe, expect, test } from 'vitest';
import type { Mention, ReplyKind } from '../../../src/domain/mentions/mention.ts';
import { seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeReplies({ store, change, write }: Subject): void {
  async function queue(
    postId: string,
    overrides: Partial<Mention> = {},
    reply: { kind?: ReplyKind; now?: number } = {},
  ) {
    const mentionId = await seedMention(store, { postId, ...overrides }, 10);
    const { kind = 'answer', now = 10 } = reply;
    return await write.queueReply({ mentionId, kind, text: `to ${postId}` }, now);
  }

  /** Sends the next reply of a platform and answers its id. */
  const send = (postId: string, now = 1e6, platform = 'farcaster') =>
    change(async (tx) => {
      const reply = await tx.leaseReply(platform, { lease: 'l', now, until: 1e9 });
      if (reply === null) throw new Error('nothing to send');
      await tx.markSending(reply.id, 'l');
      await tx.markSent(reply.id, { lease: 'l', postId, now });
      return reply.id;
    });

  describe('replies', () => {
    test('behavior: a queued reply comes back with what is needed to send it', async () => {
      const mentionId = await seedMention(store, { postId: 'p', replyTo: 'r', threadId: 't', authorId: '9' });
      const id = await write.queueReply({ mentionId, kind: 'answer', text: 'hi' }, 30);
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
        followUp: false,
        notice: null,
        heldFor: null,
        mention: { postId: 'p', replyTo: 'r', threadId: 't', authorId: '9' },
      };
      expect(await store.reply(id)).toEqual(expected);
      expect(await store.replyTo(mentionId)).toEqual(expected);
    });

    test('behavior: replies that are not there are null', async () => {
      expect(await store.reply(1)).toBeNull();
      expect(await store.replyTo(1)).toBeNull();
    });

    test('error: a second reply to a mention is refused, and whatever came with it', async () => {
      const id = await queue('p1');
      const first = await store.reply(id);
      const mentionId = first?.mentionId ?? 0;
      const again = change(async (tx) => {
        await tx.setPollCursor('farcaster', 'moved', 1);
        await tx.queueReply({ mentionId, kind: 'answer', text: 'again' }, 40);
      });
      await expect(again).rejects.toThrow();
      expect(await store.replyTo(mentionId)).toEqual(first);
      expect(await store.pollCursor('farcaster')).toBeNull();
    });

    test('behavior: a mention has one reply that follows the first one up', async () => {
      const id = await queue('p1');
      const mentionId = (await store.reply(id))?.mentionId ?? 0;
      const follow = () => write.queueReply({ mentionId, kind: 'answer', text: 'it failed', followUp: true }, 40);
      expect(await store.followUpTo(mentionId)).toBeNull();
      const second = await follow();
      expect(await store.replyTo(mentionId)).toMatchObject({ id, followUp: false });
      expect(await store.followUpTo(mentionId)).toMatchObject({ id: second, followUp: true, text: 'it failed' });
      await expect(follow()).rejects.toThrow();
    });

    test('error: a reply to no mention is refused', async () => {
      const queued = write.queueReply({ mentionId: 9, kind: 'answer', text: 'x' }, 1);
      await expect(queued).rejects.toThrow('there is no mention 9 to reply to');
    });

    test('behavior: replies to an author are counted from a time on, by kind, on one platform', async () => {
      await queue('p1', { authorId: '5' }, { now: 99 });
      await queue('p2', { authorId: '5' }, { now: 100 });
      await queue('p3', { authorId: '5' }, { now: 200, kind: 'unasked_help' });
      await queue('p4', { authorId: '5', platform: 'twitter' }, { now: 200 });
      await queue('p5', { authorId: '6' }, { now: 200 });
      const count = (query: { since: number; until?: number; kind?: ReplyKind }) =>
        store.countRepliesToAuthor({ platform: 'farcaster', platformUserId: '5' }, query);
      const counts = [await count({ since: 100 }), await count({ since: 0 }), await count({ since: 201 })];
      expect(counts).toEqual([2, 3, 0]);
      expect(await count({ since: 0, until: 100 })).toBe(2);
      expect(await count({ since: 0, kind: 'unasked_help' })).toBe(1);
      expect(await count({ since: 0, kind: 'answer' })).toBe(2);
    });

    test('behavior: what has used a limit is told: sent since a time, perhaps being sent, and waiting', async () => {
      const first = await queue('p1', { threadId: 't', authorId: '5' }, { now: 1 });
      const second = await queue('p2', { threadId: 't', authorId: '5' }, { now: 2 });
      const third = await queue('p3', { threadId: 't', authorId: '6' }, { now: 3 });
      await queue('p4', { threadId: 'u', authorId: '5' }, { now: 4, kind: 'unasked_help' });
      await queue('p5', { threadId: 'u', authorId: '5' }, { now: 5 });
      await queue('p6', { platform: 'twitter', threadId: 't', authorId: '5' }, { now: 6 });
      const sentAt: Record<number, number> = { [first]: 99, [second]: 100 };
      await change(async (tx) => {
        for (const id of [first, second, third]) {
          await tx.leaseReply('farcaster', { lease: 'l', now: 10, until: 20 });
          await tx.markSending(id, 'l');
          const now = sentAt[id];
          if (now !== undefined) await tx.markSent(id, { lease: 'l', postId: `s${id}`, now });
        }
      });
      const toAuthor = { platform: 'farcaster', authorId: '5' } as const;
      const inThread = (threadId: string) => ({ platform: 'farcaster', threadId }) as const;
      const use = (...query: Parameters<Subject['store']['replyWindow']>) => store.replyWindow(...query);
      expect(await use(toAuthor, { since: 99 })).toEqual({ sentAt: [99, 100], sending: 0, queued: 2 });
      expect(await use(toAuthor, { since: 100 })).toEqual({ sentAt: [100], sending: 0, queued: 2 });
      expect((await use(toAuthor, { since: 0, until: 99 })).sentAt).toEqual([99]);
      expect(await use(inThread('t'), { since: 0 })).toEqual({ sentAt: [99, 100], sending: 1, queued: 0 });
      // Help that no author asked for counts against no thread.
      expect(await use(inThread('u'), { since: 0 })).toEqual({ sentAt: [], sending: 0, queued: 1 });
    });

    test('behavior: a held reply is due later, counts for its own window alone, and comes before younger ones', async () => {
      const ids = [];
      for (let i = 1; i <= 3; i++) ids.push(await queue(`p${i}`, { threadId: 't', authorId: '5' }, { now: i }));
      const [first = 0, second = 0, third = 0] = ids;
      const toAuthor = { platform: 'farcaster', authorId: '5' } as const;
      const inThread = { platform: 'farcaster', threadId: 't' } as const;
      const hold = (id: number, lease: string) =>
        write.holdReply(id, { lease, heldFor: 'thread', until: 500, reason: 'held: no room' });
      const lease = (name: string, now: number) =>
        write.leaseReply('farcaster', { lease: name, now, until: now + 100 });
      await lease('a', 10);
      expect([await hold(first, 'other'), await hold(first, 'a')]).toEqual([false, true]);
      const held = { state: 'queued', heldFor: 'thread', attempts: 0, lastError: 'held: no room' };
      expect(await store.reply(first)).toMatchObject(held);
      const none = { first: null, count: 0 };
      expect(await store.heldBefore(inThread, { id: third, worth: 2 })).toEqual({ first, count: 1 });
      expect(await store.heldBefore(inThread, { id: first, worth: 2 })).toEqual(none);
      expect(await store.heldBefore(toAuthor, { id: third, worth: 2 })).toEqual(none);
      // What is worth more waits behind nothing that is worth less.
      expect(await store.heldBefore(inThread, { id: third, worth: 1 })).toEqual(none);
      expect(await store.heldBefore(inThread, { id: first, worth: 3 })).toEqual({ first, count: 1 });
      expect(await store.replyWindow(inThread, { since: 0 })).toMatchObject({ queued: 3 });
      expect(await store.replyWindow(toAuthor, { since: 0 })).toMatchObject({ queued: 2 });
      expect((await lease('b', 10))?.id).toBe(second);
      expect((await lease('c', 10))?.id).toBe(third);
      expect(await lease('d', 109)).toBeNull();
      expect(await write.releaseReply(second, 50)).toBe(false);
      expect(await write.releaseReply(first, 50)).toBe(true);
      expect((await lease('e', 60))?.id).toBe(first);
      await write.markSending(first, 'e');
      expect(await store.reply(first)).toMatchObject({ state: 'sending', heldFor: null });
      expect(await hold(first, 'e')).toBe(false);
      // However one ends that was held, it is held no more.
      const takeAgain = async (id: number, name: string) => {
        expect([await hold(id, name), await write.releaseReply(id, 60)]).toEqual([true, true]);
        expect((await lease('f', 60))?.id).toBe(id);
      };
      await takeAgain(second, 'b');
      await write.markSent(second, { lease: 'f', postId: '0xsent', now: 60 });
      expect(await store.reply(second)).toMatchObject({ state: 'sent', heldFor: null });
      await takeAgain(third, 'c');
      await write.putReplyBack(third, { lease: 'f', state: 'queued', retryAt: 900, error: 'no luck' });
      expect(await store.reply(third)).toMatchObject({ state: 'queued', heldFor: null });
      expect(await write.releaseReply(third, 60)).toBe(false);
    });

    test('behavior: only a reply that was never tried gets another text', async () => {
      const id = await queue('p1');
      const revise = (text: string) => write.reviseReply(id, text);
      expect(await revise('another')).toBe(true);
      await change(async (tx) => {
        await tx.leaseReply('farcaster', { lease: 'l', now: 20, until: 30 });
        await tx.markSending(id, 'l');
        await tx.putReplyBack(id, { lease: 'l', state: 'queued', retryAt: 20, error: 'no luck' });
      });
      expect(await revise('too late')).toBe(false);
      expect((await store.reply(id))?.text).toBe('another');
    });

    test('behavior: an account’s replies that were not posted are found, newest first', async () => {
      const held = await queue('p1', { authorId: '5' }, { now: 10 });
      const failed = await queue('p2', { authorId: '5' }, { now: 20 });
      await queue('p3', { authorId: '5' }, { now: 30 });
      await queue('p4', { authorId: '6' }, { now: 30 });
      await change(async (tx) => {
        for (const id of [held, failed]) await tx.leaseReply('farcaster', { lease: `${id}`, now: 40, until: 50 });
        const reason = 'held: no room';
        await tx.holdReply(held, { lease: `${held}`, heldFor: 'author', until: 500, reason });
        await tx.putReplyBack(failed, { lease: `${failed}`, state: 'failed', retryAt: 0, error: 'given up' });
      });
      const found = async (query: { since: number; limit: number }) => {
        const account = { platform: 'farcaster', platformUserId: '5' } as const;
        return (await store.unpostedReplies(account, query)).map(({ id }) => id);
      };
      expect(await found({ since: 0, limit: 9 })).toEqual([failed, held]);
      expect(await found({ since: 11, limit: 9 })).toEqual([failed]);
      expect(await found({ since: 0, limit: 1 })).toEqual([failed]);
    });

    test('behavior: replies sent are counted from a time on, on one platform, with those being sent now', async () => {
      const sendAt = async (postId: string, now: number, platform = 'farcaster') => {
        await queue(postId, { platform });
        await send(`0x${postId}`, now, platform);
      };
      await sendAt('p1', 99);
      await sendAt('p2', 100);
      await sendAt('p3', 200);
      await sendAt('p4', 200, 'twitter');
      await queue('p5');
      const count = (since: number, until = 1e9) => store.countRepliesSent('farcaster', { since, until });
      expect([await count(0), await count(100), await count(201)]).toEqual([3, 2, 0]);
      expect([await count(0, 199), await count(100, 100), await count(0, 98)]).toEqual([2, 1, 0]);
      await change(async (tx) => {
        const reply = await tx.leaseReply('farcaster', { lease: 'm', now: 300, until: 1e9 });
        await tx.markSending(reply?.id ?? 0, 'm');
      });
      expect([await count(0), await count(201)]).toEqual([4, 1]);
      expect(await store.countRepliesSent('twitter', { since: 201, until: 1e9 })).toBe(0);
    });

    test('behavior: the bot knows its own posts, on the platform they are on', async () => {
      await queue('p1');
      expect(await store.isOwnPost('farcaster', '0xsent')).toBe(false);
      await send('0xsent');
      expect(await store.isOwnPost('farcaster', '0xsent')).toBe(true);
      expect(await store.isOwnPost('twitter', '0xsent')).toBe(false);
      expect(await store.isOwnPost('farcaster', 'p1')).toBe(false);
    });

    test('behavior: lists are newest first, page by page, by state; depths count each state', async () => {
      const ids = [];
      for (let i = 1; i <= 4; i++) ids.push(await queue(`p${i}`, {}, { now: i }));
      const [first, second, third, fourth] = ids;
      expect(await send('s1')).toBe(first);
      const list = async (query: Parameters<Subject['store']['replies']>[0]) =>
        (await store.replies(query)).map(({ id }) => id);
      expect(await list({ limit: 2 })).toEqual([fourth, third]);
      expect(await list({ limit: 2, before: third })).toEqual([second, first]);
      expect(await list({ limit: 9, state: 'sent' })).toEqual([first]);
      expect(await list({ limit: 9, state: 'queued', before: fourth })).toEqual([third, second]);
      expect(await store.queueDepths()).toEqual({
        mentions: 4,
        replies: { queued: 3, sending: 0, sent: 1, failed: 0, unknown: 0 },
      });
    });
  });
}
