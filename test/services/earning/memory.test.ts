import { expect, test } from 'vitest';
import {
  createEarningMemory,
  endOfPause,
  GONE_MS,
  recallPost,
  rememberPosts,
  requireGone,
} from '../../../src/services/earning/memory.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;

test('behavior: accounts are settled again when their pause is over, also when the clock was set back', () => {
  const memory = createEarningMemory();
  memory.settlePauses.set(1, { since: NOW, until: NOW + 500 });
  expect(endOfPause(memory.settlePauses, 1, NOW + 1)).toBe(NOW + 500);
  expect(endOfPause(memory.settlePauses, 1, NOW - 1)).toBe(NOW - 1);
  expect(endOfPause(memory.settlePauses, 2, NOW)).toBeNull();
});

test('error: what a gig is about is gone when that is said twice, far enough apart', () => {
  const memory = createEarningMemory();
  const say = (now: number) => requireGone(memory, 1, now);
  expect(() => say(NOW)).toThrow('says so twice');
  expect(() => say(NOW + GONE_MS - 1)).toThrow('says so twice');
  expect(() => requireGone(memory, 2, NOW + GONE_MS)).toThrow('says so twice');
  say(NOW + GONE_MS);
  // The clock was set back: how long ago it was said is not known.
  expect(() => say(NOW - 1)).toThrow('says so twice');
  expect(() => say(NOW)).toThrow('says so twice');
});

test('security: answers about posts are remembered for a while, for each gig, and not without limit', () => {
  const memory = createEarningMemory();
  const recall = (id: string, now: number, gigId = 1) => recallPost(memory, gigId, { id, now });
  const found = new Map([
    ['a', true],
    ['b', false],
  ]);
  rememberPosts(memory, 1, { found, now: NOW });
  expect(['a', 'b', 'c'].map((id) => recall(id, NOW + 1))).toEqual([true, false, null]);
  expect(recall('a', NOW, 2)).toBeNull();
  expect([recall('a', NOW + HOUR), recall('a', NOW - HOUR)]).toEqual([null, null]);
  for (let each = 0; each < 20_000; each += 1) {
    rememberPosts(memory, 2, { found: new Map([[String(each), false]]), now: NOW });
  }
  expect(memory.posts.size).toBeLessThanOrEqual(10_000);
  expect([recall('a', NOW), recall('19999', NOW, 2)]).toEqual([null, false]);
});
