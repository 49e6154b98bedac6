import { expect, test } from 'vitest';
import { type News, notificationUuid } from '../../../src/domain/notifications/notification.ts';
import {
  createGigPace,
  isStale,
  mostOf,
  notifiableAt,
  planNews as plan,
  topicOf,
} from '../../../src/domain/notifications/pace.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';

const NOW = 1_800_000_000_000;

function tip(overrides: Partial<News> = {}): News {
  const account = { platform: 'farcaster', platformUserId: '1001' };
  const what = { kind: 'tips', gigId: 5, subjectId: 5, reason: null, amount: 2n, count: 1, eventUid: 'evt_1' } as const;
  return { ...account, ...what, ...overrides };
}

test.each([
  ['nobody was notified', { lastAt: null, dayFullAt: null }, 0],
  ['the last one was long ago', { lastAt: NOW - 30_000, dayFullAt: null }, 0],
  ['the last one was a moment ago', { lastAt: NOW - 1_000, dayFullAt: null }, 29_000],
  ['the day is full', { lastAt: NOW - HOUR_MS, dayFullAt: NOW - DAY_MS + 5 }, 5],
])('behavior: an account may be notified again: %s', (_, times, waitMs) => {
  expect(notifiableAt(times, NOW)).toBe(NOW + waitMs);
});

test('security: nothing is sent for as long as a client knows its id', () => {
  expect(isStale({ queuedAt: NOW }, NOW + 20 * HOUR_MS - 1)).toBe(false);
  expect(isStale({ queuedAt: NOW }, NOW + 20 * HOUR_MS)).toBe(true);
});

test('security: an account has one id for an event, a UUID of version 5, and no other has it', () => {
  const id = notificationUuid(tip());
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(notificationUuid(tip({ amount: 9n, count: 3 }))).toBe(id);
  const others = [tip({ platformUserId: '1002' }), tip({ eventUid: 'evt_2' })].map(notificationUuid);
  expect(new Set([id, ...others]).size).toBe(3);
});

const NOTHING = { unsent: [], told: new Map<string, number>(), waiting: new Map<string, number>(), now: NOW };
const planNews: (...of: [readonly News[], Parameters<typeof plan>[1]]) => ReturnType<typeof plan> = (news, stored) =>
  plan(news, stored, createGigPace());

test('behavior: tips of one gig are summed, those of another gig, another account or another kind are not', () => {
  const all = [
    tip(),
    tip({ eventUid: 'evt_2', amount: 3n }),
    tip({ subjectId: 6, gigId: 6 }),
    tip({ platformUserId: '7' }),
    tip({ kind: 'live' }),
  ];
  const { grown, queued } = planNews(all, NOTHING);
  expect(grown).toEqual([]);
  expect(queued.map(({ amount, count, eventUid }) => [amount, count, eventUid])).toEqual([
    [5n, 2, 'evt_1'],
    ...Array(3).fill([2n, 1, 'evt_1']),
  ]);
});

test('behavior: what was told within the hour waits for the end of it, and what waits already grows', () => {
  const told = new Map([[topicOf(tip()), NOW - 600_000]]);
  const later = planNews([tip()], { ...NOTHING, told });
  expect(later.queued.map(({ nextAt }) => nextAt)).toEqual([NOW - 600_000 + HOUR_MS]);
  const news = tip({ kind: 'live' });
  const live = planNews([news], { ...NOTHING, told: new Map([[topicOf(news), NOW - 1]]) });
  expect(live.queued.map(({ nextAt }) => nextAt)).toEqual([NOW]);
  const { eventUid: _, ...row } = tip({ amount: 4n, count: 2 });
  const state = { state: 'queued', tries: 0, nextAt: NOW, queuedAt: NOW, triedAt: null, endedAt: null } as const;
  const unsent = [{ ...row, ...state, id: 9, uuid: 'u', error: null, text: null }];
  const more = planNews([tip(), tip()], { ...NOTHING, unsent, told });
  expect(more).toEqual({ queued: [], grown: [{ id: 9, reason: null, amount: 8n, count: 4 }] });
});

test('security: no more is queued for an account than it can be told in a day, and strangers leave it room', () => {
  const waiting = new Map([
    ['farcaster:1001', 79],
    ['farcaster:1002', 99],
  ]);
  const all = ['1001', '1002'].flatMap((platformUserId) =>
    (['tips', 'refused', 'paid', 'live'] as const).map((kind) => tip({ platformUserId, kind })),
  );
  const { queued } = planNews(all, { ...NOTHING, waiting });
  expect(queued.map(({ platformUserId, kind }) => `${platformUserId} ${kind}`)).toEqual([
    '1001 tips',
    '1001 paid',
    '1001 live',
    '1002 paid',
  ]);
  expect([mostOf(tip()), mostOf(tip({ kind: 'paid' }))]).toEqual([80, 100]);
});

test('security: what a gig tells many is spread over time, and its other news is not', () => {
  const pace = createGigPace();
  const waits = (count: number, news = tip(), now = NOW) =>
    Array.from({ length: count }, () => pace.next(news, now) - now);
  expect(waits(27)).toEqual([...Array(25).fill(0), 400, 800]);
  expect([waits(1, tip({ kind: 'paid' })), waits(1, tip({ gigId: 6 }))]).toEqual([[0], [0]]);
  expect(waits(1, tip(), NOW + 1_000)).toEqual([200]);
  expect(Math.max(...waits(100_000, tip(), NOW + 1_000))).toBe(10 * HOUR_MS - 10_000);
  // The clock was set back.
  expect(waits(1)).toEqual([0]);
});
