import { describe, expect, test } from 'vitest';
import { sampleMention, seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeMentions({ store, openAgain, change, write }: Subject): void {
  describe('mentions', () => {
    test('behavior: a mention comes back as it was inserted, waiting', async () => {
      const mention = sampleMention({
        platform: 'twitter',
        postId: '501',
        replyTo: '502',
        threadId: '400',
        authorId: '77',
        authorUsername: null,
        text: 'grüß 🎩 \u0001 gott',
        postedAt: 123,
      });
      const id = await write.insertMention(mention, { now: 456, source: 'poll' });
      const expected = {
        ...mention,
        id,
        receivedAt: 456,
        source: 'poll',
        state: 'received',
        attempts: 0,
        ignoreReason: null,
        lastError: null,
      };
      expect(await store.mentionByPost('twitter', '501')).toEqual(expected);
      expect(await store.mention(id ?? 0)).toEqual(expected);
    });

    test('behavior: a post is kept once for each platform, as it was first seen', async () => {
      const id = await seedMention(store, { postId: '1', text: 'first' });
      const insert = (overrides: object) =>
        write.insertMention(sampleMention({ postId: '1', ...overrides }), { now: 2, source: 'poll' });
      expect([await insert({ text: 'second' }), await insert({ authorId: '999' })]).toEqual([null, null]);
      expect(await insert({ platform: 'twitter' })).not.toBeNull();
      expect(await store.mention(id)).toMatchObject({ text: 'first', source: 'webhook' });
    });

    test('behavior: a new one labels its author as of its post, or of now when that is earlier', async () => {
      const author = { platform: 'farcaster', platformUserId: '1001' } as const;
      const name = async () => (await store.account(author))?.username;
      await seedMention(store, { postId: '1', authorUsername: 'first', postedAt: 10 }, 100);
      await write.setUsername({ ...author, username: 'second' }, 200, 50);
      const known = sampleMention({ postId: '1', authorUsername: 'known', postedAt: 200 });
      await write.insertMention(known, { now: 200, source: 'poll' });
      expect(await name()).toBe('second');
      await seedMention(store, { postId: '2', authorUsername: 'third', postedAt: 9_000 }, 300);
      await write.setUsername({ ...author, username: 'fourth' }, 400);
      expect(await name()).toBe('fourth');
    });

    test('behavior: of many deliveries at once, through two stores, exactly one is new', async () => {
      const other = await openAgain();
      const all = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? store : other).transaction((tx) =>
          tx.insertMention(sampleMention({ postId: 'same' }), { now: 1, source: 'webhook' }),
        ),
      );
      expect((await Promise.all(all)).filter((id) => id !== null)).toHaveLength(1);
    });

    test('behavior: a known post does not become unknown by being refused in a batch', async () => {
      await seedMention(store, { postId: '1' });
      const ids = await change(async (tx) => [
        await tx.insertMention(sampleMention({ postId: '1' }), { now: 1, source: 'poll' }),
        await tx.insertMention(sampleMention({ postId: '2' }), { now: 1, source: 'poll' }),
      ]);
      expect(ids[0]).toBeNull();
      expect(ids[1]).not.toBeNull();
    });

    test('behavior: mentions that are not there are null', async () => {
      expect(await store.mention(1)).toBeNull();
      expect(await store.mentionByPost('farcaster', '1')).toBeNull();
    });

    test('behavior: lists are newest first, page by page, by state', async () => {
      const ids = [];
      for (let i = 1; i <= 5; i++) ids.push(await seedMention(store, { postId: `${i}`, authorId: `${i}` }));
      const [first = 0, second, third, fourth, fifth] = ids;
      const request = { platforms: ['farcaster' as const], lease: 'l', now: 2e12, until: 3e12 };
      await change(async (tx) => {
        await tx.leaseMention(request);
        await tx.markAnswered(first, 'l');
      });
      const list = async (query: Parameters<Subject['store']['mentions']>[0]) =>
        (await store.mentions(query)).map(({ id }) => id);
      expect(await list({ limit: 2 })).toEqual([fifth, fourth]);
      expect(await list({ limit: 2, before: fourth })).toEqual([third, second]);
      expect(await list({ limit: 9, state: 'answered' })).toEqual([first]);
      expect(await list({ limit: 9, state: 'received', before: fourth })).toEqual([third, second]);
      expect(await list({ limit: 9, state: 'failed' })).toEqual([]);
      expect(await store.mentionDepths()).toEqual({ received: 4, answered: 1, ignored: 0, failed: 0 });
    });
  });
}
