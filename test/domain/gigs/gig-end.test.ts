import { expect, test } from 'vitest';
import { awardableOf, unawardedOf } from '../../../src/domain/gigs/gig.ts';
import {
  awardsUntil,
  defaultAwardDays,
  refundDueAt,
  refundRecipient,
  whyClosed,
} from '../../../src/domain/gigs/gig-end.ts';
import { SAMPLE_RULES } from '../../support/earning.ts';
import { seedAddress } from '../../support/store.ts';

const DAY = 86_400_000;
const START = 10 * DAY;
const END = 11 * DAY;
const LIVE = {
  status: 'live',
  startTime: START,
  endTime: END,
  awardDays: 2,
  stoppedAt: null,
  cancelledAt: null,
  settledAt: null,
  wentLiveAt: null,
} as const;

test.each([
  ['free text', 'like', null, 14],
  ['rules that say that people decide', 'like', { type: 'manual' }, 14],
  ['a bounty that a program decides', 'custom_bounty', { type: 'verifier', maxAmount: 5n }, 14],
  ['the same for each', 'like', { type: 'fixed', amount: 5n }, 0],
  ['shares', 'follow', { type: 'split', roundMs: DAY, maxAmount: 5n }, 0],
  ['a raffle', 'mention', { type: 'raffle', winners: 1 }, 0],
] as const)('behavior: with %s a gig has its days for awards', (_what, gigType, rule, days) => {
  const rules = rule === null ? null : { ...SAMPLE_RULES, rule };
  expect(defaultAwardDays({ gigType, rules })).toBe(days);
});

test.each([
  ['is created', { status: 'created' }, START, 'created'],
  ['is cancelled', { status: 'created', cancelledAt: START }, START, 'cancelled'],
  ['is to begin', {}, START - 1, 'scheduled'],
  ['has just begun', {}, START, null],
  ['began as it went live, and the clock was set back', { wentLiveAt: START }, START - DAY, null],
  ['went live before its window', { wentLiveAt: START - 1 }, START - 1, 'scheduled'],
  ['is about to end', {}, END - 1, null],
  ['has just ended', {}, END, null],
  ['ended two days ago, but for a millisecond', {}, END + 2 * DAY - 1, null],
  ['ended two days ago', {}, END + 2 * DAY, 'ended'],
  ['ended and has no time for awards', { awardDays: 0 }, END, 'ended'],
  ['was stopped', { stoppedAt: START + 1, endTime: START + 1 }, START + 1, null],
  ['was stopped two days ago', { stoppedAt: START + 1, endTime: START + 1 }, START + 1 + 2 * DAY, 'ended'],
  ['was stopped before it began', { stoppedAt: START - 5, endTime: START - 5 }, START - 5, null],
  ['is settled early', { settledAt: END + 1 }, END + 1, 'settled'],
  ['is settled, and the clock was set back', { settledAt: END + 1 }, START, 'settled'],
] as const)('behavior: a gig that %s takes awards by request or says why not', (_what, gig, now, expected) => {
  expect(whyClosed({ ...LIVE, ...gig }, now)).toBe(expected);
});

test('behavior: the time for awards counts from the end, also from an early one', () => {
  expect(awardsUntil({ endTime: END, awardDays: 90 })).toBe(101 * DAY);
  expect(awardsUntil({ endTime: END, awardDays: 0 })).toBe(END);
});

test('behavior: a refund goes where the terms say, else where the operator said, and is due after the delay', () => {
  const [terms, operator] = [seedAddress(1), seedAddress(2)];
  expect(refundRecipient({ refundAddress: terms, refundTo: operator })).toBe(terms);
  expect(refundRecipient({ refundAddress: null, refundTo: operator })).toBe(operator);
  expect(refundRecipient({ refundAddress: null, refundTo: null })).toBeNull();
  expect(refundDueAt({ settledAt: END }, 72 * 3_600_000)).toBe(14 * DAY);
  expect(refundDueAt({ settledAt: null }, 0)).toBeNull();
});

test.each([
  ['nothing is awarded', { awardedAmount: 0n, reservedAmount: 0n, refundedAt: null }, 100n, 100n],
  ['shares are reserved', { awardedAmount: 30n, reservedAmount: 20n, refundedAt: null }, 70n, 50n],
  ['all is awarded', { awardedAmount: 100n, reservedAmount: 0n, refundedAt: null }, 0n, 0n],
  ['more was paid than the reward', { awardedAmount: 130n, reservedAmount: 0n, refundedAt: null }, 0n, 0n],
  ['more is reserved than is left', { awardedAmount: 90n, reservedAmount: 20n, refundedAt: null }, 10n, 0n],
  ['it was refunded', { awardedAmount: 30n, reservedAmount: 0n, refundedAt: 5 }, 0n, 0n],
] as const)('behavior: what is left when %s', (_what, gig, unawarded, left) => {
  expect([unawardedOf({ rewardAmount: 100n, ...gig }), awardableOf({ rewardAmount: 100n, ...gig })]).toEqual([
    unawarded,
    left,
  ]);
});
