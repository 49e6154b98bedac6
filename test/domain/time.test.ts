import { describe, expect, test } from 'vitest';
import { dayText, minuteText, secondText } from '../../src/domain/time.ts';

describe('a time for people', () => {
  const ms = Date.UTC(2026, 11, 3, 23, 5, 7, 89);

  test('behavior: names the month, and the zone with the hour', () => {
    expect([dayText(ms), minuteText(ms), secondText(ms)]).toEqual([
      '3 Dec 2026',
      '3 Dec 2026, 23:05 UTC',
      '3 Dec 2026, 23:05:07 UTC',
    ]);
  });
});
