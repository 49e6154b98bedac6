import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/domain/earning/payouts/decisions.ts';
import { criteriaField } from '../../src/domain/earning/terms/rules-field.ts';
import { isInexactNumber, parseExactJson } from '../../src/domain/exact-json.ts';

/** Whether a number in JSON is read as it was written. */
const isExact = (source: string) => {
  const { value, hasInexact } = parseExactJson(`{"amount":[${source}]}`);
  const [read] = (value as { amount: unknown[] }).amount;
  expect([source, isInexactNumber(read)]).toEqual([source, hasInexact]);
  return !hasInexact;
};

describe('a number in JSON', () => {
  test.each([
    ...['0', '-0', '0.0', '1', '1.0', '10', '0.1', '0.10', '12.5', '1e2', '1E+2', '1.50e-7', '5e-324', '100e-2'],
    ...['-3.25', '9007199254740991', '9007199254740992', '123456789012345680000', '1e21', '0.30000000000000004'],
    '1.7976931348623157e308',
  ])('behavior: %s is read as it is written', (source) => {
    expect(isExact(source)).toBe(true);
  });

  test.each([
    ...['0.12345678901234567890123', '1.00000000000000000001', '100000000000000000000.5', '9007199254740993'],
    ...['0.1000000000000000055', '123456789012345678901', '1e400', '-1e400', '1e-400', '4e-324'],
    ...['1329227995784915872903807060280344576', '0.99999999999999999999', '12.5000000000000000000001'],
  ])('security: %s loses digits, and is not read as something else', (source) => {
    expect(isExact(source)).toBe(false);
  });

  test('security: what is exact is what a float gives back, and everything else is parsed as JSON', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isExact(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toEqual({ value: JSON.parse(text), hasInexact: false });
      }),
    );
  });

  test('error: what is no JSON is a SyntaxError', () => {
    for (const text of ['', '{', '01', '{"a":NaN}']) expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

const SEND = 'has more digits than a JSON number holds: send it as a string';

test('security: the amounts of rules in a text, and those of a verifier, are read as exactly', () => {
  const given = (amount: string) =>
    criteriaField('earning_criteria').safeParse(`{"rule":{"type":"fixed","amount":${amount}}}`);
  expect(given('0.5').success).toBe(true);
  expect(given('1.00000000000000000001').error?.issues.map(({ message }) => message)).toEqual([`amount ${SEND}`]);
  const answered = (award: string) => readAnswer(parseExactJson(`{"decisions":[{"id":7,"award":${award}}]}`).value);
  expect(answered('0.5')).toEqual({ decisions: [{ id: 7, award: '0.5' }] });
  expect(answered('0.12345678901234567890123')).toEqual({ problem: `decisions.0.award award ${SEND}` });
});
