import { expect, test } from 'vitest';
import { createPollBackoff } from '../../../src/services/payments/poll-backoff.ts';
import type { Sender } from '../../../src/store/port/index.ts';

const WALLET: Sender = { chainId: 8453, sender: '0x00000000000000000000000000000000000000aa' };

/** The times at which a wallet that keeps waiting is looked at, in milliseconds, looked for every 50. */
function looks(until: number): number[] {
  let now = 0;
  const pace = createPollBackoff({ clock: () => now });
  const times: number[] = [];
  for (; now < until; now += 50) {
    if (pace.nextPollAt(WALLET) > now) continue;
    times.push(now);
    pace.record(WALLET, 'waiting');
  }
  return times;
}

test('behavior: what has just begun to wait is looked at often, and twice a second after that', () => {
  expect(looks(3_000)).toEqual([0, 50, 100, 200, 400, 800, 1_300, 1_800, 2_300, 2_800]);
});

test('behavior: nothing is noticed later than a fifth of its wait, or fifteen seconds', () => {
  const times = looks(600_000).filter((time) => time >= 800);
  for (const [index, time] of times.entries()) {
    const next = times[index + 1];
    if (next === undefined) continue;
    expect(next - time).toBeGreaterThanOrEqual(500);
    expect(next - time).toBeLessThanOrEqual(Math.min(Math.max(time / 5, 500) + 50, 15_000));
  }
  expect(times.at(-1)).toBeGreaterThan(580_000);
  expect(times.length).toBeLessThan(70);
});

test.each(['moved', 'done'] as const)(
  'behavior: what has %s is looked at again at once, and its wait begins anew',
  (progress) => {
    let now = 0;
    const pace = createPollBackoff({ clock: () => now });
    for (; now < 60_000; now += 500) if (pace.nextPollAt(WALLET) <= now) pace.record(WALLET, 'waiting');
    pace.record(WALLET, progress);
    expect(pace.nextPollAt(WALLET)).toBeLessThanOrEqual(now);
    pace.record(WALLET, 'waiting');
    expect(pace.nextPollAt(WALLET)).toBe(now + 50);
  },
);

test('behavior: the same wallet on another chain has a pace of its own', () => {
  const pace = createPollBackoff({ clock: () => 1_000 });
  pace.record(WALLET, 'waiting');
  expect(pace.nextPollAt(WALLET)).toBe(1_050);
  expect(pace.nextPollAt({ ...WALLET, chainId: 10 })).toBeLessThanOrEqual(1_000);
});
