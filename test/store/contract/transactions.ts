import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { sampleMention, seedMention } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FOREIGN_AWAIT = 'a transaction must await nothing but its tx';

function insert(tx: StoreTx, postId: string): Promise<number | null> {
  return tx.insertMention(sampleMention({ postId }), { now: 1, source: 'webhook' });
}

export function describeTransactions({ store, openAgain }: Subject): void {
  describe('transaction', () => {
    test('behavior: answers what run answers', async () => {
      expect(await store.transaction(async () => 'done')).toBe('done');
    });

    test('behavior: sees its own writes before anybody else does', async () => {
      const other = await openAgain();
      await store.transaction(async (tx) => {
        await insert(tx, 'p1');
        expect(await tx.mentionByPost('farcaster', 'p1')).toMatchObject({ postId: 'p1' });
        let seen: readonly unknown[] = [];
        const look = other.mentionByPost('farcaster', 'p1').then((found) => {
          seen = [found];
        });
        // It may await nothing but its tx.
        while (seen.length === 0) await tx.mentionByPost('farcaster', 'p1');
        expect(seen).toEqual([null]);
        await look;
      });
      // What is read in one turn of the event loop may be one state.
      await setImmediate();
      expect(await other.mentionByPost('farcaster', 'p1')).toMatchObject({ postId: 'p1' });
    });

    test('behavior: settles only when another connection sees the write', async () => {
      const other = await openAgain();
      const posts = Array.from({ length: 50 }, (_, i) => `post-${i}`);
      const seen = posts.map(async (postId) => {
        await store.transaction((tx) => insert(tx, postId));
        return await other.mentionByPost('farcaster', postId);
      });
      expect((await Promise.all(seen)).map((mention) => mention?.postId)).toEqual(posts);
    });

    test('behavior: of those that wait together one that fails is undone alone, and the last run of each counts', async () => {
      const add = (postId: string, error?: Error) =>
        store.transaction(async (tx) => {
          const id = await insert(tx, postId);
          if (error !== undefined) throw error;
          return { isNew: id !== null };
        });
      const all = [add('a'), add('b', new RangeError('no')), add('b'), add('b')];
      const [first, failed, ...others] = await Promise.allSettled(all);
      expect(first).toMatchObject({ value: { isNew: true } });
      expect(failed).toMatchObject({ status: 'rejected', reason: new RangeError('no') });
      expect(others).toContainEqual({ status: 'fulfilled', value: { isNew: true } });
      expect(others).toContainEqual({ status: 'fulfilled', value: { isNew: false } });
      expect((await store.queueDepths()).mentions).toBe(2);
    });

    test('behavior: more callers than one commit takes are all served', async () => {
      const all = Array.from({ length: 1_300 }, (_, i) => store.transaction((tx) => insert(tx, `post-${i}`)));
      expect(new Set(await Promise.all(all)).size).toBe(1_300);
      expect((await store.queueDepths()).mentions).toBe(1_300);
    });

    test('error: a caller that fails undoes its own writes and nobody else’s', async () => {
      const results = await Promise.allSettled([
        store.transaction((tx) => insert(tx, 'before')),
        store.transaction(async (tx) => {
          await insert(tx, 'undone');
          throw new RangeError('no');
        }),
        store.transaction((tx) => insert(tx, 'after')),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(results[1]).toMatchObject({ reason: new RangeError('no') });
      expect(await store.mentionByPost('farcaster', 'undone')).toBeNull();
      expect(await store.mentionByPost('farcaster', 'before')).not.toBeNull();
      expect(await store.mentionByPost('farcaster', 'after')).not.toBeNull();
    });

    test('error: a run that throws before its first await is undone as well', async () => {
      const thrown = store.transaction(() => {
        throw new RangeError('at once');
      });
      await expect(thrown).rejects.toThrow(new RangeError('at once'));
      expect(await store.transaction(async () => 'still works')).toBe('still works');
    });

    test.for([
      ['a timer', () => setTimeout(20)],
      ['something that never comes', () => new Promise(() => undefined)],
    ] as const)('error: awaiting %s is refused, and undone', async ([, foreign]) => {
      const late = store.transaction(async (tx) => {
        await insert(tx, 'late');
        await foreign();
      });
      const neighbour = store.transaction((tx) => insert(tx, 'neighbour'));
      await expect(late).rejects.toThrow(new TypeError(FOREIGN_AWAIT));
      await neighbour;
      expect(await store.mentionByPost('farcaster', 'late')).toBeNull();
      expect(await store.mentionByPost('farcaster', 'neighbour')).not.toBeNull();
    });

    test('error: a transaction inside a transaction is refused, and both are told', async () => {
      let inner: Promise<unknown> | undefined;
      const outer = store.transaction(async () => {
        inner = store.transaction((tx) => insert(tx, 'inner'));
        await inner;
      });
      await expect(outer).rejects.toThrow(new TypeError(FOREIGN_AWAIT));
      expect(await inner).not.toBeNull();
    });

    test('error: a tx used after its end throws and writes nothing', async () => {
      let kept: StoreTx | undefined;
      await store.transaction(async (tx) => {
        kept = tx;
      });
      const after = new TypeError('a transaction was used after its end');
      await expect(kept?.queueDepths()).rejects.toThrow(after);
      let during: Promise<unknown> | undefined;
      await store.transaction(async () => {
        during = kept && insert(kept, 'smuggled');
        await during?.catch(() => undefined);
      });
      await expect(during).rejects.toThrow(after);
      expect(await store.mentionByPost('farcaster', 'smuggled')).toBeNull();
    });

    test('error: a run that goes on after it was refused writes nothing more', async () => {
      let rest: Promise<unknown> | undefined;
      const late = store.transaction(async (tx) => {
        await setTimeout(5);
        rest = insert(tx, 'too-late');
        await rest;
      });
      await expect(late).rejects.toThrow(new TypeError(FOREIGN_AWAIT));
      await setTimeout(30);
      await expect(rest).rejects.toThrow(new TypeError('a transaction was used after its end'));
      expect(await store.mentionByPost('farcaster', 'too-late')).toBeNull();
    });

    test('behavior: the writes of two stores on the same storage both arrive', async () => {
      const other = await openAgain();
      const writes = Array.from({ length: 40 }, (_, i) => seedMention(i % 2 ? store : other, { postId: `${i}` }));
      await Promise.all(writes);
      expect((await store.queueDepths()).mentions).toBe(40);
    });

    test('behavior: the store proves that it takes writes', async () => {
      await expect(store.checkWritable()).resolves.toBeUndefined();
      await expect(store.checkWritable()).resolves.toBeUndefined();
    });

    test('behavior: close waits for the transactions under way', async () => {
      const other = await openAgain();
      const write = other.transaction((tx) => insert(tx, 'last'));
      await other.close();
      expect(await write).not.toBeNull();
      expect(await store.mentionByPost('farcaster', 'last')).not.toBeNull();
    });

    test('behavior: close answers the look-ups that were asked for', async () => {
      const store = await openAgain();
      const found = store.pendingTips([{ platform: 'farcaster', platformUserId: '1' }]);
      await store.close();
      expect((await found).tips).toEqual([]);
    });

    test('error: a closed store refuses to read and to write', async () => {
      const store = await openAgain();
      await store.close();
      await expect(store.transaction(async () => undefined)).rejects.toThrow(/closed/);
      await expect(store.gig(1)).rejects.toThrow(/closed/);
      await expect(store.pendingTips([{ platform: 'farcaster', platformUserId: '1' }])).rejects.toThrow(/closed/);
      await expect(store.checkWritable()).rejects.toThrow(/closed/);
    });
  });
}
