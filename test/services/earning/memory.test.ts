import { expect, test } from 'vitest';
import { createEarningMemory, endOfPause, GONE_MS, requireGone } from '../../../src/services/earning/memory.ts';

const NOW = 1_000_000_000;

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
  expect(() => say(NOW)).toThrow('said twice');
  expect(() => say(NOW + GONE_MS - 1)).toThrow('said twice');
  expect(() => requireGone(memory, 2, NOW + GONE_MS)).toThrow('said twice');
  say(NOW + GONE_MS);
  // The clock was set back: how long ago it was said is not known.
  expect(() => say(NOW - 1)).toThrow('said twice');
  expect(() => say(NOW)).toThrow('said twice');
});
