import { expect, test } from 'vitest';
import { createPlatformHealth } from '../../src/services/health.ts';
import { createClock, fault, keepLog } from './fakes.ts';

function setUp() {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const health = createPlatformHealth({ platforms: ['farcaster', 'twitter'], clock, log });
  const pausedFor = () => {
    const until = health.standings().find(({ platform }) => platform === 'twitter')?.paused?.until;
    return until === undefined ? null : until - clock();
  };
  return { health, clock, advance, lines, pausedFor };
}

test.each([
  ['unauthorized', 3],
  ['payment_required', 3],
  ['not_engaged', 5],
] as const)('behavior: %s refusals pause a platform when there were %i in a row', (reason, times) => {
  const { health, pausedFor, lines } = setUp();
  for (let count = 1; count < times; count += 1) {
    health.failed('twitter', fault(reason, 'safe'), `author ${count}`);
    expect(health.isOpen('twitter')).toBe(true);
  }
  health.failed('twitter', fault(reason, 'safe'), 'the last author');
  expect(health.isOpen('twitter')).toBe(false);
  expect(health.isOpen('farcaster')).toBe(true);
  expect(pausedFor()).toBe(60_000);
  expect(lines.at(-1)).toMatchObject({ level: 'error', platform: 'twitter', msg: 'platform paused; nothing is lost' });
});

test('security: one author’s posts that cannot be answered silence nobody else', () => {
  const { health } = setUp();
  for (let count = 0; count < 20; count += 1) {
    health.failed('twitter', fault('forbidden', 'never'), 'mallory');
    health.failed('twitter', fault('not_engaged', 'never'), 'mallory');
  }
  expect(health.isOpen('twitter')).toBe(true);
});

test('behavior: calls that were under way when the pause began do not lengthen it', () => {
  const { health, pausedFor } = setUp();
  for (let count = 0; count < 12; count += 1) health.failed('twitter', fault('payment_required', 'safe'));
  expect(pausedFor()).toBe(60_000);
});

test('behavior: refusals of different kinds are not a row', () => {
  const { health } = setUp();
  for (const reason of [
    'unauthorized',
    'payment_required',
    'unauthorized',
    'payment_required',
    'unauthorized',
  ] as const) {
    health.failed('twitter', fault(reason, 'safe'));
  }
  expect(health.isOpen('twitter')).toBe(true);
});

test('behavior: a reply that goes out ends the row', () => {
  const { health } = setUp();
  for (let count = 0; count < 10; count += 1) {
    health.failed('twitter', fault('unauthorized', 'safe'));
    health.failed('twitter', fault('unauthorized', 'safe'));
    health.sent('twitter');
  }
  expect(health.isOpen('twitter')).toBe(true);
});

test('behavior: failures of the network or of one post never pause', () => {
  const { health } = setUp();
  for (let count = 0; count < 20; count += 1) {
    for (const reason of ['unreachable', 'timeout', 'server_error', 'rejected', 'not_found', 'duplicate'] as const) {
      health.failed('twitter', fault(reason, 'safe'));
    }
  }
  expect(health.isOpen('twitter')).toBe(true);
});

test('behavior: after a pause one more refusal pauses again, twice as long, up to an hour', () => {
  const { health, advance, pausedFor } = setUp();
  health.failed('twitter', fault('payment_required', 'safe'));
  health.failed('twitter', fault('payment_required', 'safe'));
  const pauses = Array.from({ length: 8 }, () => {
    health.failed('twitter', fault('payment_required', 'safe'));
    const pause = pausedFor() ?? 0;
    advance(pause - 1);
    expect(health.isOpen('twitter')).toBe(false);
    advance(1);
    expect(health.isOpen('twitter')).toBe(true);
    return pause / 60_000;
  });
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test('behavior: a reply that goes out ends a pause, something read does not', () => {
  const { health, clock, advance } = setUp();
  for (let count = 0; count < 3; count += 1) health.failed('twitter', fault('unauthorized', 'safe'));
  advance(5);
  health.heard('twitter');
  expect(health.isOpen('twitter')).toBe(false);
  expect(health.standings()[1]).toMatchObject({
    lastSuccess: clock(),
    paused: { reason: expect.stringContaining('401') },
  });
  health.sent('twitter');
  expect(health.standings()).toEqual([
    { platform: 'farcaster', lastSuccess: null, paused: null },
    { platform: 'twitter', lastSuccess: clock(), paused: null },
  ]);
});

test('behavior: a rate limit pauses at once, for as long as the platform asks', () => {
  const { health, pausedFor } = setUp();
  health.failed('twitter', fault('rate_limited', 'safe', 900_000));
  expect(pausedFor()).toBe(900_000);
  // A shorter one that comes later does not shorten it.
  health.failed('twitter', fault('rate_limited', 'safe', 1_000));
  expect(pausedFor()).toBe(900_000);
});

test('behavior: a rate limit without a time pauses for a minute', () => {
  const { health, pausedFor } = setUp();
  health.failed('twitter', fault('rate_limited', 'safe'));
  expect(pausedFor()).toBe(60_000);
});

test('behavior: a platform that is off is of no concern', () => {
  const { clock } = createClock();
  const health = createPlatformHealth({ platforms: ['farcaster'], clock, log: keepLog().log });
  health.failed('twitter', fault('rate_limited', 'safe'));
  health.sent('twitter');
  health.heard('twitter');
  expect(health.standings()).toHaveLength(1);
});
