import { describe, expect, test } from 'vitest';
import type { PaidEvent } from '../../src/domain/payer-chain.ts';
import type { NumberedPayment } from '../../src/domain/payment.ts';
import { findMarking, isPaidBy, judgeEvent, movesAmount } from '../../src/domain/payment-marks.ts';
import type { Tip } from '../../src/domain/tip.ts';
import type { Address } from '../../src/domain/token.ts';

const WALLET: Address = `0x${'11'.repeat(20)}`;
const ALICE: Address = `0x${'22'.repeat(20)}`;
const BOB: Address = `0x${'33'.repeat(20)}`;
const TOKEN: Address = `0x${'44'.repeat(20)}`;
const BLOCK_AT = 1_000_000;

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
  return {
    id: number + 100,
    createdAt: BLOCK_AT - 1,
    gigId: 1,
    number,
    tokenId: 1,
    amount: 10n,
    status: 'pending',
    platform: 'farcaster',
    platformUserId: '1001',
    username: null,
    userAddress: null,
    txHash: null,
    claimedAt: null,
    claimNonce: null,
    claimStartedAt: null,
    lockTimeout: null,
    ...change,
  };
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
  });

  // What the comparison reads of a payment.
  const payment = { kind: 'payout', token: { address: TOKEN }, recipient: ALICE, amount: 10n } as NumberedPayment;
  const CASES: readonly { title: string; events: readonly PaidEvent[]; isPaid: boolean; moves: boolean }[] = [
    { title: 'the payment itself', events: [event()], isPaid: true, moves: true },
    { title: 'its two words', events: [event({ amount: 4n }), event({ amount: 6n })], isPaid: true, moves: true },
    { title: 'to another address', events: [event({ to: BOB })], isPaid: false, moves: true },
    {
      title: 'to two addresses',
      events: [event({ amount: 4n }), event({ amount: 6n, to: BOB })],
      isPaid: false,
      moves: false,
    },
    { title: 'another amount', events: [event({ amount: 9n })], isPaid: false, moves: false },
    { title: 'another token', events: [event({ token: BOB })], isPaid: false, moves: false },
    { title: 'nothing', events: [], isPaid: false, moves: false },
  ];
  test.for(CASES)('security: $title', ({ events, isPaid, moves }) => {
    expect([isPaidBy(payment, events), movesAmount(payment, events)]).toEqual([isPaid, moves]);
  });
});

describe('a payment that the ledger does not know', () => {
  const bob = { platformUserId: '1002' };
  const CASES: readonly {
    title: string;
    event?: Partial<PaidEvent>;
    tips: readonly Tip[];
    paid: number[][];
    others: number[];
  }[] = [
    { title: 'paid the tip with its number', tips: [tip(0)], paid: [[0]], others: [] },
    {
      title: 'paid several tips of one account',
      event: { numbers: [0n, 1n], amount: 20n },
      tips: [tip(0), tip(1)],
      paid: [[0, 1]],
      others: [],
    },
    {
      title: 'paid tips of two accounts: its tips are lost',
      event: { numbers: [0n, 1n], amount: 20n },
      tips: [tip(0), tip(1, bob)],
      paid: [],
      others: [0, 1],
    },
    { title: 'another amount', event: { amount: 9n }, tips: [tip(0)], paid: [], others: [0] },
    { title: 'another token', event: { token: BOB }, tips: [tip(0)], paid: [], others: [0] },
    {
      title: 'a number more than the ledger has tips of',
      event: { numbers: [0n, 1n] },
      tips: [tip(0)],
      paid: [],
      others: [0],
    },
    { title: 'a tip that was made later', tips: [tip(0, { createdAt: BLOCK_AT + 15_001 })], paid: [], others: [0] },
    {
      title: 'a tip that was made later by another clock',
      tips: [tip(0, { createdAt: BLOCK_AT + 15_000 })],
      paid: [[0]],
      others: [],
    },
    { title: 'no tip that is unpaid', tips: [], paid: [], others: [] },
    {
      title: 'a mark of what was paid before the contract, of several accounts',
      event: { numbers: [0n, 1n, 2n, 3n], amount: 0n, to: WALLET },
      tips: [tip(0), tip(1, bob), tip(2), tip(3, { createdAt: BLOCK_AT + 15_001 })],
      paid: [[0, 2], [1]],
      others: [3],
    },
  ];
  test.for(CASES)('security: $title', ({ event: change, tips, paid, others }) => {
    const verdict = judgeEvent(event(change), { tips, tokenId: 1, token: TOKEN, blockAt: BLOCK_AT });
    const numbers = (some: readonly Tip[]) => some.map(({ number }) => number);
    expect([verdict.paid.map(numbers), numbers(verdict.misnumbered)]).toEqual([paid, others]);
  });
});
