import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprint, firstAnswer, type IdempotencyKey, withIdempotency } from '../../src/services/idempotency.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/index.ts';
import { MIGRATIONS, openTestStore, SEEDED_AT, seedGig } from '../support/store.ts';

let store: Store;
let other: Store;
let close: () => Promise<void>;

beforeEach(async () => {
  const opened = await openTestStore();
  store = opened.store;
  // As a second process would open it.
  other = await openStore({ url: opened.path, migrationsFolder: MIGRATIONS });
  close = async () => {
    await other.close();
    await opened.close();
  };
});
afterEach(() => close());

const once = (more: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  scope: '1 POST /a',
  key: 'k',
  fingerprint: 'f',
  ...more,
});
const reused = expect.objectContaining({ refusal: { code: 'key_reused' } });

test('behavior: a fingerprint knows no order of names, and tells everything else apart', () => {
  expect(fingerprint({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } })).toBe(
    fingerprint({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 }),
  );
  const bodies = [
    ...[null, [], {}, '', 0, false, [null], [[]], [{}], { a: 1 }, { a: '1' }, { a: [1] }, { a: null }, { b: 1 }],
    ...[[1, 2], [2, 1], [1, [2]], { a: { b: 1 } }, { a: { b: 1, c: 2 } }, { a: { b: 1 }, c: 2 }, 'a', '"a"'],
    ...[JSON.parse('{"__proto__":1}'), JSON.parse('{"a":{"__proto__":1}}'), { 1: 'a', b: 2 }, { '1b': 'a2' }],
  ];
  expect(new Set(bodies.map(fingerprint)).size).toBe(bodies.length);
  expect(fingerprint({ a: 1 })).toMatch(/^[0-9a-f]{64}$/);
});

test('security: a body nested a hundred deep has a fingerprint, a deeper one has none', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(fingerprint(nested(101))).toMatch(/^[0-9a-f]{64}$/);
  for (const depth of [102, 100_000]) {
    expect(() => fingerprint(nested(depth))).toThrow(
      expect.objectContaining({
        refusal: { code: 'invalid_request', message: 'Body is nested more than 100 levels deep' },
      }),
    );
  }
});

test('behavior: an effect happens once, and its answer is kept as it was', async () => {
  let effects = 0;
  const run = (at: Store) =>
    at.transaction((tx) =>
      withIdempotency(tx, once(), {
        now: SEEDED_AT,
        effect: async () => {
          effects += 1;
          return { gig: (await seedInside(tx)).id, text: 'ü"\u2028\ud800' };
        },
      }),
    );
  const seedInside = async (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) => {
    await tx.setUsername({ platform: 'farcaster', platformUserId: '1', username: 'a' }, SEEDED_AT);
    return { id: 1 };
  };
  const answers = await Promise.all([run(store), run(other), run(store), run(other), run(store)]);
  expect(new Set(answers)).toEqual(new Set(['{"gig":1,"text":"ü\\"\u2028\\ud800"}']));
  expect(effects).toBe(1);
  expect(await firstAnswer(other, once())).toBe(answers[0]);
});

test('error: an effect that fails leaves nothing, and its key free', async () => {
  const { id } = await seedGig(store);
  const owner = { platform: 'farcaster', platformUserId: '1' } as const;
  const attempt = (fails: boolean) =>
    store.transaction((tx) =>
      withIdempotency(tx, once(), {
        now: SEEDED_AT,
        effect: async () => {
          await tx.addGigOwner(id, owner, SEEDED_AT);
          if (fails) throw new Error('in the middle');
          return { done: true };
        },
      }),
    );
  await expect(attempt(true)).rejects.toThrow('in the middle');
  expect(await store.ownsGig(id, owner)).toBe(false);
  expect(await firstAnswer(store, once())).toBeNull();
  expect(await attempt(false)).toBe('{"done":true}');
  expect(await store.ownsGig(id, owner)).toBe(true);
});

test('error: another request under a known key is refused before and inside the transaction', async () => {
  const effect = async () => ({ first: true });
  await store.transaction((tx) => withIdempotency(tx, once(), { now: SEEDED_AT, effect }));
  const another = once({ fingerprint: 'g' });
  await expect(firstAnswer(store, another)).rejects.toThrow(reused);
  await expect(store.transaction((tx) => withIdempotency(tx, another, { now: SEEDED_AT, effect }))).rejects.toThrow(
    reused,
  );
});

test('behavior: scopes and keys are told apart, and without a key nothing is kept', async () => {
  const run = (of: IdempotencyKey | null, text: string) =>
    store.transaction((tx) => withIdempotency(tx, of, { now: SEEDED_AT, effect: async () => ({ text }) }));
  expect(await run(once(), 'first')).toBe('{"text":"first"}');
  expect(await run(once({ scope: '2 POST /a' }), 'second')).toBe('{"text":"second"}');
  expect(await run(once({ key: 'K' }), 'third')).toBe('{"text":"third"}');
  expect(await run(null, 'fourth')).toBe('{"text":"fourth"}');
  expect(await run(null, 'fifth')).toBe('{"text":"fifth"}');
  expect(await firstAnswer(store, null)).toBeNull();
});
