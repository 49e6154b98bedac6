import { expect, test } from 'vitest';
import { createPlatformBreaker } from '../../../src/services/mentions/platform-breaker.ts';
import { ANSWERED, createClock, fault, keepLog, replyTo } from '../fakes.ts';

const PAUSED = { level: 'error', platform: 'twitter', msg: 'platform paused; its queued work waits' };

function setUp() {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const health = createPlatformBreaker({ platforms: ['farcaster', 'twitter'], clock, log });
  const pausedFor = () => {
    const until = health.standings().find(({ platform }) => platform === 'twitter')?.paused?.until;
    return until === undefined ? null : until - clock();
  };
  return { health, clock, advance, lines, pausedFor };
}

const REASONS = ['unauthorized', 'payment_required'] as const;
test.each(REASONS)('behavior: %s refusals pause a platform when there were 3 in a row', (reason) => {
  const { health, pausedFor, lines } = setUp();
  for (let count = 1; count < 3; count += 1) {
    health.failed('twitter', fault(reason, 'safe'));
    expect(health.canSend('twitter')).toBe(true);
  }
  health.failed('twitter', fault(reason, 'safe'));
  expect(health.canSend('twitter')).toBe(false);
  expect(health.canSend('farcaster')).toBe(true);
  expect(pausedFor()).toBe(60_000);
  expect(lines.at(-1)).toMatchObject(PAUSED);
});

test('behavior: calls that were under way when the pause began do not lengthen it', () => {
  const { health, pausedFor } = setUp();
  for (let count = 0; count < 12; count += 1) health.failed('twitter', fault('payment_required', 'safe'));
  expect(pausedFor()).toBe(60_000);
});

test('behavior: refusals of different kinds are not a row', () => {
  const { health } = setUp();
  for (let turn = 0; turn < 3; turn += 1) {
    health.failed('twitter', fault('unauthorized', 'safe'));
    health.failed('twitter', fault('payment_required', 'safe'));
  }
  expect(health.canSend('twitter')).toBe(true);
});

test('behavior: a reply that goes out ends the row', () => {
  const { health } = setUp();
  for (let count = 0; count < 10; count += 1) {
    health.failed('twitter', fault('unauthorized', 'safe'));
    health.failed('twitter', fault('unauthorized', 'safe'));
    health.sent('twitter', ANSWERED);
  }
  expect(health.canSend('twitter')).toBe(true);
});

test('behavior: failures of the network or of a look-up never pause what is sent', () => {
  const { health } = setUp();
  for (const reason of ['unreachable', 'timeout', 'server_error', 'rejected', 'forbidden', 'duplicate'] as const) {
    for (let count = 0; count < 20; count += 1) health.failed('twitter', fault(reason, 'safe'));
  }
  expect(health.canSend('twitter')).toBe(true);
});

test('behavior: after a pause one more refusal pauses again, twice as long, up to an hour', () => {
  const { health, advance, pausedFor } = setUp();
  health.failed('twitter', fault('payment_required', 'safe'));
  health.failed('twitter', fault('payment_required', 'safe'));
  const pauses = Array.from({ length: 8 }, () => {
    health.failed('twitter', fault('payment_required', 'safe'));
    const pause = pausedFor() ?? 0;
    advance(pause - 1);
    expect(health.canSend('twitter')).toBe(false);
    advance(1);
    expect(health.canSend('twitter')).toBe(true);
    return pause / 60_000;
  });
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test('behavior: a reply that goes out ends a pause, something read does not', () => {
  const { health, clock, advance, lines } = setUp();
  health.sent('twitter', ANSWERED);
  for (let count = 0; count < 3; count += 1) health.failed('twitter', fault('unauthorized', 'safe'));
  advance(5);
  health.heard('twitter');
  expect(health.canSend('twitter')).toBe(false);
  const paused = { reason: expect.stringContaining('401') };
  expect(health.standings()[1]).toMatchObject({ lastSuccess: clock(), paused });
  health.sent('twitter', ANSWERED);
  expect(health.standings()).toEqual([
    { platform: 'farcaster', lastSuccess: null, paused: null },
    { platform: 'twitter', lastSuccess: clock(), paused: null },
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual([PAUSED.msg, 'platform answers again']);
});

test('behavior: a rate limit pauses at once, for as long as the platform asks', () => {
  const { health, clock, lines, pausedFor } = setUp();
  health.failed('twitter', fault('rate_limited', 'safe', 900_000));
  expect(pausedFor()).toBe(900_000);
  const until = new Date(clock() + 900_000).toISOString();
  expect(lines).toMatchObject([{ ...PAUSED, level: 'warn', reason: 'rate limited (429)', until }]);
  // A shorter one that comes later does not shorten it.
  health.failed('twitter', fault('rate_limited', 'safe', 1_000));
  expect(pausedFor()).toBe(900_000);
});

test('error: a pause that began after the clock was set back holds no longer than a new one', () => {
  const { health, advance, pausedFor } = setUp();
  health.failed('twitter', fault('rate_limited', 'safe', 900_000));
  advance(-3_600_000);
  health.failed('twitter', fault('rate_limited', 'safe', 1_000));
  expect(pausedFor()).toBe(1_000);
});

test('behavior: a pause after refusals is as long as the platform asks', () => {
  const { health, pausedFor } = setUp();
  for (let count = 0; count < 3; count += 1) health.failed('twitter', fault('unauthorized', 'safe', 7_000));
  expect(pausedFor()).toBe(7_000);
});

test('behavior: a cap is shown as such, and failures during it begin no other pause', async () => {
  const { health, clock, advance } = setUp();
  const until = clock() + 60_000;
  const capped = Object.assign(fault('payment_required', 'safe'), { blockedUntil: until });
  await expect(health.gate('twitter').pass(() => Promise.reject(capped))).rejects.toBe(capped);
  const paused = { reason: expect.stringMatching(/^a spending or usage cap is reached/), until, byCap: true };
  expect(health.standings()[1]).toEqual({ platform: 'twitter', lastSuccess: null, paused });
  expect([health.canSend('twitter'), health.isAnswering('twitter')]).toEqual([false, false]);
  expect([health.takeTurn('twitter'), health.takeFreeTurn('twitter', 9)]).toEqual([null, null]);
  for (let count = 0; count < 3; count += 1) health.failed('twitter', capped);
  advance(60_000);
  expect(health.canSend('twitter')).toBe(true);
  health.follow('twitter', { reason: 'the store knows', until: clock() + 1 });
  expect(health.standings()[1]?.paused).toEqual({ reason: 'the store knows', until: clock() + 1, byCap: true });
  health.follow('twitter', null);
  expect(health.standings()[1]?.paused).toBeNull();
});

test('behavior: turns that are free are as many as are asked for at once, until others end', () => {
  const { health } = setUp();
  const [first, second] = [health.takeFreeTurn('twitter', 2), health.takeTurn('twitter')];
  expect([first, second].map((turn) => turn?.picks)).toEqual(
    Array(2).fill([{ notTo: [], notIn: [], answeredBefore: false }]),
  );
  expect(health.takeFreeTurn('twitter', 2)).toBeNull();
  first?.end();
  expect(health.takeFreeTurn('twitter', 2)).not.toBeNull();
  health.refused('twitter', fault('not_engaged', 'never'), replyTo('1'));
  expect(health.takeFreeTurn('twitter', 9)).toBeNull();
});

test('behavior: a run of refusals is shown and logged as a pause, which a reply that goes out ends', () => {
  const { health, clock, advance, lines, pausedFor } = setUp();
  for (const author of ['1', '2', '3', '4', '5']) {
    expect(health.refused('twitter', fault('not_engaged', 'never'), replyTo(author))).toBe(false);
  }
  expect([health.canSend('twitter'), pausedFor()]).toEqual([false, 30_000]);
  advance(30_000);
  // One at a time is the test.
  for (const turn of [health.takeTurn('twitter'), health.takeTurn('twitter')]) turn?.end();
  const last = health.takeTurn('twitter');
  expect([last, health.takeTurn('twitter')]).toEqual([expect.anything(), null]);
  last?.end();
  advance(-30_000);
  const reason = 'replies to several accounts in a row are refused: the network said not_engaged';
  expect(lines).toMatchObject([{ ...PAUSED, reason, until: new Date(clock() + 30_000).toISOString() }]);
  health.sent('twitter', ANSWERED);
  expect([health.canSend('twitter'), pausedFor()]).toEqual([true, null]);
  health.sent('twitter', ANSWERED);
  expect(lines.slice(1)).toMatchObject([{ level: 'info', platform: 'twitter', msg: 'platform answers again' }]);
});

test('behavior: a rate limit without a time pauses for a minute', () => {
  const { health, pausedFor } = setUp();
  health.failed('twitter', fault('rate_limited', 'safe'));
  expect(pausedFor()).toBe(60_000);
});

test('behavior: a platform that is off is of no concern', () => {
  const { clock } = createClock();
  const health = createPlatformBreaker({ platforms: ['farcaster'], clock, log: keepLog().log });
  health.failed('twitter', fault('rate_limited', 'safe'));
  health.sent('twitter', ANSWERED);
  health.heard('twitter');
  health.hasRoomFor('twitter', null);
  expect([health.canSend('twitter'), health.isAnswering('twitter')]).toEqual([true, true]);
  expect(health.standings()).toEqual([{ platform: 'farcaster', lastSuccess: null, paused: null }]);
  for (const call of [
    () => health.takeTurn('twitter'),
    () => health.gate('twitter'),
    () => health.follow('twitter', null),
  ]) {
    expect(call).toThrow('twitter is off, but it was to be called');
  }
});

test('behavior: a silent platform is shown as paused, and is neither sent to nor asked until it answers', async () => {
  const { health, clock, advance, lines } = setUp();
  const gate = health.gate('twitter');
  for (let call = 0; call < 3; call += 1) {
    const hang = () => Promise.reject(fault('timeout', 'unknown'));
    await expect(gate.pass(hang)).rejects.toMatchObject({ reason: 'timeout' });
  }
  expect([health.canSend('twitter'), health.isAnswering('twitter')]).toEqual([false, false]);
  expect([health.canSend('farcaster'), health.isAnswering('farcaster')]).toEqual([true, true]);
  const reason = 'no answer to several calls in a row; it is not called until the pause ends';
  const paused = { reason, until: clock() + 15_000 };
  expect(health.standings()[1]).toEqual({ platform: 'twitter', lastSuccess: null, paused });
  expect(lines.at(-1)).toMatchObject(PAUSED);
  advance(15_000);
  expect([health.canSend('twitter'), health.isAnswering('twitter')]).toEqual([true, true]);
  await gate.pass(async () => 'hello');
  expect(health.standings()[1]?.paused).toBeNull();
  expect(lines.at(-1)).toMatchObject({ level: 'info', msg: 'platform answers again' });
});

test('behavior: a platform that answers again while its account is refused stays paused for that', async () => {
  const { health, advance } = setUp();
  const gate = health.gate('twitter');
  for (let call = 0; call < 3; call += 1)
    await gate.pass(() => Promise.reject(fault('timeout', 'safe'))).catch(() => null);
  for (let count = 0; count < 3; count += 1) health.failed('twitter', fault('payment_required', 'safe'));
  advance(15_000);
  await gate.pass(async () => 'hello');
  expect([health.canSend('twitter'), health.isAnswering('twitter')]).toEqual([false, true]);
  expect(health.standings()[1]?.paused?.reason).toContain('402');
});
