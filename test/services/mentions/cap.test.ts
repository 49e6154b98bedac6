import { expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { CallGate, PlatformPause } from '../../../src/domain/platforms/call-gate.ts';
import { createCap, type PauseKeeper } from '../../../src/services/mentions/cap.ts';
import { createClock, fault, keepLog } from '../fakes.ts';

const HOUR = 3_600_000;

function setUp(keeper?: PauseKeeper) {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const kept: [string, PlatformPause][] = [];
  let passed = 0;
  const gate: CallGate = {
    pass(call) {
      passed += 1;
      return call();
    },
  };
  const keep: PauseKeeper = keeper ?? (async (platform, pause) => void kept.push([platform, pause]));
  const cap = createCap({ platform: 'twitter', clock, log, keep, gate });
  const capped = (blockedUntil: number) =>
    new AdapterError({ retry: 'safe', reason: 'payment_required', message: 'it is capped', blockedUntil });
  const call = (error?: Error) =>
    cap.pass(async () => (error === undefined ? 'an answer' : await Promise.reject(error)));
  return { cap, clock, advance, lines, kept, capped, call, passed: () => passed };
}

const REASON = 'a spending or usage cap is reached; nothing is sent or asked before 1 Jan 2026, 02:00 UTC';
const BEGUN = { level: 'error', platform: 'twitter', msg: 'platform paused; its queued work waits' };
const OVER = { level: 'info', platform: 'twitter', msg: 'the pause for a cap is over; the platform is asked again' };

test('behavior: from the answer that a cap is reached no call is made until the time that it has named', async () => {
  const { cap, clock, advance, lines, kept, capped, call, passed } = setUp();
  expect([await call(), cap.pause()]).toEqual(['an answer', null]);
  const until = clock() + 2 * HOUR;
  await expect(call(capped(until))).rejects.toThrow('it is capped');
  const pause = { reason: REASON, until };
  expect([cap.pause(), kept]).toEqual([pause, [['twitter', pause]]]);
  expect(lines).toMatchObject([{ ...BEGUN, reason: REASON, until: '2026-01-01T02:00:00.000Z' }]);
  // The operator may raise the cap, so nobody waits for longer than an hour.
  for (const [retryAfterMs, passes] of [
    [HOUR, HOUR],
    [HOUR, HOUR - 1],
    [1, 1],
  ] as const) {
    const paused = { reason: 'paused', retry: 'safe', message: `twitter is paused: ${REASON}`, retryAfterMs };
    await expect(call()).rejects.toMatchObject(paused);
    advance(passes);
  }
  expect([cap.pause(), await call(), passed()]).toEqual([null, 'an answer', 3]);
});

test('behavior: of calls that were under way the first one that meets the cap begins the pause', async () => {
  const { cap, clock, kept, lines, capped, call } = setUp();
  const until = clock() + 2 * HOUR;
  await Promise.allSettled([call(capped(until)), call(capped(until + HOUR))]);
  expect(cap.pause()).toEqual({ reason: REASON, until });
  expect([kept.length, lines.length]).toEqual([1, 1]);
});

test('behavior: other failures begin none', async () => {
  const { cap, call } = setUp();
  await expect(call(fault('payment_required', 'safe'))).rejects.toThrow(AdapterError);
  await expect(call(Object.assign(new TypeError('ours'), { blockedUntil: Number.MAX_SAFE_INTEGER }))).rejects.toThrow(
    'ours',
  );
  expect(cap.pause()).toBeNull();
});

test('error: a pause that cannot be stored holds in memory', async () => {
  const { cap, clock, lines, capped, call } = setUp(() => Promise.reject(new Error('away')));
  const until = clock() + 2 * HOUR;
  await expect(call(capped(until))).rejects.toThrow('it is capped');
  expect(cap.pause()).toEqual({ reason: REASON, until });
  const msg = 'cannot store the pause; the next call finds it again';
  expect(lines.at(-1)).toMatchObject({ level: 'error', platform: 'twitter', error: { message: 'away' }, msg });
});

test('behavior: what the store knows is taken over, and is said once', async () => {
  const { cap, clock, advance, lines } = setUp();
  cap.follow(null);
  cap.follow({ reason: 'over', until: clock() });
  expect([cap.pause(), lines]).toEqual([null, []]);
  const [short, long] = [HOUR, 2 * HOUR].map((ms) => ({ reason: 'a cap', until: clock() + ms }));
  if (short === undefined || long === undefined) throw new TypeError('there are two');
  for (const stored of [short, short, long]) {
    cap.follow(stored);
    expect(cap.pause()).toEqual(stored);
  }
  expect(lines).toMatchObject([short, long].map(({ until }) => ({ ...BEGUN, until: new Date(until).toISOString() })));
  cap.follow(null);
  cap.follow(null);
  expect(cap.pause()).toBeNull();
  expect(lines.slice(2)).toMatchObject([OVER]);
  cap.follow(long);
  advance(2 * HOUR);
  cap.follow(long);
  expect(lines.slice(4)).toMatchObject([OVER]);
});
