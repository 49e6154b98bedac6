import { expect, test } from 'vitest';
import { type GigEvent, type GigFacts, isOver, nextNotice } from '../../../src/domain/gigs/notice.ts';

const START = 1_000;
const END = 2_000;
const DAY = 24 * 60 * 60 * 1000;

function facts(overrides: Partial<GigFacts> = {}): GigFacts {
  const amounts = { rewardAmount: 100n, awardedAmount: 0n };
  const starts = { start: 'on_request', startUntil: null } as const;
  const fate = { stoppedAt: null, cancelledAt: null, settledAt: null, isRefunded: false, wentLiveAt: null };
  return { status: 'live', createdAt: 0, startTime: START, endTime: END, ...starts, ...fate, ...amounts, ...overrides };
}

interface Case {
  readonly of: string;
  readonly told?: readonly GigEvent[];
  readonly gig?: Partial<GigFacts>;
  readonly now: number;
  readonly next: { readonly event: GigEvent | null; readonly told: readonly GigEvent[] } | null;
}

const CASES: readonly Case[] = [
  { of: 'nothing of a gig that is not started', gig: { status: 'created' }, now: END, next: null },
  { of: 'no funding of one that is started', now: START - 1, next: { event: null, told: ['funded'] } },
  { of: 'that it is live', now: START, next: { event: 'live', told: ['funded', 'live'] } },
  {
    of: 'what happened at once one after the other',
    gig: { awardedAmount: 100n },
    now: START,
    next: { event: 'live', told: ['funded', 'live'] },
  },
  {
    of: 'that most is awarded at 80 %',
    told: ['funded', 'live'],
    gig: { awardedAmount: 80n },
    now: START,
    next: { event: 'mostly_awarded', told: ['funded', 'live', 'mostly_awarded'] },
  },
  { of: 'nothing below it', told: ['funded', 'live'], gig: { awardedAmount: 79n }, now: END - 1, next: null },
  {
    of: 'only the end, once it is over',
    gig: { awardedAmount: 80n },
    now: END,
    next: { event: 'ended', told: ['funded', 'live', 'mostly_awarded', 'ended'] },
  },
  {
    of: 'awards that come later than the end',
    told: ['funded', 'live', 'ended'],
    gig: { awardedAmount: 80n },
    now: END,
    next: { event: 'mostly_awarded', told: ['funded', 'live', 'mostly_awarded', 'ended'] },
  },
  {
    of: 'the end of one that was stopped before its time',
    told: ['funded', 'live'],
    gig: { stoppedAt: END - 1 },
    now: END - 1,
    next: { event: 'ended', told: ['funded', 'live', 'ended'] },
  },
  {
    of: 'that it did not start by itself',
    gig: { status: 'created', start: 'when_funded', startUntil: null },
    now: END,
    next: { event: 'not_started', told: ['not_started'] },
  },
  {
    of: 'nothing while its wallet is looked at',
    gig: { status: 'created', start: 'when_funded', startUntil: END },
    now: START,
    next: null,
  },
  {
    of: 'that it is cancelled, of one that was funded meanwhile',
    gig: { status: 'created', cancelledAt: 1 },
    now: 2,
    next: { event: 'cancelled', told: ['funded', 'cancelled'] },
  },
  {
    of: 'that it is settled, with the end that was not told',
    told: ['funded', 'live'],
    gig: { settledAt: END },
    now: END,
    next: { event: 'settled', told: ['funded', 'live', 'ended', 'settled'] },
  },
  {
    of: 'that it is refunded',
    told: ['funded', 'live', 'ended', 'settled'],
    gig: { settledAt: END, isRefunded: true },
    now: END,
    next: { event: 'refunded', told: ['funded', 'live', 'ended', 'settled', 'refunded'] },
  },
];

test.each(CASES)('behavior: next is told $of', ({ told = [], gig, now, next }) => {
  expect(nextNotice(told, facts(gig), now)).toEqual(next);
});

test('behavior: nothing more is told of a gig that is cancelled or refunded, or settled without a rest', () => {
  expect(isOver(['cancelled'], facts({ status: 'created', cancelledAt: 1 }), END)).toBe(true);
  expect(isOver(['settled'], facts({ settledAt: END }), END)).toBe(false);
  expect(isOver(['settled'], facts({ settledAt: END, awardedAmount: 100n }), END)).toBe(true);
  expect(isOver(['settled', 'refunded'], facts({ settledAt: END, isRefunded: true }), END)).toBe(true);
});

test('behavior: half a year after its end nothing more is told of a gig', () => {
  expect(isOver([], facts(), END + 180 * DAY - 1)).toBe(false);
  expect(isOver([], facts(), END + 180 * DAY)).toBe(true);
  expect(isOver([], facts({ status: 'created' }), END + 180 * DAY)).toBe(false);
});
