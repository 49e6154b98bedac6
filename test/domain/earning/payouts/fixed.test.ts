import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AWARD_BATCH, type EligibleState } from '../../../../src/domain/earning/payouts/by-rank.ts';
import { eligibleState, planFixed } from '../../../../src/domain/earning/payouts/fixed.ts';

interface Case {
  readonly title: string;
  readonly left: bigint;
  /** Held accounts before each eligible one. */
  readonly held: readonly number[];
  readonly awarded: number;
  readonly isUsedUp: boolean;
}

const CASES: readonly Case[] = [
  { title: 'there is enough for all', left: 30n, held: [0, 0], awarded: 2, isUsedUp: false },
  { title: 'the last of it goes out', left: 20n, held: [0, 0], awarded: 2, isUsedUp: true },
  { title: 'less than an amount remains', left: 19n, held: [0, 0], awarded: 1, isUsedUp: true },
  { title: 'there is none', left: 9n, held: [0], awarded: 0, isUsedUp: true },
  { title: 'a held account with an earlier rank keeps its own', left: 19n, held: [1], awarded: 0, isUsedUp: false },
  { title: 'there is enough for it, too', left: 20n, held: [1], awarded: 1, isUsedUp: false },
  { title: 'held ones come between', left: 40n, held: [0, 1, 2], awarded: 2, isUsedUp: false },
  { title: 'only held ones are left', left: 10n, held: [], awarded: 0, isUsedUp: false },
];

describe('the same for each', () => {
  test.each(CASES)('behavior: $title', ({ left, held, awarded, isUsedUp }) => {
    const accounts = held.map((heldBefore, rank) => ({ heldBefore, rank }));
    const plan = planFixed(accounts, { amount: 10n, left });
    expect(plan).toEqual({ awarded: accounts.slice(0, awarded), isUsedUp });
  });

  test('behavior: at most a batch at once', () => {
    const accounts = Array.from({ length: AWARD_BATCH + 1 }, () => ({ heldBefore: 0 }));
    expect(planFixed(accounts, { amount: 1n, left: 1_000n })).toMatchObject({
      awarded: { length: AWARD_BATCH },
      isUsedUp: false,
    });
  });

  const ranks = fc.array(fc.boolean(), { maxLength: 40 }).map((held) => {
    const before = held.map((_, rank) => held.slice(0, rank).filter(Boolean).length);
    return before.filter((_, rank) => !held[rank]).map((heldBefore) => ({ heldBefore }));
  });

  test('behavior: never more than is left goes out, and every earlier held account could still be paid', () => {
    const amounts = fc.record({ amount: fc.bigInt({ min: 1n, max: 50n }), left: fc.bigInt({ min: 0n, max: 1_000n }) });
    fc.assert(
      fc.property(ranks, amounts, (accounts, { amount, left }) => {
        const { awarded, isUsedUp } = planFixed(accounts, { amount, left });
        const heldBefore = awarded.at(-1)?.heldBefore ?? 0;
        expect(amount * BigInt(awarded.length + heldBefore)).toBeLessThanOrEqual(left);
        expect(isUsedUp).toBe(left - amount * BigInt(awarded.length) < amount);
        const state = eligibleState(accounts[0], { amount, left, isAnyHeld: false });
        expect(state === 'awardable').toBe(accounts.length > 0 && (awarded.length > 0 || isUsedUp));
      }),
    );
  });

  test.each<[title: string, heldBefore: number | null, left: bigint, isAnyHeld: boolean, state: EligibleState]>([
    ['nothing is open', null, 100n, false, 'none'],
    ['only held ones are open', null, 100n, true, 'none'],
    ['only held ones are open, and the reward is used up', null, 9n, true, 'awardable'],
    ['nothing is open, and the reward is used up', null, 9n, false, 'none'],
    ['the first can be paid', 1, 20n, true, 'awardable'],
    ['the first waits', 1, 19n, true, 'waiting'],
    ['the reward is used up', 1, 9n, true, 'awardable'],
  ])('behavior: %s', (_, heldBefore, left, isAnyHeld, state) => {
    const first = heldBefore === null ? undefined : { heldBefore };
    expect(eligibleState(first, { amount: 10n, left, isAnyHeld })).toBe(state);
  });
});
