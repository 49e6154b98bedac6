import { describe, expect, test } from 'vitest';
import type { Tip } from '../../../src/domain/gigs/tip.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { PaidEvent } from '../../../src/domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../src/domain/payments/payment.ts';
import {
  type Foreign,
  findMade,
  findMarking,
  isMark,
  isPaidBy,
  judge,
  movedOf,
  restOf,
} from '../../../src/domain/payments/payment-marks.ts';
import { tip as sampleTip } from '../../bot/samples.ts';

const WALLET: Address = `0x${'11'.repeat(20)}`;
const ALICE: Address = `0x${'22'.repeat(20)}`;
const BOB: Address = `0x${'33'.repeat(20)}`;
const TOKEN: Address = `0x${'44'.repeat(20)}`;

function event(change: Partial<PaidEvent> = {}): PaidEvent {
  return {
    wallet: WALLET,
    token: TOKEN,
    to: ALICE,
    amount: 10n,
    numbers: [0n],
    hash: '0xaa',
    blockNumber: 5n,
    ...change,
  };
}

function tip(number: number, change: Partial<Tip> = {}): Tip {
  return sampleTip(number + 100, { gigId: 1, number, amount: 10n, platformUserId: '1001', ...change });
}

describe('the events of marked numbers', () => {
  test('behavior: are exact when they name these numbers and no others', () => {
    const events = [event({ numbers: [0n, 1n] }), event({ numbers: [256n] }), event({ numbers: [9n] })];
    expect(findMarking([0n, 1n, 256n], events)).toEqual({ kind: 'exact', events: events.slice(0, 2) });
  });

  test('security: are another payment’s when they name more', () => {
    expect(findMarking([0n], [event({ numbers: [0n, 1n] })])).toEqual({ kind: 'other' });
  });

  test('error: are unknown when the endpoint has lost one', () => {
    expect(findMarking([0n, 1n], [event({ numbers: [0n] })])).toEqual({ kind: 'unknown' });
    expect(findMarking([0n], [])).toEqual({ kind: 'unknown' });
    expect(findMarking([], [])).toEqual({ kind: 'unknown' });
  });

  // What the comparison reads of a payment.
  const payment = { kind: 'payout', token: { address: TOKEN }, recipient: ALICE, amount: 10n } as NumberedPayment;
  const CASES: readonly { title: string; events: readonly PaidEvent[]; isPaid: boolean }[] = [
    { title: 'the payment itself', events: [event()], isPaid: true },
    { title: 'its two words', events: [event({ amount: 4n }), event({ amount: 6n })], isPaid: true },
    { title: 'to another address', events: [event({ to: BOB })], isPaid: false },
    { title: 'to two addresses', events: [event({ amount: 4n }), event({ amount: 6n, to: BOB })], isPaid: false },
    { title: 'another amount', events: [event({ amount: 9n })], isPaid: false },
    { title: 'another token', events: [event({ token: BOB })], isPaid: false },
    { title: 'nothing', events: [], isPaid: false },
  ];
  test.for(CASES)('security: $title', ({ events, isPaid }) => {
    expect(isPaidBy(payment, events)).toBe(isPaid);
  });
});

describe('a payment that the ledger does not know', () => {
  const bob = { platformUserId: '1002' };
  // Of a ledger that was put back, what it knew before has lower ids than what it gave afterwards.
  const late = { id: 999 };
  const two = { numbers: [0n, 1n], amount: 12n };
  const CASES: readonly {
    title: string;
    event?: Partial<PaidEvent>;
    tips: readonly Tip[];
    paid: number[];
    others?: number[];
    /** Numbers and amount besides; none when absent. */
    rest?: [bigint[], bigint];
  }[] = [
    { title: 'paid the tip with its number', tips: [tip(0)], paid: [0] },
    { title: 'paid several tips', event: { ...two, amount: 20n }, tips: [tip(0), tip(1)], paid: [0, 1] },
    { title: 'another amount', event: { amount: 9n }, tips: [tip(0)], paid: [], others: [0], rest: [[0n], 9n] },
    { title: 'a larger amount', event: { amount: 11n }, tips: [tip(0)], paid: [], others: [0], rest: [[0n], 11n] },
    { title: 'another token', event: { token: BOB }, tips: [tip(0)], paid: [], others: [0], rest: [[0n], 10n] },
    { title: 'paid a tip with one that is lost', event: two, tips: [tip(0)], paid: [0], rest: [[1n], 2n] },
    {
      title: 'paid a tip with one whose number was given again',
      event: two,
      tips: [tip(1, late), tip(0)],
      paid: [0],
      others: [1],
      rest: [[1n], 2n],
    },
    {
      title: 'paid a tip with one whose number was given again, for little',
      event: two,
      tips: [tip(0), tip(1, { ...late, amount: 2n })],
      paid: [0, 1],
    },
    {
      title: 'paid as much as one of several tips has',
      event: { ...two, amount: 10n },
      tips: [tip(0)],
      paid: [0],
      rest: [[1n], 0n],
    },
    {
      title: 'too little for a tip and one that is lost',
      event: { ...two, amount: 9n },
      tips: [tip(0)],
      paid: [],
      others: [0],
      rest: [[0n, 1n], 9n],
    },
    {
      title: 'tips that together exceed it: those that the ledger knew first have been paid',
      event: two,
      tips: [tip(0), tip(1, bob)],
      paid: [0],
      others: [1],
      rest: [[1n], 2n],
    },
    { title: 'the tip with its number, whenever either was made', tips: [tip(0, { createdAt: 2e12 })], paid: [0] },
    { title: 'no tip that is unpaid', tips: [], paid: [], rest: [[0n], 10n] },
    {
      title: 'a mark of what was paid before the contract, of several accounts',
      event: { numbers: [0n, 1n, 2n, 3n], amount: 0n, to: WALLET, token: BOB },
      tips: [tip(0), tip(1, bob), tip(2), tip(3, late)],
      paid: [0, 1, 2, 3],
    },
  ];
  test.for(CASES)('security: $title', ({ event: change, tips, paid, others = [], rest = [[], 0n] }) => {
    const found = event(change);
    const foreign = { event: found, numbers: found.numbers, left: found.amount };
    const verdict = judge(foreign, { tips, token: { id: 1, address: TOKEN } });
    const numbers = (some: readonly Tip[]) => some.map(({ number }) => number);
    expect([numbers(verdict.paid), numbers(verdict.misnumbered)]).toEqual([paid, others]);
    const left = restOf(foreign, verdict.paid);
    expect([left.numbers, left.left]).toEqual(rest);
  });
});

describe('what payments of a wallet have moved', () => {
  test('behavior: is the sum of those of the asset, without what went to the wallet itself', () => {
    const events = [event(), event({ amount: 5n, to: BOB }), event({ amount: 100n, to: WALLET })];
    expect(movedOf([...events, event({ amount: 1_000n, token: BOB })], TOKEN)).toBe(15n);
    expect(movedOf(events, BOB)).toBe(0n);
  });

  test('behavior: a mark moves nothing, to the wallet itself', () => {
    expect(isMark(event({ amount: 0n, to: WALLET }))).toBe(true);
    expect(isMark(event({ amount: 0n }))).toBe(false);
    expect(isMark(event({ amount: 1n, to: WALLET }))).toBe(false);
  });
});

describe('a planned payment of which the chain knows the numbers', () => {
  const foreign = (change: Partial<PaidEvent> = {}): Foreign => {
    const found = event(change);
    return { event: found, numbers: found.numbers, left: found.amount };
  };
  const verdict = (change: Partial<PaidEvent>, tips: readonly Tip[]) =>
    judge(foreign(change), { tips, token: { id: 1, address: TOKEN } });
  const first = verdict({ numbers: [0n] }, [tip(0)]);
  const second = verdict({ numbers: [1n] }, [tip(1)]);

  test('security: is made when one or several payments to one recipient have paid all its tips', () => {
    expect(findMade([first, second], { tips: [0n] }, TOKEN)).toEqual([first]);
    expect(findMade([first, second], { tips: [0n, 1n] }, TOKEN)).toEqual([first, second]);
  });

  test('security: is not made when a tip is unpaid, another recipient got one, or another asset was moved', () => {
    const other = verdict({ numbers: [1n], to: BOB }, [tip(1)]);
    const misnumbered = verdict({ numbers: [1n], amount: 9n }, [tip(1)]);
    expect(findMade([first], { tips: [0n, 1n] }, TOKEN)).toBeNull();
    expect(findMade([first, other], { tips: [0n, 1n] }, TOKEN)).toBeNull();
    expect(findMade([first, misnumbered], { tips: [0n, 1n] }, TOKEN)).toBeNull();
    expect(findMade([first], { tips: [0n] }, BOB)).toBeNull();
    expect(findMade([first], { tips: [7n] }, TOKEN)).toBeNull();
    expect(findMade([], { tips: [] }, TOKEN)).toBeNull();
  });

  test('security: with a number of its own is made by a payment of its amount', () => {
    const own = verdict({ numbers: [9n] }, []);
    expect(findMade([own], { own: 9n, amount: 10n }, TOKEN)).toEqual([own]);
    expect(findMade([own], { own: 9n, amount: 11n }, TOKEN)).toBeNull();
    expect(findMade([own], { own: 8n, amount: 10n }, TOKEN)).toBeNull();
  });

  test('security: what is left of a payment is never less than nothing', () => {
    expect(restOf(foreign({ amount: 4n }), [tip(0)])).toMatchObject({ numbers: [], left: 0n });
    expect(restOf(foreign({ amount: 11n }), [tip(0)])).toMatchObject({ numbers: [], left: 1n });
  });

  test('security: a tip of another token with its number was not paid by it', () => {
    const tips = [tip(0, { tokenId: 2 })];
    expect(verdict({}, tips)).toMatchObject({ paid: [], misnumbered: tips });
  });
});
