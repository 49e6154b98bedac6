import { expect, test } from 'vitest';
import { dayText, minuteText, secondText } from '../../src/domain/time.ts';

const ms = Date.UTC(2026, 11, 3, 23, 5, 7, 89);

test('behavior: a time for people names the month, and the zone with the hour', () => {
  expect([dayText(ms), minuteText(ms), secondText(ms)]).toEqual([
    '3 Dec 2026',
    '3 Dec 2026, 23:05 UTC',
    '3 Dec 2026, 23:05:07 UTC',
  ]);
});
