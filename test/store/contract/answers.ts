import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

const ANSWER = { fingerprint: 'f1', status: 200, body: '{"gig_id":1,"text":"ünïcode\\n"}' };

export function describeAnswers({ store, openAgain, change, write }: Subject): void {
  const keep = (scope: string, key: string, answer = ANSWER) =>
    write.saveIdempotentResponse(scope, key, { ...answer, now: 5 });

  describe('first answers', () => {
    test('behavior: one that was kept comes back as it was sent', async () => {
      expect(await store.findIdempotentResponse('key 1: create', 'k')).toBeNull();
      await keep('key 1: create', 'k');
      expect(await store.findIdempotentResponse('key 1: create', 'k')).toEqual(ANSWER);
    });

    test('security: each scope and each key, to the letter, has its own', async () => {
      await keep('a', 'k');
      await keep('b', 'k', { ...ANSWER, fingerprint: 'f2' });
      await keep('a', 'K', { ...ANSWER, fingerprint: 'f3' });
      expect((await store.findIdempotentResponse('a', 'k'))?.fingerprint).toBe('f1');
      expect((await store.findIdempotentResponse('b', 'k'))?.fingerprint).toBe('f2');
      expect((await store.findIdempotentResponse('a', 'K'))?.fingerprint).toBe('f3');
      expect(await store.findIdempotentResponse('B', 'k')).toBeNull();
      expect(await store.findIdempotentResponse('ak', '')).toBeNull();
    });

    test('error: a second one under the same key is refused, and the first stays', async () => {
      await keep('a', 'k');
      await expect(keep('a', 'k', { ...ANSWER, fingerprint: 'f2' })).rejects.toThrow();
      expect(await store.findIdempotentResponse('a', 'k')).toEqual(ANSWER);
    });

    test('behavior: of many requests at once under one key, through two stores, one has its effect', async () => {
      const other = await openAgain();
      const address = '0x00000000000000000000000000000000000000aa';
      const token = { createdAt: 1, address, decimals: 18, name: 'T', symbol: 'T', imageUrl: '' } as const;
      const all = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).transaction(async (tx) => {
          await tx.ensureToken({ ...token, chainId: i + 1, isNative: false, coingeckoId: null });
          await tx.saveIdempotentResponse('a', 'k', { ...ANSWER, fingerprint: `f${i}`, now: 1 });
        }),
      );
      const results = await Promise.allSettled(all);
      const won = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
      expect(won).toHaveLength(1);
      expect((await store.findIdempotentResponse('a', 'k'))?.fingerprint).toBe(`f${won[0]}`);
      const kept = await Promise.all(all.map((_, i) => store.token(i + 1, address)));
      expect(kept.flatMap((one, i) => (one === null ? [] : [i]))).toEqual(won);
    });

    test('behavior: an answer is there inside its transaction, and gone when that fails', async () => {
      const failing = change(async (tx) => {
        await tx.saveIdempotentResponse('a', 'k', { ...ANSWER, now: 1 });
        expect(await tx.findIdempotentResponse('a', 'k')).toEqual(ANSWER);
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(new RangeError('no'));
      expect(await store.findIdempotentResponse('a', 'k')).toBeNull();
    });
  });
}
