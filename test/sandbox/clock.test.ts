import { expect, test } from 'vitest';
import { createSandboxClock, describeSpan, parseSpan } from '../../sandbox/clock.ts';

const HOUR = 3_600_000;

test('behavior: the clock is the machine’s until it is moved on', () => {
  let machine = 1_000;
  const clock = createSandboxClock(() => machine);
  expect([clock.now(), clock.ahead()]).toEqual([1_000, 0]);
  clock.moveOn(13 * HOUR);
  machine = 2_000;
  clock.moveOn(HOUR);
  expect([clock.now(), clock.ahead()]).toEqual([14 * HOUR + 2_000, 14 * HOUR]);
});

test.each([
  ['90m', 1.5 * HOUR, '1 h 30 min'],
  ['13h', 13 * HOUR, '13 h'],
  [' 2d ', 48 * HOUR, '2 d'],
  ['37h', 37 * HOUR, '1 d 13 h'],
])('behavior: %j is a span', (text, ms, words) => {
  expect([parseSpan(text), describeSpan(ms)]).toEqual([ms, words]);
});

test.each(['', '13', 'h', '0h', '-1h', '1.5h', '1 h', '13H', '367d', '1h2h'])('error: %j is none', (text) => {
  expect(parseSpan(text)).toBeNull();
});
