import { expect, test } from 'vitest';
import { type Claim, claimOutcome, isRetryDue, pagePostId, payoutsOf } from '../../../src/domain/claims/claim.ts';
import type { Payment, PaymentState } from '../../../src/domain/payments/payment.ts';
import { payment as samplePayment, token } from '../../bot/samples.ts';

const payment = (id: number, gigId: number, state: PaymentState) => samplePayment({ id, gigId, state });

const claim: Claim = {
  id: 1,
  publicId: 'c',
  source: 'mention',
  platformUserId: '1',
  postId: 'p',
  recipient: samplePayment().recipient,
  createdAt: 0,
  platform: 'farcaster',
};

test('behavior: of the payments for one gig and token the newest tells how it stands', () => {
  const payments = [
    payment(1, 1, 'failed'),
    payment(2, 2, 'confirmed'),
    payment(3, 3, 'failed'),
    payment(4, 1, 'planned'),
    payment(5, 3, 'sent'),
    payment(6, 4, 'failed'),
  ];
  const payouts = payoutsOf({ claim, payments });
  expect(payouts.map(({ payment: { id }, outcome }) => [id, outcome])).toEqual([
    [4, 'pending'],
    [2, 'success'],
    [5, 'pending'],
    [6, 'failed'],
  ]);
});

test('behavior: several payments for one gig and token are told as one, as far as the least of them', () => {
  const at = (id: number, state: Payment['state'], createdAt: number, updatedAt = createdAt) => {
    return { ...payment(id, 1, state), amount: 10n ** BigInt(id), createdAt, updatedAt };
  };
  const told = (...payments: Payment[]) =>
    payoutsOf({ claim, payments }).map(({ payment: { id, amount }, outcome }) => [id, outcome, amount]);
  expect(told(at(0, 'confirmed', 1), at(1, 'planned', 1), at(2, 'sent', 1))).toEqual([[1, 'pending', 111n]]);
  expect(told(at(0, 'confirmed', 1), at(1, 'failed', 1, 5))).toEqual([[1, 'failed', 11n]]);
  // What failed beside what was planned with it is no older attempt, whichever of them was planned first.
  expect(told(at(0, 'failed', 1, 5), at(1, 'confirmed', 1, 6))).toEqual([[0, 'failed', 11n]]);
  expect(told(at(0, 'confirmed', 1), at(1, 'confirmed', 1))).toEqual([[0, 'success', 11n]]);
  // Those that failed were planned again; what was paid before counts still.
  const failed = [at(0, 'confirmed', 1), at(1, 'failed', 1, 5), at(2, 'failed', 1, 6)];
  expect(told(...failed, at(3, 'confirmed', 7))).toEqual([[0, 'success', 1_001n]]);
  expect(told(...failed, at(3, 'failed', 7, 8))).toEqual([[3, 'failed', 1_001n]]);
  // Planned again within the same millisecond.
  expect(told(at(1, 'failed', 1, 5), at(2, 'sent', 5))).toEqual([[2, 'pending', 100n]]);
  // The clock was set back before.
  expect(told(at(1, 'failed', 100, 150), at(3, 'sent', 50))).toEqual([[3, 'pending', 1_000n]]);
});

test.each<[outcome: string, states: readonly PaymentState[]]>([
  ['empty', []],
  ['paid', ['confirmed', 'confirmed']],
  ['failed', ['confirmed', 'failed']],
  ['pending', ['failed', 'planned', 'confirmed']],
  ['pending', ['sent']],
])('behavior: a claim is %s when the payments of its gigs are %j', (outcome, states) => {
  expect(claimOutcome({ claim, payments: states.map((state, index) => payment(index, index, state)) })).toBe(outcome);
});

test('security: no platform has a post with the id that stands for a claim by button', () => {
  expect(pagePostId('k1')).toBe('page:k1');
});

test('behavior: what failed is tried again at once, then after pauses that double up to an hour', () => {
  const ofToken = { ...payment(92, 1, 'failed'), token: { ...token(), id: token().id + 1 } };
  const others = [payment(90, 2, 'failed'), payment(91, 1, 'confirmed'), ofToken];
  const pauseAfter = (failures: number) => {
    const failed = Array.from({ length: failures }, (_, index) => payment(index + 1, 1, 'failed'));
    const last = failed.at(-1);
    if (last === undefined) throw new TypeError('none failed');
    const isDue = (now: number) => isRetryDue({ claim, payments: [...others, ...failed] }, last, now);
    return [0, 29_999, 30_000, 59_999, 60_000, 3_599_999, 3_600_000].filter(isDue)[0];
  };
  expect([1, 2, 3, 4, 20, 2_000].map(pauseAfter)).toEqual([0, 30_000, 60_000, 3_599_999, 3_600_000, 3_600_000]);
});
