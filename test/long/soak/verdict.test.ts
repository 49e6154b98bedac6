import { describe, expect, test } from 'vitest';
import { createAnswers, isExpected } from './answers.ts';
import type { Evidence } from './evidence.ts';
import { judge } from './verdict.ts';
import type { Sample } from './watch.ts';

const MEGABYTE = 2 ** 20;

/** Twenty seconds of one life, looked at twice a second; `memory` and `wal` are megabytes. */
function life(pid: number, bornAt: number, { memory, wal = 4 }: { memory: (age: number) => number; wal?: number }) {
  return Array.from({ length: 40 }, (_, index): Sample => {
    const age = index * 500;
    return { at: bornAt + age, pid, memory: memory(age) * MEGABYTE, wal: wal * MEGABYTE };
  });
}

/** A soak in which nothing was wrong. */
function good(changes: Partial<Evidence> = {}): Evidence {
  return {
    mentions: [
      { name: 'farcaster 0x01 (claims)', acknowledged: true, replies: 1 },
      { name: 'twitter 17 (help)', acknowledged: false, replies: 0 },
      { name: 'twitter 18 (help)', acknowledged: false, replies: 1 },
    ],
    strayReplies: [],
    holdings: [
      { name: 'member1', symbol: 'USDC', expected: 5n, held: 5n, orMore: false },
      { name: 'the wallet of gig 2', symbol: 'ETH', expected: 5n, held: 9n, orMore: true },
    ],
    strayTransfers: [],
    gigs: [{ id: 1, live: true, starts: 1 }],
    reconcile: { code: 0, output: '' },
    answers: createAnswers(),
    outages: [{ from: 10_000, until: 11_000 }],
    samples: [...life(1, 0, { memory: () => 100 }), ...life(2, 21_000, { memory: (age) => (age < 5_000 ? 80 : 110) })],
    ...changes,
  };
}

test('behavior: a soak in which nothing was wrong has no problems', () => {
  expect(judge(good())).toEqual([]);
});

test('behavior: memory that a major collection takes back does not grow', () => {
  const samples = life(1, 0, { memory: (age) => 100 + (age % 7_500) / 100 });
  expect(judge(good({ samples }))).toEqual([]);
});

describe('the verdict sees', () => {
  const mention = (acknowledged: boolean, replies: number): Partial<Evidence> => ({
    mentions: [{ name: 'twitter 17 (help)', acknowledged, replies }],
  });
  const holding = (name: string, symbol: string, held: bigint): Partial<Evidence> => ({
    holdings: [{ name, symbol, expected: 5n, held, orMore: symbol === 'ETH' }],
  });
  const gig = (live: boolean, starts: number): Partial<Evidence> => ({ gigs: [{ id: 3, live, starts }] });
  const steady = life(1, 0, { memory: () => 100 });
  const larger = [...steady, ...life(2, 21_000, { memory: () => 136 })];

  test.each<[string, Partial<Evidence>, string]>([
    ['a mention without its reply', mention(true, 0), 'twitter 17 (help) got 0 replies and its delivery a 200'],
    [
      'two replies to what was never taken',
      mention(false, 2),
      'twitter 17 (help) got 2 replies and its delivery no 200',
    ],
    ['a reply to nobody', { strayReplies: ['x 2'] }, 'the bot replied to x 2, which nobody asked it'],
    ['a unit too much', holding('member1', 'USDC', 6n), 'member1 holds 6 units of USDC instead of 5'],
    ['a unit too little beside gas', holding('gig 2', 'ETH', 4n), 'gig 2 holds 4 units of ETH instead of 5'],
    ['a stranger paid', { strayTransfers: ['0xaa to 0x02'] }, 'nobody knows of the transfer 0xaa to 0x02'],
    ['a gig that did not start', gig(false, 0), 'gig 3 is funded and not live'],
    ['a gig that started twice', gig(true, 2), 'gig 3 was started 2 times'],
    [
      'a gig that does not add up',
      { reconcile: { code: 1, output: '✗ gig 1 does not add up\n' } },
      'reconcile ended with 1: ✗ gig 1 does not add up',
    ],
    [
      'memory that grows within a life',
      { samples: life(1, 0, { memory: (age) => 100 + age / 100 }) },
      'memory grew from 205.0 MB to 255.0 MB within the last life',
    ],
    [
      'memory that grows from life to life',
      { samples: larger },
      'memory grew from 100.0 MB in the first life to 136.0 MB in the last',
    ],
    [
      'lives that are too short to tell',
      { samples: steady.slice(0, 25) },
      'no life of the service was long enough to see whether its memory grows',
    ],
    [
      'a log that nobody folds back',
      { samples: life(1, 0, { memory: () => 100, wal: 17 }) },
      'the write-ahead log grew to 17.0 MB',
    ],
  ])('error: %s', (_, changes, sentence) => {
    expect(judge(good(changes))).toEqual([sentence]);
  });

  test('error: an answer that is not documented, and a connection that breaks while the service is up', () => {
    const answers = createAnswers();
    answers.note('look up', { status: 500, body: '{"error":"Internal server error"}', startedAt: 1, at: 2 });
    answers.note('webhook', { status: 0, body: '', startedAt: 9_000, at: 10_100 });
    answers.note('look up', { status: 0, body: '', startedAt: 11_500, at: 11_600 });
    answers.note('claim', { status: 0, body: '', startedAt: 12_500, at: 12_600 });
    answers.note('webhook', { status: 0, body: '', startedAt: 12_500, at: 22_500 });
    answers.note('claim', { status: 0, body: '', startedAt: 12_500, at: 22_500 });
    expect(judge(good({ answers }))).toEqual([
      '“look up” was answered with 500 {"error":"Internal server error"}',
      '“claim” got no answer at 1970-01-01T00:00:12.600Z, when the service was up',
      '“claim” got no answer at 1970-01-01T00:00:22.500Z, when the service was up',
    ]);
  });
});

test('error: behind a proxy a 502 and a 503 are no answers, but for operations whose answer a 503 may be', () => {
  const answers = createAnswers({ isShared: true });
  answers.note('look up', { status: 503, body: '', startedAt: 10_500, at: 10_600 });
  answers.note('claim', { status: 503, body: '', startedAt: 12_500, at: 12_600 });
  answers.note('claim', { status: 502, body: '', startedAt: 12_500, at: 12_600 });
  expect(judge(good({ answers }))).toEqual([
    '“claim” got no answer at 1970-01-01T00:00:12.600Z, when the service was up',
  ]);
});

test('behavior: only what the interface documents is expected', () => {
  const live = '{"error":"Gig is already live"}';
  expect(isExpected('start gig', { status: 400, body: live })).toBe(true);
  expect(isExpected('start gig', { status: 400, body: '{"error":"gig_id must be a number"}' })).toBe(false);
  expect(isExpected('claim', { status: 404, body: '{"error":"No tips found"}' })).toBe(true);
  expect(isExpected('claim', { status: 404, body: '{"error":"Cast not found"}' })).toBe(false);
  expect(isExpected('look up', { status: 503, body: '' })).toBe(false);
  expect(isExpected('start gig', { status: 503, body: '' })).toBe(true);
});
