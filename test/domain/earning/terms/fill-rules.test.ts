import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RulesContext } from '../../../../src/domain/earning/rules/fields.ts';
import { fillRules } from '../../../../src/domain/earning/terms/fill-rules.ts';
import type { GivenRules } from '../../../../src/domain/earning/terms/given.ts';
import type { EarningRules } from '../../../../src/domain/earning/terms/rules.ts';
import { criteriaField } from '../../../../src/domain/earning/terms/rules-field.ts';
import { readStoredRules, storeRules, writeRules } from '../../../../src/domain/earning/terms/rules-json.ts';
import { GIG_TYPES } from '../../../../src/domain/gigs/gig.ts';
import { SAMPLE_RULES } from '../../../support/earning.ts';

const HOUR = 3_600_000;

const GIG: RulesContext = {
  decimals: 6,
  rewardAmount: 1_000_000_000n,
  duration: 24 * HOUR,
  gigType: 'like',
  hasLabels: true,
};

const DEFAULTS: EarningRules = {
  ...SAMPLE_RULES,
  rule: { type: 'weighted', by: 'score_reach', roundMs: 24 * HOUR, maxAmount: 100_000_000n },
};

function fill(given: GivenRules, change: Partial<RulesContext> = {}): EarningRules {
  const filled = fillRules(given, { ...GIG, ...change });
  if ('problems' in filled) throw new TypeError(filled.problems.join('; '));
  return filled.rules;
}

function problems(given: GivenRules, change: Partial<RulesContext> = {}): readonly string[] {
  const filled = fillRules(given, { ...GIG, ...change });
  return 'problems' in filled ? filled.problems : [];
}

describe('defaults', () => {
  test('behavior: nothing given is filled in', () => {
    expect(fill({})).toEqual(DEFAULTS);
    expect(fill({ rule: {}, gates: {} })).toEqual(DEFAULTS);
  });

  test.each<[given: GivenRules, rule: EarningRules['rule'], change?: Partial<RulesContext>]>([
    [{ rule: { type: 'fixed', amount: '2' } }, { type: 'fixed', amount: 2_000_000n }],
    [{ rule: { type: 'fixed', amount: '1000' } }, { type: 'fixed', amount: 1_000_000_000n }],
    [{ rule: { type: 'split' } }, { type: 'split', roundMs: 24 * HOUR, maxAmount: 100_000_000n }],
    [
      { rule: { round_hours: 24, by: 'score' } },
      { type: 'weighted', by: 'score', roundMs: 24 * HOUR, maxAmount: 100_000_000n },
    ],
    [{ rule: { max_amount: '0.000001' } }, { type: 'weighted', by: 'score_reach', roundMs: 24 * HOUR, maxAmount: 1n }],
    [{ rule: { type: 'raffle', winners: 3 } }, { type: 'raffle', winners: 3 }],
    [{ rule: { type: 'manual' } }, { type: 'manual' }],
    [{}, { type: 'verifier', maxAmount: 100_000_000n }, { gigType: 'custom_bounty' }],
    [{ rule: { max_amount: '5' } }, { type: 'verifier', maxAmount: 5_000_000n }, { gigType: 'custom_bounty' }],
    [{ rule: { type: 'fixed', amount: '2' } }, { type: 'fixed', amount: 2_000_000n }, { gigType: 'custom_bounty' }],
    [{ rule: { type: 'split' } }, { type: 'split', roundMs: 24 * HOUR, maxAmount: 1n }, { rewardAmount: 5n }],
  ])('behavior: %j is filled in', (given, rule, change) => {
    expect(fill(given, change).rule).toEqual(rule);
  });

  test('behavior: a verifier and requests hold nothing', () => {
    expect(fill({}, { gigType: 'custom_bounty' }).holdMs).toBe(0);
    expect(fill({ rule: { type: 'manual' } }).holdMs).toBe(0);
  });

  test('behavior: what is given stays', () => {
    const given: GivenRules = {
      gates: {
        min_score: 0.123456,
        min_account_age_days: 0,
        min_followers: 9,
        verified_address: false,
        spam_label: 'trusted',
        min_letters: 0,
      },
      hold_hours: 0,
      tips_by_request: false,
    };
    expect(fill(given)).toEqual({
      rule: DEFAULTS.rule,
      gates: {
        minScore: 123_456,
        minAccountAgeDays: 0,
        minFollowers: 9,
        verifiedAddress: false,
        spamLabel: 'trusted',
        minLetters: 0,
      },
      holdMs: 0,
      tipsByRequest: false,
    });
  });
});

test.each<[given: GivenRules, problem: string, change?: Partial<RulesContext>]>([
  [{ rule: { type: 'fixed', amount: '1000.000001' } }, 'rule.amount must be at most the reward'],
  [{ rule: { type: 'fixed', amount: '9'.repeat(90) } }, 'rule.amount must be at most the reward'],
  [{ rule: { type: 'fixed', amount: '0.0000001' } }, 'rule.amount has more decimals than the token, which has 6'],
  [{ rule: { type: 'split', max_amount: '1001' } }, 'rule.max_amount must be at most the reward'],
  [{ rule: { type: 'split', round_hours: 25 } }, 'rule.round_hours must be at most the window, 24 hours'],
  [{ rule: { type: 'verifier' } }, 'rule.type verifier is for custom_bounty gigs only'],
  [
    { rule: { round_hours: 2 } },
    'rule.type of a custom_bounty gig is verifier by default, without by and round_hours',
    { gigType: 'custom_bounty' },
  ],
  [
    { gates: { spam_label: 'trusted' } },
    'gates.spam_label trusted needs a file of spam labels, which is not set up here',
    { hasLabels: false },
  ],
  [{ rule: { type: 'manual' }, gates: {} }, 'gates must be absent with a manual rule, which watches nothing'],
  [
    { rule: { type: 'manual' }, hold_hours: 1 },
    'hold_hours must be 0 or absent with a manual rule, which holds nothing',
  ],
  [
    { rule: { type: 'verifier' }, hold_hours: 12 },
    'hold_hours must be 0 or absent with a verifier rule, which holds nothing',
    { gigType: 'custom_bounty' },
  ],
  [
    { rule: { type: 'manual' }, tips_by_request: false },
    'tips_by_request must be true or absent with a manual rule, whose tips all come by request',
  ],
])('error: %j', (given, problem, change) => {
  expect(problems(given, change)).toEqual([`earning_criteria.${problem}`]);
});

test('error: every problem is told at once', () => {
  const given: GivenRules = {
    rule: { type: 'split', round_hours: 48, max_amount: '0.0000001' },
    gates: { spam_label: 'trusted' },
  };
  expect(problems(given, { hasLabels: false })).toHaveLength(3);
});

const whole = (min: number, max: number) => fc.integer({ min, max });
const amount = fc.bigInt({ min: 1n, max: GIG.rewardAmount });
const rounds = { roundMs: whole(1, 24).map((hours) => hours * HOUR), maxAmount: amount };
const rule = fc.oneof(
  fc.record({ type: fc.constant('fixed' as const), amount }),
  fc.record({ type: fc.constant('split' as const), ...rounds }),
  fc.record({
    type: fc.constant('weighted' as const),
    by: fc.constantFrom('score' as const, 'score_reach' as const),
    ...rounds,
  }),
  fc.record({ type: fc.constant('raffle' as const), winners: whole(1, 1_000) }),
);
const anyRules: fc.Arbitrary<EarningRules> = fc.record({
  rule,
  gates: fc.record({
    minScore: whole(0, 1_000_000),
    minAccountAgeDays: whole(0, 3_650),
    minFollowers: whole(0, 1e9),
    verifiedAddress: fc.boolean(),
    spamLabel: fc.constantFrom('not_spam' as const, 'trusted' as const, 'any' as const),
    minLetters: whole(0, 1_000),
  }),
  holdMs: whole(0, 168).map((hours) => hours * HOUR),
  tipsByRequest: fc.boolean(),
});

describe('rules as JSON', () => {
  test('behavior: clients see every default', () => {
    expect(writeRules(DEFAULTS, 6)).toEqual({
      rule: { type: 'weighted', by: 'score_reach', round_hours: 24, max_amount: '100' },
      gates: {
        min_score: 0.55,
        min_account_age_days: 7,
        min_followers: 0,
        verified_address: true,
        spam_label: 'not_spam',
        min_letters: 10,
      },
      hold_hours: 12,
      tips_by_request: true,
    });
  });

  test('behavior: what clients see means the same when it is sent', () => {
    const field = criteriaField('earning_criteria');
    fc.assert(
      fc.property(anyRules, fc.constantFrom(...GIG_TYPES.filter((type) => type !== 'hold')), (rules, gigType) => {
        const read = field.parse(JSON.stringify(writeRules(rules, 6)));
        expect(read.kind === 'rules' && fill(read.given, { gigType })).toEqual(rules);
      }),
    );
  });

  test('behavior: what the store keeps means the same', () => {
    const verifier: EarningRules = { ...DEFAULTS, rule: { type: 'verifier', maxAmount: 1n } };
    for (const rules of [DEFAULTS, verifier, fill({ rule: { type: 'manual' } })]) {
      expect(readStoredRules(storeRules(rules))).toEqual(rules);
    }
    fc.assert(fc.property(anyRules, (rules) => void expect(readStoredRules(storeRules(rules))).toEqual(rules)));
    expect(storeRules(DEFAULTS)).toContain('"maxAmount":"100000000"');
  });

  test('error: the store holds something else', () => {
    for (const text of ['', '{}', '[]', storeRules(DEFAULTS).replace('100000000', '-1')]) {
      expect(() => readStoredRules(text)).toThrow();
    }
  });
});

describe('rules that ask to hold a token', () => {
  const TOKEN = { address: `0x${'ab'.repeat(20)}`, symbol: 'DEGEN', decimals: 2 } as const;
  const holds = { gigType: 'hold', heldToken: () => TOKEN } as const;
  const given = (more: object = {}): GivenRules => ({
    rule: {
      type: 'hold',
      token: TOKEN.address,
      amount: '100',
      hours: 24,
      pays: { type: 'fixed', amount: '2' },
      ...more,
    },
  });

  test('behavior: count in the decimals of each token, hold for their hours and one more, and mean the same when sent', () => {
    const rules = fill(given(), holds);
    expect(rules).toMatchObject({
      rule: { type: 'hold', token: TOKEN, amount: 10_000n, hours: 24, pays: { type: 'fixed', amount: 2_000_000n } },
      holdMs: 25 * HOUR,
    });
    expect(readStoredRules(storeRules(rules))).toEqual(rules);
    const shown = writeRules(rules, 6);
    const read = criteriaField('earning_criteria').parse(shown);
    expect(read.kind === 'rules' && fill(read.given, holds)).toEqual(rules);
  });

  test('behavior: a gate of another rule is filled in and shown, and absent where none is given', () => {
    const rules = fill({ gates: { min_holding: { token: TOKEN.address, amount: '0.5' } } }, { heldToken: () => TOKEN });
    expect(rules.gates.minHolding).toEqual({ token: TOKEN, amount: 50n });
    expect(readStoredRules(storeRules(rules))).toEqual(rules);
    const token = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB';
    expect(writeRules(rules, 6).gates.min_holding).toEqual({ token, amount: '0.5' });
    expect(writeRules(DEFAULTS, 6).gates).not.toHaveProperty('min_holding');
  });

  test('behavior: on X no gate is asked that X does not tell', () => {
    const { gates } = fill(given(), { ...holds, platform: 'twitter' });
    expect(gates).toMatchObject({
      minScore: 0,
      minAccountAgeDays: 0,
      minFollowers: 0,
      spamLabel: 'any',
      minLetters: 0,
    });
  });

  test.each<[problem: string, given: GivenRules, change?: Partial<RulesContext>]>([
    ['rule.type hold is for hold gigs only', given(), { gigType: 'like' }],
    ['rule.type must be hold, because hold gigs have no other rule', { rule: { type: 'fixed', amount: '2' } }],
    ['rule.amount has more decimals than DEGEN, which has 2', given({ amount: '0.001' })],
    ['rule.pays.amount must be at most the reward', given({ pays: { type: 'fixed', amount: '1001' } })],
    ['hold_hours must be absent with a hold rule, whose hours say it', { ...given(), hold_hours: 3 }],
    [
      'gates.min_holding must be absent with a hold rule, which has a token of its own',
      { ...given(), gates: { min_holding: { token: TOKEN.address, amount: '1' } } },
    ],
    [
      'gates.min_score must be absent or 0 on X, which does not tell it',
      { ...given(), gates: { min_score: 0.5 } },
      { platform: 'twitter' },
    ],
  ])('error: %s', (problem, rules, change) => {
    expect(problems(rules, { ...holds, ...change })).toEqual([`earning_criteria.${problem}`]);
  });
});
