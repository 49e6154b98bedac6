import { expect, test } from 'vitest';
import { gigPhase, liveWindow, requiredFunds } from '../../../src/domain/gigs/gig.ts';

const DAY = 86_400_000;

test('behavior: a gig needs its reward and the fee, to the base unit', () => {
  expect(requiredFunds({ rewardAmount: 100_000_000_000_000_000_001n, feeAmount: 5n })).toBe(
    100_000_000_000_000_000_006n,
  );
  expect(requiredFunds({ rewardAmount: 9_007_199_254_740_992n, feeAmount: 1n })).toBe(9_007_199_254_740_993n);
});

test('behavior: a start that has passed moves to now, and the end moves with it', () => {
  const gig = { startTime: 1_000, endTime: 1_000 + DAY, duration: DAY };
  expect(liveWindow(gig, 1_001)).toEqual({ startTime: 1_001, endTime: 1_001 + DAY });
  expect(liveWindow(gig, 1_000 + 30 * DAY)).toEqual({ startTime: 1_000 + 30 * DAY, endTime: 1_000 + 31 * DAY });
});

test('behavior: a start that is now or still to come stays', () => {
  const gig = { startTime: 1_000, endTime: 1_000 + DAY, duration: DAY };
  expect(liveWindow(gig, 1_000)).toEqual({ startTime: 1_000, endTime: 1_000 + DAY });
  expect(liveWindow(gig, 1)).toEqual({ startTime: 1_000, endTime: 1_000 + DAY });
});

const ON_COURSE = { stoppedAt: null, cancelledAt: null, wentLiveAt: null };

test('behavior: a cancelled gig is neither created nor live', () => {
  const gig = { status: 'created', startTime: 100, endTime: 200, ...ON_COURSE, cancelledAt: 50 } as const;
  expect(gigPhase(gig, 60)).toBe('cancelled');
});

test('behavior: a stopped gig has ended, also before its window', () => {
  const stopped = (at: number) =>
    ({ status: 'live', startTime: 100, endTime: at, ...ON_COURSE, stoppedAt: at }) as const;
  expect(gigPhase(stopped(150), 150)).toBe('ended');
  expect(gigPhase(stopped(50), 60)).toBe('ended');
});

test('behavior: a created gig is created whatever the time', () => {
  for (const now of [0, 100, 150, 200, 300]) {
    expect(gigPhase({ status: 'created', startTime: 100, endTime: 200, ...ON_COURSE }, now)).toBe('created');
  }
});

test('behavior: a live gig is scheduled, live, ended; its start belongs to the window and its end does not', () => {
  const phase = (now: number) => gigPhase({ status: 'live', startTime: 100, endTime: 200, ...ON_COURSE }, now);
  expect([99, 100, 199, 200, 201].map(phase)).toEqual(['scheduled', 'live', 'live', 'ended', 'ended']);
});
