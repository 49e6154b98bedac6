import { expect, test } from 'vitest';
import { DAY_MS, dayText, fromNowText, minuteText, secondText } from '../../src/domain/time.ts';

const ms = Date.UTC(2026, 11, 3, 23, 5, 7, 89);

test('behavior: a time for people names the month, and the zone with the hour', () => {
  expect([dayText(ms), minuteText(ms), secondText(ms)]).toEqual([
    '3 Dec 2026',
    '3 Dec 2026, 23:05 UTC',
    '3 Dec 2026, 23:05:07 UTC',
  ]);
});

test('behavior: how far a time is from now has its two largest units, and is its day when that is far', () => {
  const cases = [
    [0, 'just now'],
    [-59_999, 'just now'],
    [1, 'in less than a minute'],
    [60_000, 'in 1 min'],
    [-3_600_000, '1 h ago'],
    [12_000_000, 'in 3 h 20 min'],
    [5 * DAY_MS + 11_000_000, 'in 5 d 3 h'],
    [-DAY_MS - 59_000, '1 d ago'],
    [60 * DAY_MS, '1 Feb 2027'],
    [-60 * DAY_MS, '4 Oct 2026'],
  ] as const;
  for (const [away, said] of cases) expect(fromNowText(ms + away, ms)).toBe(said);
});
