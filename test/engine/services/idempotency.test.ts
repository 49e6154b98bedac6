import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFirstResponse, type IdempotencyKey, withIdempotency } from '../../../src/services/idempotency.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { openTestStore } from '../../support/database.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';

let store: Store;
let other: Store;
let close: () => Promise<void>;

beforeEach(async () => {
  const opened = await openTestStore();
  store = opened.store;
  // As a second process would open it.
  other = await opened.database.open();
  close = async () => {
    await other.close();
    await opened.close();
  };
});
afterEach(() => close());

const once = (more: Partial<IdempotencyKey> = {}): IdempotencyKey => {
  return { scope: '1 POST /a', key: 'k', fingerprint: 'f', ...more };
};
const reused = expect.objectContaining({ refusal: { code: 'key_reused' } });

const clock = () => 7;
const answer = async (key: IdempotencyKey | null, text: string) =>
  (
    await withIdempotency({ store, clock }, key, {
      prepared: { commit: async () => text },
      render: (body) => ({ status: 201, body }),
    })
  ).body;

test('behavior: an effect happens once, and its answer is kept as it was', async () => {
  const account = { platform: 'farcaster', platformUserId: '1', username: 'a' } as const;
  const commit = async (tx: StoreTx, now: number) => {
    await tx.setUsername(account, SEEDED_AT);
    return { gig: 1, now };
  };
  const run = (at: Store) =>
    withIdempotency({ store: at, clock }, once(), {
      prepared: { commit },
      render: ({ gig, now }) => ({ status: 200, body: JSON.stringify({ gig, now, text: 'ü"\u2028\ud800' }) }),
    });
  const answers = await Promise.all([run(store), run(other), run(store), run(other), run(store)]);
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['{"gig":1,"now":7,"text":"ü\\"\u2028\\ud800"}']));
  expect(answers.filter(({ isFirst }) => isFirst)).toHaveLength(1);
  expect(await findFirstResponse(other, once())).toEqual({ status: 200, body: answers[0]?.body, isFirst: false });
});

test('error: an effect that fails leaves nothing, and its key free', async () => {
  const { id } = await seedGig(store);
  const owner = { platform: 'farcaster', platformUserId: '1' } as const;
  const attempt = (fails: 'operation' | 'render' | null) =>
    withIdempotency({ store, clock }, once(), {
      prepared: {
        async commit(tx) {
          await tx.addGigOwner(id, owner, SEEDED_AT);
          if (fails === 'operation') throw new Error('in the middle');
        },
      },
      render: () => {
        if (fails === 'render') throw new Error('in the middle');
        return { status: 201, body: 'done' };
      },
    });
  for (const step of ['operation', 'render'] as const) {
    await expect(attempt(step)).rejects.toThrow('in the middle');
    expect(await store.ownsGig(id, owner)).toBe(false);
    expect(await findFirstResponse(store, once())).toBeNull();
  }
  expect(await attempt(null)).toEqual({ status: 201, body: 'done', isFirst: true });
  expect(await store.ownsGig(id, owner)).toBe(true);
});

test('error: another request under a known key is refused before and inside the transaction', async () => {
  await answer(once(), 'first');
  const another = once({ fingerprint: 'g' });
  await expect(findFirstResponse(store, another)).rejects.toThrow(reused);
  await expect(answer(another, 'second')).rejects.toThrow(reused);
});

test('behavior: scopes and keys are told apart, and without a key nothing is kept', async () => {
  expect(await answer(once(), 'first')).toBe('first');
  expect(await answer(once({ scope: '2 POST /a' }), 'second')).toBe('second');
  expect(await answer(once({ key: 'K' }), 'third')).toBe('third');
  expect([await answer(null, 'fourth'), await answer(null, 'fifth')]).toEqual(['fourth', 'fifth']);
  expect(await findFirstResponse(store, null)).toBeNull();
});
