import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import type { Mention, NewReply } from '../../../src/domain/mentions/mention.ts';
import type { ReplyWorth } from '../../../src/domain/mentions/reply-worth.ts';
import type { ReplyPick } from '../../../src/store/port/index.ts';
import { seedGig, seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeReplyLeases({ store, openAgain, write }: Subject): void {
  async function queueTo(mention: Partial<Mention>, now: number, reply: Partial<NewReply> = {}): Promise<number> {
    const mentionId = await seedMention(store, mention, now);
    return await write.queueReply({ mentionId, kind: 'answer', text: 'hi', ...reply }, now);
  }
  const queue = (postId: string, now: number, platform = 'farcaster') => queueTo({ postId, platform }, now);

  /** One is leased if one is read to be due. */
  async function take(lease: string, now: number, platform: Platform = 'farcaster') {
    const isDue = await store.isReplyDue(platform, { now, least: 4 });
    const taken = await write.leaseReply(platform, { lease, now, until: now + 100 });
    expect(taken !== null).toBe(isDue);
    return taken;
  }
  const takeId = async (lease: string, now: number) => (await take(lease, now))?.id ?? null;
  const sending = (id: number, lease: string) => write.markSending(id, lease);
  const sent = (id: number, lease: string, postId = '0xsent') => write.markSent(id, { lease, postId, now: 77 });
  const putBack = (id: number, lease: string, state: 'queued' | 'unknown' | 'failed', retryAt = 0) =>
    write.putReplyBack(id, { lease, state, retryAt, error: 'no luck' });
  const retry = (id: number, now: number) => write.retryReply(id, now);

  /** A reply that is held under the lease a, since 20. */
  async function held(): Promise<number> {
    const id = await queue('p1', 10);
    await take('a', 20);
    return id;
  }
  /** The same, while it is sent. */
  async function beingSent(): Promise<number> {
    const id = await held();
    await sending(id, 'a');
    return id;
  }

  describe('leases on replies', () => {
    test('behavior: the oldest due reply of the platform is held, its state unchanged', async () => {
      const first = await queue('p1', 10);
      const second = await queue('p2', 11);
      const onX = await queue('p3', 5, 'twitter');
      expect(await take('a', 20)).toEqual({ ...(await store.reply(first)), lease: 'a' });
      expect((await store.reply(first))?.state).toBe('queued');
      expect([await takeId('b', 20), await takeId('c', 20)]).toEqual([second, null]);
      expect((await take('c', 20, 'twitter'))?.id).toBe(onX);
    });

    test('behavior: what is worth more goes first, and of the same worth what has been due longest', async () => {
      const queueWorth = (postId: string, now: number, worth: ReplyWorth) => queueTo({ postId }, now, { worth });
      const unasked = await queueWorth('p1', 10, 4);
      const help = await queueWorth('p2', 11, 3);
      const secondLookUp = await queueWorth('p3', 13, 2);
      const lookUp = await queueWorth('p4', 12, 2);
      const claim = await queueWorth('p5', 14, 1);
      const start = await queueWorth('p6', 15, 0);
      await queueWorth('p7', 500, 0);
      const taken = [];
      for (const lease of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) taken.push(await takeId(lease, 20));
      expect(taken).toEqual([start, claim, lookUp, secondLookUp, help, unasked, null]);
    });

    test('behavior: of several picks the first that finds a reply decides, whatever the replies are worth', async () => {
      const queueIn = (authorId: string, threadId: string, worth: ReplyWorth) =>
        queueTo({ postId: `p${worth} ${authorId}`, authorId, threadId }, 10, { worth });
      const before = await queueIn('1', 't0', 0);
      await take('l', 10);
      await sending(before, 'l');
      await sent(before, 'l');
      const refused = await queueIn('2', 't1', 0);
      const near = await queueIn('3', 't1', 1);
      const far = await queueIn('4', 't2', 2);
      const known = await queueIn('1', 't1', 3);
      const notTo = ['2', "o'hara"];
      const picks = [
        { notTo, notIn: [], answeredBefore: true },
        { notTo, notIn: ['t1'], answeredBefore: false },
        { notTo, notIn: [], answeredBefore: false },
      ];
      const next = (given: readonly ReplyPick[]) =>
        write.leaseReply('farcaster', { lease: 'b', now: 20, until: 120, picks: given });
      const taken = [];
      for (let turn = 0; turn < 4; turn += 1) taken.push((await next(picks))?.id ?? null);
      expect(taken).toEqual([known, far, near, null]);
      expect(await next([])).toBeNull();
      expect((await next([{ notTo: [], notIn: [], answeredBefore: false }]))?.id).toBe(refused);
    });

    test('behavior: what is worth less than was asked for stays', async () => {
      const id = await queueTo({ postId: 'p1' }, 10, { kind: 'unasked_help' });
      const takeAtLeast = async (least: ReplyWorth) => {
        const isDue = await store.isReplyDue('farcaster', { now: 20, least });
        const request = { lease: 'a', now: 20, until: 120, least };
        const taken = await write.leaseReply('farcaster', request);
        expect(taken !== null).toBe(isDue);
        return taken;
      };
      expect(await takeAtLeast(3)).toBeNull();
      expect(await takeAtLeast(4)).toMatchObject({ id, worth: 4 });
    });

    test('behavior: what waited too long is given up, of one worth and platform, unless it may be on the platform', async () => {
      const old = await queue('p1', 10);
      const uncertain = await queue('p2', 10);
      const young = await queue('p3', 12);
      const onX = await queue('p4', 10, 'twitter');
      await take('a', 10);
      await take('b', 10);
      await putBack(old, 'a', 'queued', 11);
      await putBack(uncertain, 'b', 'unknown', 11);
      const giveUp = async (worth: ReplyWorth, dueBefore: number) => {
        const isAny = await store.isReplyPerished('farcaster', { worth, dueBefore });
        const change = { worth, dueBefore, error: 'too late' };
        const count = await write.giveUpReplies('farcaster', change);
        expect(count > 0).toBe(isAny);
        return count;
      };
      expect([await giveUp(2, 10), await giveUp(3, 11), await giveUp(2, 11)]).toEqual([0, 0, 1]);
      expect(await store.reply(old)).toMatchObject({ state: 'failed', lastError: 'too late' });
      const states = [uncertain, young, onX].map(async (id) => (await store.reply(id))?.state);
      expect(await Promise.all(states)).toEqual(['unknown', 'queued', 'queued']);
      // An operator's hand gives it another day.
      expect(await retry(old, 100)).toBe(true);
      expect(await giveUp(2, 99)).toBe(1);
      expect(await store.reply(young)).toMatchObject({ state: 'failed' });
    });

    test('behavior: sending, then sent', async () => {
      const id = await held();
      expect(await sending(id, 'a')).toBe(true);
      expect(await store.reply(id)).toMatchObject({ state: 'sending', attempts: 1, postId: null });
      expect(await sent(id, 'a')).toBe(true);
      expect(await store.reply(id)).toMatchObject({ state: 'sent', attempts: 1, postId: '0xsent', sentAt: 77 });
      expect(await takeId('b', 1e6)).toBeNull();
    });

    test('behavior: one that is stored with a lease is being sent from then on, as if it was leased and marked', async () => {
      const mentionId = await seedMention(store, { postId: 'p1' }, 10);
      const reply = { mentionId, kind: 'answer', text: 'hi' } as const;
      const request = { lease: 'a', now: 20, until: 120 };
      const { lease, ...begun } = await write.beginReply(reply, request);
      expect(lease).toBe('a');
      const { id } = begun;
      expect(await store.reply(id)).toEqual(begun);
      expect(begun).toMatchObject({ state: 'sending', attempts: 1, createdAt: 20, mention: { postId: 'p1' } });
      expect((await store.queueDepths()).replies).toMatchObject({ queued: 0, sending: 1 });
      expect(await takeId('b', 119)).toBeNull();
      expect(await take('b', 120)).toMatchObject({ id, state: 'sending' });
      expect([await sent(id, 'a'), await sent(id, 'b')]).toEqual([false, true]);
    });

    test('behavior: only who holds the lease changes the reply', async () => {
      const id = await queue('p1', 10);
      expect(await sending(id, 'a')).toBe(false);
      await take('a', 20);
      expect([await takeId('b', 119), await takeId('b', 120)]).toEqual([null, id]);
      expect(await sending(id, 'a')).toBe(false);
      expect(await sent(id, 'a')).toBe(false);
      expect(await putBack(id, 'a', 'failed')).toBe(false);
      expect(await store.reply(id)).toMatchObject({ state: 'queued', attempts: 0, lastError: null });
      expect([await sent(id, 'b'), await sent(id, 'b')]).toEqual([true, false]);
      expect(await sending(id, 'b')).toBe(false);
      expect(await putBack(id, 'b', 'queued')).toBe(false);
      expect(await sent(99, 'b')).toBe(false);
    });

    test('behavior: a crash while sending leaves `sending` for the next holder, and the next attempt counts', async () => {
      const id = await beingSent();
      expect(await takeId('b', 119)).toBeNull();
      expect(await take('b', 120)).toMatchObject({ id, state: 'sending', attempts: 1 });
      expect(await sending(id, 'b')).toBe(true);
      expect((await store.reply(id))?.attempts).toBe(2);
    });

    test.for(['queued', 'unknown'] as const)('behavior: a reply put back as %s is due at its time', async (state) => {
      const id = await beingSent();
      expect(await putBack(id, 'a', state, 500)).toBe(true);
      expect(await store.reply(id)).toMatchObject({ state, attempts: 1, lastError: 'no luck' });
      expect(await takeId('b', 499)).toBeNull();
      expect(await take('b', 500)).toMatchObject({ id, state, attempts: 1 });
      expect(await sending(id, 'b')).toBe(true);
    });

    test('behavior: an unknown reply that is found was sent, without another attempt', async () => {
      const id = await beingSent();
      await putBack(id, 'a', 'unknown', 30);
      await take('b', 30);
      expect(await sent(id, 'b', '0xfound')).toBe(true);
      expect(await store.reply(id)).toMatchObject({ state: 'sent', attempts: 1, postId: '0xfound' });
    });

    test('behavior: a failed reply rests until an operator retries it', async () => {
      const id = await queue('p1', 10);
      expect(await retry(id, 20)).toBe(false);
      await take('a', 20);
      await sending(id, 'a');
      expect(await retry(id, 20)).toBe(false);
      await putBack(id, 'a', 'failed');
      expect(await takeId('b', 1e6)).toBeNull();
      expect([await retry(id, 2e6), await retry(id, 2e6)]).toEqual([true, false]);
      expect(await store.reply(id)).toMatchObject({ state: 'unknown', attempts: 0, lastError: 'no luck' });
      expect([await takeId('b', 2e6 - 1), await takeId('b', 2e6)]).toEqual([null, id]);
      expect(await retry(99, 1)).toBe(false);
    });

    test('behavior: a sent reply cannot be retried', async () => {
      const id = await held();
      await sent(id, 'a');
      expect(await retry(id, 30)).toBe(false);
    });

    test('behavior: of many who ask at once, through two stores, each gets another reply', async () => {
      const ids = [];
      for (let i = 1; i <= 5; i++) ids.push(await queue(`p${i}`, 10));
      const other = await openAgain();
      const all = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).transaction((tx) =>
          tx.leaseReply('farcaster', { lease: `l${i}`, now: 20, until: 120 }),
        ),
      );
      const taken = (await Promise.all(all)).flatMap((reply) => reply?.id ?? []);
      expect(taken.sort()).toEqual(ids);
    });
  });

  describe('beginning to serve', () => {
    test('behavior: the leases of another process that serves stand', async () => {
      const other = await openAgain();
      await other.begin();
      await queue('p1', 10);
      await take('alive', 20);
      expect(await store.begin()).toBe(0);
      expect(await takeId('b', 21)).toBeNull();
      await other.close();
      const third = await openAgain();
      expect(await third.begin()).toBe(0);
    });

    test('behavior: the start of a gig keeps its own lease', async () => {
      const { id } = await seedGig(store);
      const lock = (holder: string) => write.lockGig(id, { holder, now: 10, until: 100 });
      await lock('a');
      expect(await store.begin()).toBe(0);
      expect(await lock('b')).toBe(false);
    });
  });
}
