import { expect, test } from 'vitest';
import { createPace } from '../../src/services/pace.ts';
import type { Sender } from '../../src/store/port.ts';

const WALLET: Sender = { chainId: 8453, sender: '0x00000000000000000000000000000000000000aa' };

/** The times at which a wallet that keeps waiting is looked at, in milliseconds, looked for every 100. */
function looks(until: number): number[] {
  let now = 0;
  const pace = createPace({ clock: () => now });
  const times: number[] = [];
  for (; now < until; now += 100) {
    if (!pace.isDue(WALLET)) continue;
    times.push(now);
    pace.looked(WALLET, 'waiting');
  }
  return times;
}

test('behavior: what has waited for a short while is looked at twice a second', () => {
  expect(looks(3_000)).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500]);
});

test('behavior: nothing is noticed later than a fifth of its wait, or fifteen seconds', () => {
  const times = looks(600_000);
  for (const [index, time] of times.entries()) {
    const next = times[index + 1];
    if (next === undefined) continue;
    expect(next - time).toBeGreaterThanOrEqual(500);
    expect(next - time).toBeLessThanOrEqual(Math.min(Math.max(time / 5, 500) + 100, 15_000));
  }
  expect(times.at(-1)).toBeGreaterThan(580_000);
  expect(times.length).toBeLessThan(70);
});

test('behavior: what moved is looked at again at once, and its wait begins anew', () => {
  let now = 0;
  const pace = createPace({ clock: () => now });
  for (; now < 60_000; now += 500) if (pace.isDue(WALLET)) pace.looked(WALLET, 'waiting');
  pace.looked(WALLET, 'moved');
  expect(pace.isDue(WALLET)).toBe(true);
  pace.looked(WALLET, 'waiting');
  now += 500;
  expect(pace.isDue(WALLET)).toBe(true);
});

test('behavior: the same wallet on another chain has a pace of its own', () => {
  const pace = createPace({ clock: () => 0 });
  pace.looked(WALLET, 'waiting');
  expect(pace.isDue(WALLET)).toBe(false);
  expect(pace.isDue({ ...WALLET, chainId: 10 })).toBe(true);
});
