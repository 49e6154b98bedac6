import { describe, expect, test } from 'vitest';
import { isUsedUp, roomAt, windowStart } from '../../../src/domain/mentions/reply-limits.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const use = (sentAt: number[], sending = 0, queued = 0) => ({ sentAt, sending, queued });
const room = (sentAt: number[], limit: number, ahead = 0, sending = 0) =>
  roomAt(use(sentAt, sending), { limit, ahead, now: NOW }) - NOW;

describe('the room in an hour', () => {
  test('behavior: a reply that is exactly an hour old counts still', () => {
    expect(windowStart(NOW)).toBe(NOW - HOUR);
  });

  test('behavior: what was sent, is being sent and waits uses the limit up', () => {
    expect(isUsedUp(use([1], 1, 1), 4)).toBe(false);
    expect(isUsedUp(use([1], 1, 2), 4)).toBe(true);
    expect(isUsedUp(use([1, 2, 3, 4, 5]), 4)).toBe(true);
  });

  test('behavior: below the limit there is room at once', () => {
    expect(room([], 1)).toBe(0);
    expect(room([NOW - 5, NOW - 4], 3)).toBe(0);
    expect(room([NOW - 5], 3, 1)).toBe(0);
  });

  test('behavior: at the limit there is room a moment after the oldest is an hour old', () => {
    expect(room([NOW - 600_000, NOW - 5], 2)).toBe(HOUR - 600_000 + 1);
    expect(room([NOW - HOUR, NOW - 5], 2)).toBe(1);
  });

  test('behavior: each one ahead takes the room of the next one that falls out', () => {
    const sent = [NOW - 300, NOW - 200, NOW - 100];
    expect(room(sent, 3, 0)).toBe(HOUR - 299);
    expect(room(sent, 3, 1)).toBe(HOUR - 199);
    expect(room(sent, 3, 2)).toBe(HOUR - 99);
    // The first of those ahead is sent in an hour, and falls out in two.
    expect(room(sent, 3, 3)).toBe(2 * HOUR - 298);
    expect(room(sent, 3, 8)).toBe(3 * HOUR - 97);
  });

  test('behavior: what is being sent is counted as sent now, and those ahead are sent as soon as they may be', () => {
    expect(room([], 1, 0, 1)).toBe(HOUR + 1);
    expect(room([NOW - 300], 3, 2)).toBe(HOUR - 299);
    expect(room([NOW - 300], 3, 3)).toBe(HOUR + 1);
  });

  test('behavior: more than the limit, because that was higher before, has to fall out first', () => {
    expect(room([NOW - 300, NOW - 200, NOW - 100], 1)).toBe(HOUR - 99);
  });
});
