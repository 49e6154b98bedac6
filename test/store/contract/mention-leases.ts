import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import { seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const BOTH: readonly Platform[] = ['farcaster', 'twitter'];

export function describeMentionLeases({ store, openAgain, write }: Subject): void {
  /** What is leased is the first of what is read to be due. */
  async function take(lease: string, now: number, platforms = BOTH) {
    const due = (await Promise.all(platforms.map((platform) => store.dueMentions(platform, now)))).flat();
    const [first] = due.toSorted((a, b) => a.dueAt - b.dueAt || a.id - b.id);
    const taken = await write.leaseMention({ platforms, lease, now, until: now + 100 });
    expect(first?.id).toBe(taken?.id);
    return taken;
  }
  const takeId = async (lease: string, now: number, platforms = BOTH) =>
    (await take(lease, now, platforms))?.id ?? null;
  /** A mention that is held under the lease a, since 20. */
  async function hold(): Promise<number> {
    const id = await seedMention(store, {}, 10);
    await take('a', 20);
    return id;
  }
  const putBack = (id: number, lease: string, retryAt: number | null) =>
    write.putMentionBack(id, { lease, retryAt, error: 'no luck' });
  const postpone = (id: number, lease: string, until: number) =>
    write.postponeMention(id, { lease, until, reason: 'not yet' });
  const answer = (id: number, lease: string) => write.markAnswered(id, lease);
  const ignore = (id: number, lease: string) => write.markIgnored(id, { lease, ignoreReason: 'thread_limit' });

  describe('leases on mentions', () => {
    test('behavior: the oldest waiting mention is held whole, under the lease', async () => {
      const first = await seedMention(store, { postId: '1', authorId: '1', platform: 'twitter' }, 10);
      const second = await seedMention(store, { postId: '2', authorId: '2' }, 11);
      const held = await take('a', 20);
      expect(held).toEqual({ ...(await store.mention(first)), attempts: 0, lease: 'a' });
      expect([await takeId('b', 20), await takeId('c', 20)]).toEqual([second, null]);
    });

    test('behavior: one that was read to be due is leased by its id, unless another worker has it or has ended it', async () => {
      const id = await seedMention(store, { postId: '1' }, 10);
      await seedMention(store, { postId: '2' }, 10);
      const lease = (name: string, now: number) => write.leaseDueMention(id, { lease: name, now, until: now + 100 });
      const [due, ...others] = await store.dueMentions('farcaster', 20);
      expect(due).toEqual({ ...(await store.mention(id)), dueAt: 10 });
      expect(others, 'the author’s younger one waits').toEqual([]);
      expect([await lease('a', 9), await lease('a', 20)]).toEqual([false, true]);
      expect(await store.mention(id)).toMatchObject({ state: 'received', attempts: 1 });
      expect([await lease('b', 119), await lease('b', 120)]).toEqual([false, true]);
      expect([await answer(id, 'a'), await answer(id, 'b')]).toEqual([false, true]);
      expect(await lease('c', 1_000)).toBe(false);
    });

    test('behavior: of many that are due sixteen are read at once, those that have been due longest', async () => {
      for (let author = 1; author <= 20; author += 1) {
        await seedMention(store, { postId: `${author}`, authorId: `${author}` }, 100 - author);
      }
      const due = await store.dueMentions('farcaster', 100);
      expect(due.map(({ dueAt }) => dueAt)).toEqual(Array.from({ length: 16 }, (_, place) => 80 + place));
    });

    test('behavior: nothing waits, nothing is held', async () => {
      expect(await take('a', 20)).toBeNull();
    });

    test('behavior: a lease that ends frees the mention, and the attempt counts', async () => {
      const id = await hold();
      expect(await takeId('b', 119)).toBeNull();
      expect(await take('b', 120)).toMatchObject({ id, lease: 'b', attempts: 1 });
      expect((await store.mention(id))?.attempts).toBe(2);
    });

    test('behavior: one that waits for something comes back then, and the look was no attempt', async () => {
      const id = await hold();
      expect([await postpone(id, 'b', 50), await postpone(id, 'a', 50)]).toEqual([false, true]);
      expect(await store.mention(id)).toMatchObject({ state: 'received', attempts: 0, lastError: 'not yet' });
      expect(await takeId('b', 49)).toBeNull();
      expect(await take('b', 50)).toMatchObject({ id, attempts: 0 });
      await answer(id, 'b');
      expect(await postpone(id, 'b', 50)).toBe(false);
    });

    test.each([
      ['answered', (id: number) => answer(id, 'a')],
      ['ignored', (id: number) => ignore(id, 'a')],
      ['failed', (id: number) => putBack(id, 'a', null)],
    ])('behavior: once a mention is %s, the next of its author leads, and only that one', async (_, end) => {
      const ids = [];
      for (const postId of ['1', '2', '3']) ids.push(await seedMention(store, { postId }, 10));
      expect([await takeId('a', 20), await takeId('b', 20)]).toEqual([ids[0], null]);
      expect(await end(ids[0] ?? 0)).toBe(true);
      expect([await takeId('c', 20), await takeId('d', 20)]).toEqual([ids[1], null]);
    });

    test('behavior: whoever comes when the author’s others are over leads at once, also on another platform', async () => {
      const first = await seedMention(store, { postId: '1' }, 10);
      await takeId('a', 20);
      await answer(first, 'a');
      const second = await seedMention(store, { postId: '2' }, 30);
      const onX = await seedMention(store, { postId: '3', platform: 'twitter' }, 31);
      expect([await takeId('b', 40), await takeId('c', 40)]).toEqual([second, onX]);
    });

    test('behavior: in any order of arrivals, leases and ends each author’s oldest waiting mention is the next', async () => {
      const step = fc.record({
        what: fc.constantFrom('arrive', 'arrive', 'lease', 'answer', 'back', 'fail'),
        author: fc.constantFrom('1', '2', '3'),
      });
      let posts = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const waiting: { id: number; author: string; lease: string | null }[] = [];
          // What an earlier run left is out of the way.
          for (let left = await take('old', 1_000); left !== null; left = await take('old', 1_000)) {
            await answer(left.id, 'old');
          }
          for (const { what, author } of steps) {
            posts += 1;
            const held = waiting.find((one) => one.lease !== null && one.author === author);
            if (what === 'arrive') {
              const id = await seedMention(store, { postId: `p${posts}`, authorId: author }, 500);
              waiting.push({ id, author, lease: null });
            } else if (what === 'lease') {
              const next = waiting.find(
                (one) =>
                  one.lease === null && !waiting.some((other) => other.author === one.author && other.id < one.id),
              );
              expect(await takeId(`l${posts}`, 1_000)).toBe(next?.id ?? null);
              if (next !== undefined) next.lease = `l${posts}`;
            } else if (held?.lease) {
              if (what === 'answer') await answer(held.id, held.lease);
              else await putBack(held.id, held.lease, what === 'fail' ? null : 500);
              if (what === 'back') held.lease = null;
              else waiting.splice(waiting.indexOf(held), 1);
            }
          }
          for (const one of waiting) {
            if (one.lease !== null) await putBack(one.id, one.lease, null);
          }
        }),
        { numRuns: 25 },
      );
    });

    test('behavior: only who holds the lease ends the work', async () => {
      const id = await hold();
      await take('b', 120);
      expect([await write.holdsMention(id, 'a'), await write.holdsMention(id, 'b')]).toEqual([false, true]);
      expect(await answer(id, 'a')).toBe(false);
      expect(await ignore(id, 'a')).toBe(false);
      expect([await putBack(id, 'a', 1), await putBack(id, 'a', null)]).toEqual([false, false]);
      expect(await store.mention(id)).toMatchObject({ state: 'received', lastError: null });
      expect([await answer(id, 'b'), await answer(id, 'b')]).toEqual([true, false]);
      expect(await ignore(id, 'b')).toBe(false);
      expect(await putBack(id, 'b', 1)).toBe(false);
      expect((await store.mention(id))?.state).toBe('answered');
    });

    test('behavior: what was never held cannot be ended', async () => {
      const id = await seedMention(store, {}, 10);
      expect(await answer(id, 'a')).toBe(false);
      expect(await ignore(id, 'a')).toBe(false);
      expect(await putBack(id, 'a', null)).toBe(false);
      expect(await answer(99, 'a')).toBe(false);
    });

    test('behavior: an ignored mention keeps its reason and is never held again', async () => {
      const id = await hold();
      expect(await ignore(id, 'a')).toBe(true);
      expect(await store.mention(id)).toMatchObject({ state: 'ignored', ignoreReason: 'thread_limit' });
      expect(await takeId('b', 1e6)).toBeNull();
    });

    test('behavior: a mention put back is tried again at its time', async () => {
      const id = await hold();
      expect(await putBack(id, 'a', 500)).toBe(true);
      expect(await store.mention(id)).toMatchObject({ state: 'received', attempts: 1, lastError: 'no luck' });
      expect(await takeId('b', 499)).toBeNull();
      expect(await take('b', 500)).toMatchObject({ id, attempts: 1 });
    });

    test('behavior: a mention put back for good has failed', async () => {
      const id = await hold();
      expect(await putBack(id, 'a', null)).toBe(true);
      expect(await store.mention(id)).toMatchObject({ state: 'failed', lastError: 'no luck' });
      expect(await takeId('b', 1e6)).toBeNull();
    });

    test('behavior: one author’s mentions run in order, one at a time; others go on', async () => {
      const alice1 = await seedMention(store, { postId: '1', authorId: '1' }, 10);
      const alice2 = await seedMention(store, { postId: '2', authorId: '1' }, 11);
      const bob = await seedMention(store, { postId: '3', authorId: '2' }, 12);
      expect([await takeId('a', 20), await takeId('b', 20)]).toEqual([alice1, bob]);
      expect(await takeId('c', 20)).toBeNull();
      await answer(alice1, 'a');
      expect(await takeId('d', 20)).toBe(alice2);
    });

    test('behavior: a mention does not overtake an older one of its author that waits for its next try', async () => {
      const first = await seedMention(store, { postId: '1', authorId: '1' }, 10);
      const second = await seedMention(store, { postId: '2', authorId: '1' }, 11);
      await take('a', 20);
      await putBack(first, 'a', 500);
      expect([await takeId('b', 30), await takeId('b', 500)]).toEqual([null, first]);
      await putBack(first, 'b', null);
      expect(await takeId('c', 501)).toBe(second);
    });

    test('behavior: the same number on the other platform is another author', async () => {
      await seedMention(store, { postId: '1', authorId: '1' }, 10);
      const onX = await seedMention(store, { postId: '1', authorId: '1', platform: 'twitter' }, 10);
      await take('a', 20);
      expect(await takeId('b', 20)).toBe(onX);
    });

    test('behavior: what waits on a platform that is not named waits on', async () => {
      const onFarcaster = await seedMention(store, { postId: '1' }, 10);
      const onX = await seedMention(store, { postId: '2', platform: 'twitter' }, 11);
      expect([await takeId('a', 20, []), await takeId('a', 20, ['twitter'])]).toEqual([null, onX]);
      expect(await takeId('b', 20, ['twitter'])).toBeNull();
      expect(await takeId('c', 20, ['farcaster'])).toBe(onFarcaster);
    });

    test('behavior: of many who ask at once, through two stores, each gets another mention', async () => {
      const ids = [];
      for (let i = 1; i <= 5; i++) ids.push(await seedMention(store, { postId: `${i}`, authorId: `${i}` }, 10));
      const other = await openAgain();
      const all = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).transaction((tx) =>
          tx.leaseMention({ platforms: BOTH, lease: `l${i}`, now: 20, until: 120 }),
        ),
      );
      const held = (await Promise.all(all)).flatMap((mention) => mention?.id ?? []);
      expect(held.sort()).toEqual(ids);
    });

    test('behavior: the depth counts what waits, held or not', async () => {
      const first = await seedMention(store, { postId: '1', authorId: '1' }, 10);
      await seedMention(store, { postId: '2', authorId: '2' }, 11);
      await take('a', 20);
      expect((await store.queueDepths()).mentions).toBe(2);
      await answer(first, 'a');
      expect((await store.queueDepths()).mentions).toBe(1);
    });
  });
}
