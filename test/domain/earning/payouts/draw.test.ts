import { expect, test } from 'vitest';
import { closesAt } from '../../../../src/domain/earning/due.ts';
import {
  commitmentOf,
  createLottery,
  createRoot,
  drawsAt,
  headLine,
  linesText,
  seedOf,
  ticketOf,
} from '../../../../src/domain/earning/payouts/draw.ts';
import { type DrawFacts, drawStep, drawTime } from '../../../../src/domain/earning/payouts/draw-step.ts';

const HOUR = 3_600_000;

// Computed with other code, in another language.
const SECRET = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const COMMITMENT = '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd';
const ROOT = 'c6448f2dae1fc31ff36ae5512d247ca4a81afc469d47c5fd9e028e2a2c5c7b2e';
/** With the first line of version 2. */
const WHOLE_ROOT = '617035293a093538732cedadc809d6a52392e3a6bc93075ad47545c5e4dff8a8';
const SEED = 'ecad747d2e5db407c43b3b6563f71a44356360eee9188dfeddb6e082984c7d0c';
const TICKETS = [
  ['03e13bda0167913ef69e5c15b6b00817f4cf2c389387cd6f65cc7f7aa5eb7921', '99'],
  ['a6ac51181bb8b320dc2a7507b81b77b64abc39c133ddab30084bccea89ea142b', '2'],
  ['d6bffe98d0b82285b9054b7ef78302b580b5beaa26881659bf2d8d9ca1985344', '1'],
  ['e10a138372400a68e5d5d219aba62af6d709dde9a93bac7f2ba59dcfedf6083b', '10'],
  ['fa300864e324d52585897149679eb625f55cf0d729bf396bb3ac69751c59879e', '100'],
] as const;

const entrants = (...ids: string[]) =>
  ids.map((platformUserId) => ({ platform: 'farcaster', platformUserId }) as const);
/** In the order of the bytes of their lines. */
const FIVE = entrants('1', '10', '100', '2', '99');

test('behavior: commitment, root and seed are those that other code computes', () => {
  expect(commitmentOf(SECRET)).toBe(COMMITMENT);
  expect(linesText(FIVE.slice(0, 2))).toBe('farcaster:1\nfarcaster:10\n');
  const root = createRoot('');
  root.add(FIVE.slice(0, 2));
  root.add([]);
  root.add(FIVE.slice(2));
  expect(root.done()).toEqual({ entrants: 5, root: ROOT });
  const head = headLine({ gigId: 42, chainId: 8453, places: 2, notBefore: Date.UTC(2026, 11, 1, 14, 44, 22, 893) });
  expect(head).toBe('42 8453 2 2026-12-01T14:44:22.893Z\n');
  const whole = createRoot(head);
  whole.add(FIVE);
  expect(whole.done()).toEqual({ entrants: 5, root: WHOLE_ROOT });
  expect(seedOf({ secret: SECRET, blockHash: `0x${'ab'.repeat(32)}`, root: ROOT })).toBe(SEED);
});

test('behavior: the lowest tickets win, by page or at once', () => {
  for (const winners of [1, 2, 4, 5, 9]) {
    const expected = TICKETS.slice(0, winners).map(([ticket, platformUserId], index) => {
      return { platform: 'farcaster', platformUserId, ticket, place: index + 1 };
    });
    const lottery = createLottery({ seed: SEED, winners });
    lottery.enter(FIVE);
    expect(lottery.winners()).toEqual(expected);
    const paged = createLottery({ seed: SEED, winners });
    for (const each of FIVE) paged.enter([each]);
    expect(paged.winners()).toEqual(expected);
  }
  expect(createLottery({ seed: SEED, winners: 3 }).winners()).toEqual([]);
});

test('behavior: of thousands those win whose tickets sorting puts first', () => {
  const many = entrants(...Array.from({ length: 3_000 }, (_, index) => String(index + 1)));
  const lottery = createLottery({ seed: SEED, winners: 100 });
  lottery.enter(many);
  const sorted = many.map(({ platformUserId: id }) => `${ticketOf(SEED, `farcaster:${id}`)} ${id}`).toSorted();
  expect(lottery.winners().map(({ ticket, platformUserId }) => `${ticket} ${platformUserId}`)).toEqual(
    sorted.slice(0, 100),
  );
});

test('behavior: a raffle closes after the last hold, and not while what is seen may count', () => {
  const window = { startTime: 0, endTime: 24 * HOUR };
  expect(closesAt({ holdMs: 12 * HOUR }, window)).toBe(36 * HOUR);
  expect(closesAt({ holdMs: 0 }, window)).toBe(24 * HOUR + 600_001);
  expect(drawsAt({ holdMs: 12 * HOUR }, window)).toBe(36 * HOUR + 60_000);
});

const FACTS: DrawFacts = { state: 'open', closesAt: 100, notBefore: null, isHandingOut: false };

test.each([
  ['waits for the last hold', {}, { isDecided: true, now: 99 }, null],
  ['waits for held accounts', {}, { isDecided: false, now: 100 }, null],
  ['closes', {}, { isDecided: true, now: 100 }, 'close_draw'],
  ['fixes what is closed', { state: 'closed' }, { isDecided: false, now: 100 }, 'fix_draw'],
  ['waits for the block’s time', { state: 'fixed', notBefore: 160 }, { isDecided: true, now: 159 }, null],
  ['asks for the block', { state: 'fixed', notBefore: 160 }, { isDecided: true, now: 160 }, 'draw'],
  ['pays the winners first', { state: 'drawn', isHandingOut: true }, { isDecided: true, now: 200 }, 'hand_out'],
  ['tells the others', { state: 'drawn' }, { isDecided: true, now: 200 }, 'refuse_others'],
  ['tells nobody while one is held', { state: 'drawn' }, { isDecided: false, now: 200 }, null],
] as const)('behavior: a draw %s', (_, change, at, kind) => {
  expect(drawStep({ ...FACTS, ...change }, { hasEligible: true, ...at })?.kind ?? null).toBe(kind);
});

test('behavior: a draw is over when everybody is told', () => {
  const drawn = { ...FACTS, state: 'drawn', notBefore: 160 } as const;
  expect(drawStep(drawn, { isDecided: true, hasEligible: false, now: 200 })).toBeNull();
  expect([drawTime(FACTS), drawTime(drawn)]).toEqual([100, 160]);
});
