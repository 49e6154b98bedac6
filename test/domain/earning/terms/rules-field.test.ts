import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { criteriaText, type EarningCriteria } from '../../../../src/domain/earning/terms/given.ts';
import { criteriaField } from '../../../../src/domain/earning/terms/rules-field.ts';
import { parse } from '../../../../src/domain/validation.ts';

const schema = z.object({ earning_criteria: criteriaField('earning_criteria') });
const read = (value: unknown) => parse(schema, { earning_criteria: value });
const problems = (value: unknown) => read(value).problems;
const rules = (given: object): EarningCriteria => ({ kind: 'rules', given });

const ABSENT: EarningCriteria = { kind: 'absent' };
const FIXED = { rule: { type: 'fixed', amount: 2 } };

describe('what is given', () => {
  test.each<[given: unknown, expected: EarningCriteria]>([
    [undefined, ABSENT],
    [null, ABSENT],
    ['', ABSENT],
    [' \n', ABSENT],
    [' Likes of friends. ', { kind: 'text', text: 'Likes of friends.' }],
    ['[1]', { kind: 'text', text: '[1]' }],
    [{}, rules({})],
    ['{}', rules({})],
    ['\u200b\ufeff\u2060 {}', rules({})],
    [{ rule: {} }, rules({ rule: {} })],
    [FIXED, rules({ rule: { type: 'fixed', amount: '2' } })],
    [`\n ${JSON.stringify(FIXED)} `, rules({ rule: { type: 'fixed', amount: '2' } })],
    [{ rule: { type: 'fixed', amount: 1e-7 } }, rules({ rule: { type: 'fixed', amount: '0.0000001' } })],
    [{ rule: { max_amount: '0.5', by: 'score' } }, rules({ rule: { by: 'score', max_amount: '0.5' } })],
    [{ rule: { type: 'manual' } }, rules({ rule: { type: 'manual' } })],
    [
      { gates: { min_score: 0.999999, min_followers: 1e9 } },
      rules({ gates: { min_score: 0.999999, min_followers: 1e9 } }),
    ],
    [{ hold_hours: 0, tips_by_request: false }, rules({ hold_hours: 0, tips_by_request: false })],
    [{ hold_hours: 168 }, rules({ hold_hours: 168 })],
  ])('behavior: %j is read', (given, expected) => {
    expect(read(given)).toEqual({ fields: { earning_criteria: expected }, problems: [] });
  });

  test('behavior: its canonical text has the fields in one order and reads as the same', () => {
    const { fields } = read({
      hold_hours: 6,
      gates: { min_letters: 0, min_score: 0.6 },
      rule: { amount: 2, type: 'fixed' },
    });
    const text = fields.earning_criteria && criteriaText(fields.earning_criteria);
    expect(text).toBe(
      '{"rule":{"type":"fixed","amount":"2"},"gates":{"min_score":0.6,"min_letters":0},"hold_hours":6}',
    );
    expect(read(text).fields).toEqual(fields);
    expect(criteriaText(ABSENT)).toBeNull();
    expect(criteriaText({ kind: 'text', text: 'Ask me.' })).toBe('Ask me.');
  });

  test('behavior: every score with six decimals is one', () => {
    const score = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(score, (millionths) => {
        const given = { gates: { min_score: Number(`${millionths}e-6`) } };
        expect(read(given).problems).toEqual([]);
        expect(Math.round(given.gates.min_score * 1_000_000)).toBe(millionths);
      }),
    );
  });
});

describe('what is refused', () => {
  const AMOUNT = 'must be a positive decimal number such as 10 or "0.5", without sign or exponent';
  const SCORE = '.gates.min_score must be a number from 0 to 1 with at most six decimals';

  test.each<[given: unknown, problem: string]>([
    [4, ' must be a string or an object of rules'],
    [[FIXED], ' must be a string or an object of rules'],
    ['a\u202Eb', ' must not contain control characters'],
    ['{'.padEnd(2_001), ' must be a string of at most 2000 characters'],
    ['{"rule"', ' begins with { but is not valid JSON'],
    [{ rules: 1 }, ' has unknown fields: "rules"; it may have rule, gates, hold_hours, tips_by_request'],
    [{ rule: null }, '.rule must be an object with the field type'],
    [{ rule: 'fixed' }, '.rule must be an object with the field type'],
    [{ rule: { type: 'lottery' } }, '.rule.type must be one of fixed, split, weighted, raffle, verifier, hold, manual'],
    [{ rule: { type: 'fixed' } }, `.rule.amount ${AMOUNT}`],
    [{ rule: { type: 'fixed', amount: 0 } }, `.rule.amount ${AMOUNT}`],
    [{ rule: { type: 'fixed', amount: '-1' } }, `.rule.amount ${AMOUNT}`],
    [{ rule: { type: 'fixed', amount: 1e21 } }, `.rule.amount ${AMOUNT}`],
    [
      { rule: { type: 'fixed', amount: 2, max_amount: 3 } },
      '.rule has unknown fields: "max_amount"; it may have type, amount; max_amount belongs to type split, weighted and verifier',
    ],
    [
      { rule: { type: 'split', by: 'score' } },
      '.rule has unknown fields: "by"; it may have type, round_hours, max_amount; by belongs to type weighted',
    ],
    [
      { rule: { amount: 2 } },
      '.rule has unknown fields: "amount"; it may have type, by, round_hours, max_amount; without type it is weighted, or verifier for custom_bounty; amount belongs to type fixed and hold',
    ],
    [{ rule: { by: 'reach' } }, '.rule.by must be one of score, score_reach'],
    [{ rule: { round_hours: 0 } }, '.rule.round_hours must be a whole number from 1 to 4320'],
    [{ rule: { type: 'raffle' } }, '.rule.winners must be a whole number from 1 to 1000'],
    [{ rule: { type: 'raffle', winners: 1_001 } }, '.rule.winners must be a whole number from 1 to 1000'],
    [
      { gates: [] },
      '.gates must be an object with the fields min_score, min_account_age_days, min_followers, verified_address, spam_label, min_letters, min_holding',
    ],
    [{ gates: { min_score: 0.1234567 } }, SCORE],
    [{ gates: { min_score: 1.1 } }, SCORE],
    [{ gates: { min_score: '0.5' } }, SCORE],
    [{ gates: { min_account_age_days: 3_651 } }, '.gates.min_account_age_days must be a whole number from 0 to 3650'],
    [{ gates: { min_followers: -1 } }, '.gates.min_followers must be a whole number from 0 to 1000000000'],
    [{ gates: { min_letters: 1.5 } }, '.gates.min_letters must be a whole number from 0 to 1000'],
    [{ gates: { verified_address: 'yes' } }, '.gates.verified_address must be true or false'],
    [{ gates: { spam_label: 'spam' } }, '.gates.spam_label must be one of not_spam, trusted, any'],
    [{ hold_hours: 169 }, '.hold_hours must be a whole number from 0 to 168'],
    [{ tips_by_request: 1 }, '.tips_by_request must be true or false'],
  ])('error: %j', (given, problem) => {
    const told = [`earning_criteria${problem}`];
    expect(problems(given)).toEqual(told);
    if (typeof given === 'object' && !Array.isArray(given)) expect(problems(JSON.stringify(given))).toEqual(told);
  });

  test('error: every problem is told at once', () => {
    expect(
      problems({ rule: { type: 'raffle', winners: 0 }, gates: { min_letters: -1, min_score: 2 }, hold_hours: 'x' }),
    ).toEqual([
      'earning_criteria.rule.winners must be a whole number from 1 to 1000',
      `earning_criteria${SCORE}`,
      'earning_criteria.gates.min_letters must be a whole number from 0 to 1000',
      'earning_criteria.hold_hours must be a whole number from 0 to 168',
    ]);
  });

  test('security: names of unknown fields are cut', () => {
    const [problem = ''] = problems(
      Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(500, 'x'), n])),
    );
    expect(problem.length).toBeLessThan(400);
  });

  test('security: whatever is sent is read or refused, and never pollutes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.anything(), fc.object({ key: fc.constantFrom('rule', 'gates', '__proto__') })),
        (value) => {
          const { fields, problems: found } = read(value);
          expect(fields.earning_criteria === undefined).toBe(found.length > 0);
        },
      ),
    );
    expect(Reflect.get({}, 'a')).toBeUndefined();
  });
});

test('security: a field of the name __proto__ is as unknown as any other, wherever it is', () => {
  for (const text of ['{"__proto__":{}}', '{"rule":{"type":"manual","__proto__":{}}}', '{"gates":{"__proto__":1}}']) {
    for (const given of [text, JSON.parse(text)]) {
      expect(problems(given)).toEqual([expect.stringContaining('has unknown fields: "__proto__"')]);
    }
  }
});
