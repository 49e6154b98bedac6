import { expect, test } from 'vitest';
import type { AdapterReason } from '../../../src/domain/errors.ts';
import type { LeasedReply } from '../../../src/domain/mentions/mention.ts';
import { REPLY_WORTH } from '../../../src/domain/mentions/reply-worth.ts';
import { createRefusals, isPostRefusal } from '../../../src/services/mentions/refusals.ts';
import { ANSWERED, createClock, fault, replyTo } from '../fakes.ts';

const HOUR = 3_600_000;

function setUp() {
  const { clock, advance } = createClock();
  const refusals = createRefusals(clock);
  const refuse = (reply: LeasedReply, reason: AdapterReason = 'not_engaged') =>
    refusals.refused(reply, fault(reason, 'never'));
  const refuseAll = (from: number, to: number) => {
    for (let n = from; n <= to; n += 1) refuse(replyTo(`author ${n}`));
  };
  const left = () => (refusals.pause()?.until ?? clock()) - clock();
  return { refusals, clock, advance, refuse, refuseAll, left };
}

test.each(['forbidden', 'not_engaged', 'not_found'] as const)(
  'behavior: the fifth author in a row that is refused (%s) begins a pause of half a minute',
  (reason) => {
    const { refusals, refuse, advance, left } = setUp();
    for (const author of ['1', '2', '3', '4']) {
      expect(refuse(replyTo(author), reason)).toEqual({ begins: false, isFinal: false });
      expect(refusals.isPaused()).toBe(false);
    }
    expect(refuse(replyTo('5'), reason)).toEqual({ begins: true, isFinal: false });
    expect([refusals.isPaused(), left()]).toEqual([true, 30_000]);
    expect(refusals.pause()?.reason).toBe(
      `replies to several accounts in a row are refused: the network said ${reason}`,
    );
    expect(refusals.takeTurn()).toBeNull();
    advance(30_000);
    expect(refusals.isPaused()).toBe(false);
  },
);

test('security: an author counts once, and so does a thread', () => {
  const { refusals, refuse } = setUp();
  for (let n = 0; n < 20; n += 1) {
    refuse(replyTo('mallory', { id: n, mention: { ...ANSWERED, authorId: 'mallory', threadId: `thread ${n}` } }));
    refuse(replyTo(`author ${n}`, { mention: { ...ANSWERED, authorId: `author ${n}`, threadId: 'one thread' } }));
  }
  expect(refusals.pause()).toBeNull();
});

test('security: authors who were refused before begin no other pause, also when they were answered meanwhile', () => {
  const { refusals, refuseAll, advance } = setUp();
  refuseAll(1, 5);
  advance(30_000);
  for (let n = 1; n <= 5; n += 1) refusals.accepted(replyTo(`author ${n}`).mention);
  expect(refusals.pause()).toBeNull();
  refuseAll(1, 5);
  expect(refusals.pause()).toBeNull();
  refuseAll(6, 10);
  expect(refusals.isPaused()).toBe(true);
});

test('behavior: an author who was answered since may have the test', () => {
  const { refusals, refuseAll, advance } = setUp();
  refuseAll(1, 5);
  advance(30_000);
  refusals.accepted(replyTo('author 1').mention);
  refuseAll(6, 10);
  advance(30_000);
  const notTo = Array.from({ length: 9 }, (_, each) => `author ${each + 2}`);
  const notIn = notTo.map((author) => `thread of ${author}`);
  expect(refusals.takeTurn()?.picks.slice(0, 2)).toEqual([
    { notTo, notIn: [], answeredBefore: true },
    { notTo, notIn, answeredBefore: false },
  ]);
});

test('behavior: a row begins anew with authors and threads when a reply is accepted, to whomever', () => {
  const { refusals, refuse, refuseAll } = setUp();
  refuse(replyTo('alice', { mention: { ...ANSWERED, authorId: 'alice', threadId: 'thread of author 1' } }));
  refusals.accepted(replyTo('author 5').mention);
  refuseAll(1, 4);
  expect(refusals.isPaused()).toBe(false);
  refuseAll(5, 5);
  expect(refusals.isPaused()).toBe(true);
});

test('behavior: replies are free until one is refused, and those who were refused last are kept the longest', () => {
  const { refusals, refuse, refuseAll } = setUp();
  expect(refusals.isFree()).toBe(true);
  refuseAll(1, 3);
  refuse(replyTo('author 1'));
  expect(refusals.isFree()).toBe(false);
  expect(refusals.takeTurn()?.picks[0]?.notTo).toEqual(['author 2', 'author 3', 'author 1']);
  for (const author of ['author 1', 'author 2']) refusals.accepted(replyTo(author).mention);
  expect(refusals.isFree()).toBe(false);
  refusals.accepted(replyTo('author 3').mention);
  expect(refusals.isFree()).toBe(true);
});

test('behavior: a refusal may be about the post where the network forbids it, or finds nobody to answer', () => {
  const reasons: AdapterReason[] = ['forbidden', 'not_engaged', 'not_found', 'timeout', 'rejected'];
  const found = reasons.map((reason) => isPostRefusal(fault(reason, 'never')));
  expect(found).toEqual([true, true, true, false, false]);
});

test('behavior: a reply that is accepted ends the row and the pause', () => {
  const { refusals, refuseAll } = setUp();
  refuseAll(1, 4);
  expect(refusals.accepted(ANSWERED)).toBe(false);
  refuseAll(5, 8);
  expect(refusals.pause()).toBeNull();
  refuseAll(9, 9);
  expect(refusals.accepted(ANSWERED)).toBe(true);
  expect([refusals.pause(), refusals.isPaused()]).toEqual([null, false]);
});

test('behavior: refusals of replies that were on their way when the pause began count in no row', () => {
  const { refusals, refuseAll, advance } = setUp();
  refuseAll(1, 9);
  advance(30_000);
  refuseAll(10, 13);
  expect(refusals.isPaused()).toBe(false);
  refuseAll(14, 14);
  expect(refusals.isPaused()).toBe(true);
});

test('behavior: after the pause one reply at a time is the test, to known accounts first, in other threads next', () => {
  const { refusals, refuseAll, advance } = setUp();
  refuseAll(1, 5);
  advance(30_000);
  const notTo = ['author 1', 'author 2', 'author 3', 'author 4', 'author 5'];
  const turn = refusals.takeTurn();
  expect(turn?.picks).toEqual([
    { notTo, notIn: [], answeredBefore: true },
    { notTo, notIn: notTo.map((author) => `thread of ${author}`), answeredBefore: false },
    { notTo: [], notIn: [], answeredBefore: false },
  ]);
  expect(refusals.takeTurn()).toBeNull();
  turn?.end();
  expect(refusals.takeTurn()).not.toBeNull();
});

test('behavior: accounts that were refused go last, and after the pause wait longer with each test, up to five minutes', () => {
  const { refusals, refuse, refuseAll, advance, left } = setUp();
  expect(refusals.takeTurn()?.picks).toEqual([{ notTo: [], notIn: [], answeredBefore: false }]);
  refuseAll(1, 1);
  expect(refusals.takeTurn()?.picks).toEqual([
    { notTo: ['author 1'], notIn: [], answeredBefore: false },
    { notTo: [], notIn: [], answeredBefore: false },
  ]);
  refuseAll(2, 5);
  const waits = [];
  for (let test = 0; test < 6; test += 1) {
    waits.push(left() / 1_000);
    advance(left() - 1);
    if (test > 0) {
      // Others are still let through.
      const turn = refusals.takeTurn();
      expect(turn?.picks).toHaveLength(2);
      turn?.end();
    }
    advance(1);
    const turn = refusals.takeTurn();
    expect(turn?.picks).toHaveLength(3);
    refuse(replyTo('author 1'));
    turn?.end();
  }
  expect(waits).toEqual([30, 60, 120, 240, 300, 300]);
});

test('behavior: what X says of one post is final the second time, once another reply was accepted', () => {
  const { refusals, refuse } = setUp();
  const reply = replyTo('mallory');
  for (let n = 0; n < 20; n += 1) expect(refuse(reply).isFinal).toBe(false);
  refusals.accepted(ANSWERED);
  expect(refuse(reply).isFinal).toBe(true);
  const other = replyTo('eve', { id: 2 });
  expect(refuse(other).isFinal).toBe(false);
  refusals.accepted(ANSWERED);
  expect(refuse(other).isFinal).toBe(true);
});

test('behavior: words that nobody foresaw may mean later: they are final the tenth time', () => {
  const { refusals, refuse } = setUp();
  const reply = replyTo('mallory');
  const verdicts = Array.from({ length: 10 }, () => {
    refusals.accepted(ANSWERED);
    return refuse(reply, 'forbidden').isFinal;
  });
  expect(verdicts).toEqual([false, false, false, false, false, false, false, false, false, true]);
});

test('behavior: after a day a refusal is final, unless all are refused and the reply tells of money', () => {
  const { refuse, refuseAll, advance } = setUp();
  const [lookUp, claim] = [replyTo('1'), replyTo('2', { worth: REPLY_WORTH.claim })];
  advance(24 * HOUR - 1);
  expect([lookUp, claim].map((reply) => refuse(reply, 'forbidden').isFinal)).toEqual([false, false]);
  advance(1);
  expect([lookUp, claim].map((reply) => refuse(reply, 'forbidden').isFinal)).toEqual([true, true]);
  refuseAll(3, 7);
  expect([lookUp, claim].map((reply) => refuse(reply, 'forbidden').isFinal)).toEqual([true, false]);
});

test('behavior: a clock that is set back holds up nothing', () => {
  const { refusals, refuseAll, advance } = setUp();
  refuseAll(1, 5);
  advance(-HOUR);
  expect(refusals.isPaused()).toBe(false);
  expect(refusals.takeTurn()?.picks).toHaveLength(3);
});

test('security: of more authors than a thousand the oldest are forgotten', () => {
  const { refusals, refuse } = setUp();
  for (let n = 0; n < 1_200; n += 1) refuse(replyTo(`author ${n}`, { id: n }));
  expect(refusals.takeTurn()).toBeNull();
  refusals.accepted(ANSWERED);
  expect(refusals.takeTurn()?.picks[0]?.notTo).toHaveLength(1_000);
});

test('security: the day after which a refusal is final begins again with a restart, which forgets what is known', () => {
  const { clock, refuse, advance } = setUp();
  const old = () => replyTo('mallory', { createdAt: clock() - 25 * HOUR });
  expect(refuse(old()).isFinal).toBe(false);
  advance(24 * HOUR);
  expect(refuse(old()).isFinal).toBe(true);
});
