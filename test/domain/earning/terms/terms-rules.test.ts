import { expect, test } from 'vitest';
import type { GivenRules } from '../../../../src/domain/earning/terms/given.ts';
import { type Terms, termsProblems } from '../../../../src/domain/gigs/terms.ts';

const HOUR = 3_600_000;
const REWARD = 'earning_criteria.rule.amount must be at most the reward';
const TERMS: Partial<Terms> = { gigType: 'like', platform: 'farcaster', url: null, amount: '10', duration: 168 * HOUR };

const problems = (given: GivenRules, terms: Partial<Terms> = {}) =>
  termsProblems({ ...TERMS, earningCriteria: { kind: 'rules', given }, ...terms }, { now: 0, earningOnX: false });

test('error: what does not fit the other terms is told together with their problems', () => {
  const rule = { type: 'weighted', max_amount: '10.000000000000000000000001', round_hours: 200 } as const;
  expect(problems({ rule, hold_hours: 3 })).toEqual([
    'url is required for like gigs',
    'earning_criteria.rule.round_hours must be at most the window, 168 hours',
    'earning_criteria.rule.max_amount must be at most the reward',
  ]);
  expect(problems({ rule: { type: 'manual' }, hold_hours: 3 }, { amount: '0.5' })[1]).toMatch(/hold_hours must be 0/);
});

test('behavior: amounts are compared as they are written, whatever decimals the token has', () => {
  const fixed = (amount: string, reward = '10') =>
    problems({ rule: { type: 'fixed', amount } }, { amount: reward, gigType: 'mention' });
  const fitting = [fixed('10'), fixed('10.00'), fixed('0.000000000000000000000001'), fixed('1.5', '1.50')];
  for (const found of fitting) expect(found).toEqual([]);
  const tooMuch = [fixed('11'), fixed('10.1'), fixed('1.51', '1.5'), fixed('9'.repeat(90))];
  for (const found of tooMuch) expect(found).toEqual([REWARD]);
});

test('behavior: rules are compared with well-formed terms only', () => {
  const rule = { type: 'fixed', amount: '11' } as const;
  const { amount: _, ...others } = TERMS;
  const criteria = { kind: 'rules', given: { rule } } as const;
  const found = termsProblems({ ...others, earningCriteria: criteria }, { now: 0, earningOnX: false });
  expect(found).toEqual(['url is required for like gigs']);
  // Such a reward is no token's: what is wrong with it is told once the token is known.
  expect(problems({ rule }, { amount: `0.${'0'.repeat(100)}1`, gigType: 'mention' })).toEqual([REWARD]);
  expect(problems({ rule }, { amount: `10.${'0'.repeat(100)}1`, gigType: 'mention' })).toEqual([]);
});
