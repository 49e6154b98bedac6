import { expect, test } from 'vitest';
import type { AdapterFault } from '../../../src/domain/errors.ts';
import { createCircuitBreaker } from '../../../src/services/mentions/breaker.ts';
import { createClock, fault } from '../fakes.ts';

function setUp() {
  const { clock, advance } = createClock();
  const changes: (number | null)[] = [];
  const breaker = createCircuitBreaker({ platform: 'twitter', clock, changed: (until) => changes.push(until) });
  const fail = (reason: AdapterFault['reason']) =>
    expect(breaker.pass(() => Promise.reject(fault(reason, 'safe')))).rejects.toMatchObject({ reason });
  const answer = () => breaker.pass(async () => 'an answer');
  const left = () => (breaker.pausedUntil() ?? clock()) - clock();
  return { breaker, clock, advance, changes, fail, answer, left };
}

test('behavior: three deadlines in a row, and nothing is called any more', async () => {
  const { breaker, fail, left, clock, changes } = setUp();
  await fail('timeout');
  await fail('timeout');
  expect(breaker.isClosed()).toBe(true);
  await fail('timeout');
  expect(breaker.isClosed()).toBe(false);
  expect(left()).toBe(15_000);
  expect(changes).toEqual([clock() + 15_000]);
  let called = 0;
  const call = async () => {
    called += 1;
  };
  await expect(breaker.pass(call)).rejects.toMatchObject({ reason: 'paused', retry: 'safe', retryAfterMs: 15_000 });
  expect(called).toBe(0);
});

test.each(['server_error', 'rate_limited', 'unauthorized', 'not_found', 'bad_response', 'forbidden'] as const)(
  'behavior: an answer that says %s ends the row, as a good one does',
  async (reason) => {
    const { breaker, fail, answer } = setUp();
    for (let turn = 0; turn < 3; turn += 1) {
      await fail('timeout');
      await fail('timeout');
      await fail(reason);
      await fail('timeout');
      await fail('timeout');
      await answer();
    }
    expect(breaker.isClosed()).toBe(true);
  },
);

test('behavior: connections that are refused cost nobody a deadline, and neither begin a pause nor end a row', async () => {
  const { breaker, fail } = setUp();
  for (let call = 0; call < 20; call += 1) await fail('unreachable');
  await fail('timeout');
  await fail('timeout');
  await fail('unreachable');
  expect(breaker.isClosed()).toBe(true);
  await fail('timeout');
  expect(breaker.isClosed()).toBe(false);
});

test('behavior: calls that were under way when the pause began do not lengthen it', async () => {
  const { fail, left, changes } = setUp();
  await Promise.all(Array.from({ length: 12 }, () => fail('timeout')));
  expect(left()).toBe(15_000);
  expect(changes).toHaveLength(1);
});

test('behavior: after a pause one call tries alone, and the others are told to wait', async () => {
  const { breaker, advance, fail } = setUp();
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  advance(15_000);
  const answered = Promise.withResolvers<string>();
  const tried = breaker.pass(() => answered.promise);
  expect(breaker.isClosed()).toBe(false);
  await expect(breaker.pass(async () => 'another')).rejects.toMatchObject({ reason: 'paused', retryAfterMs: 5_000 });
  answered.resolve('it is back');
  expect(await tried).toBe('it is back');
  expect(breaker.isClosed()).toBe(true);
  expect(await breaker.pass(async () => 'another')).toBe('another');
});

test('behavior: a call from before the pause that ends during the try lets no other one try', async () => {
  const { breaker, advance, fail } = setUp();
  const [before, tried] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const old = breaker.pass(() => before.promise);
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  advance(15_000);
  const trying = breaker.pass(() => tried.promise);
  before.reject(fault('too_late', 'safe'));
  await expect(old).rejects.toMatchObject({ reason: 'too_late' });
  await expect(breaker.pass(async () => 'another')).rejects.toMatchObject({ reason: 'paused' });
  tried.resolve('it is back');
  expect(await trying).toBe('it is back');
});

test.each(['timeout', 'unreachable'] as const)(
  'behavior: each call that tries and ends with %s makes the next pause twice as long, up to five minutes',
  async (reason) => {
    const { breaker, advance, fail, left } = setUp();
    for (let call = 0; call < 3; call += 1) await fail('timeout');
    const pauses = [];
    for (let turn = 0; turn < 7; turn += 1) {
      pauses.push(left() / 1_000);
      advance(left() - 1);
      expect(breaker.isClosed()).toBe(false);
      advance(1);
      expect(breaker.isClosed()).toBe(true);
      await fail(reason);
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300]);
  },
);

test('behavior: once it answered, the next pause is short again', async () => {
  const { advance, fail, answer, left, changes, clock } = setUp();
  await answer();
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  advance(15_000);
  await fail('timeout');
  const until = clock() + 30_000;
  advance(30_000);
  await answer();
  expect(left()).toBe(0);
  expect(changes).toEqual([until - 30_000, until, null]);
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  expect(left()).toBe(15_000);
});

test('error: a fault of ours, or a call that was never made, says nothing about the platform', async () => {
  const { breaker, advance, fail } = setUp();
  const ours = () => Promise.reject(new TypeError('ours'));
  for (let call = 0; call < 5; call += 1) {
    await expect(breaker.pass(ours)).rejects.toThrow('ours');
    await fail('too_late');
  }
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  advance(15_000);
  await expect(breaker.pass(ours)).rejects.toThrow('ours');
  for (const reason of ['too_late', 'paused'] as const) await fail(reason);
  // It is still to be found out whether it answers.
  expect(breaker.pausedUntil()).not.toBeNull();
  expect(breaker.isClosed()).toBe(true);
});

test('behavior: a clock that is set back holds up nothing', async () => {
  const { breaker, advance, fail } = setUp();
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  advance(-3_600_000);
  expect(breaker.isClosed()).toBe(true);
});

test('behavior: a pause from before the clock was set back is over', async () => {
  const { breaker, advance, fail } = setUp();
  for (let call = 0; call < 3; call += 1) await fail('timeout');
  expect(breaker.isClosed()).toBe(false);
  advance(-240_000);
  expect(breaker.isClosed()).toBe(true);
});
