import { describe, expect, test } from 'vitest';
import { drawMutants, type Mutant } from '../../scripts/mutants/mutants.ts';
import { createNearTests } from '../../scripts/mutants/near.ts';
import { reportOf } from '../../scripts/mutants/report.ts';

function mutant(file: string, line: number, change: Partial<Mutant> = {}): Mutant {
  const name = { at: `return a < ${line};`, code: `a < ${line}`, to: `a <= ${line}` };
  return { id: `${file}:${line}`, file, line, decides: 'money', name, ...change };
}
const ALL = ['src/a.ts', 'src/b.ts'].flatMap((file) => Array.from({ length: 50 }, (_, line) => mutant(file, line)));
const ids = (mutants: readonly Mutant[]) => mutants.map(({ id }) => id);

describe('a draw of faults', () => {
  test('behavior: is the same for a seed, and another one for another', () => {
    expect(ids(drawMutants(ALL, 7, 20))).toEqual(ids(drawMutants(ALL, 7, 20)));
    expect(ids(drawMutants(ALL, 7, 20))).not.toEqual(ids(drawMutants(ALL, 8, 20)));
    expect(drawMutants(ALL, 7, 1_000)).toHaveLength(100);
  });

  test('behavior: of less is the beginning of a draw of more', () => {
    expect(ids(drawMutants(ALL, 7, 60)).slice(0, 20)).toEqual(ids(drawMutants(ALL, 7, 20)));
  });

  test('behavior: keeps its order when lines are added, and when another file changes', () => {
    const moved = ALL.map((each) => ({ ...each, id: `${each.id} later`, line: each.line + 9 }));
    expect(drawMutants(moved, 7, 20).map(({ id }) => id.replace(' later', ''))).toEqual(ids(drawMutants(ALL, 7, 20)));
    const ofA = ALL.filter(({ file }) => file === 'src/a.ts');
    const drawnOfA = drawMutants(ALL, 7, 100).filter(({ file }) => file === 'src/a.ts');
    expect(ids(drawMutants(ofA, 7, 50))).toEqual(ids(drawnOfA));
  });

  test('behavior: tells faults apart that have the same code in the same line', () => {
    const twins = [mutant('src/a.ts', 1, { id: 'first' }), mutant('src/a.ts', 1, { id: 'second' })];
    expect(new Set(ids(drawMutants(twins, 7, 2)))).toEqual(new Set(['first', 'second']));
  });
});

test('behavior: the nearest tests of a file are its own, those that import it, and those of its folders and capability', () => {
  const tests = [
    'test/http/api/claims/claim-again.test.ts',
    'test/services/claims/claim-rewards.test.ts',
    'test/domain/claims/claim-destination.test.ts',
    'test/domain/claims/claim.test.ts',
    'test/domain/command-claim.test.ts',
    'test/domain/time.test.ts',
  ];
  expect(createNearTests(tests)('src/domain/claims/claim.ts')).toEqual({
    near: [
      'test/domain/claims/claim.test.ts',
      'test/services/claims/claim-rewards.test.ts',
      'test/domain/claims/claim-destination.test.ts',
      'test/domain/command-claim.test.ts',
    ],
    further: ['test/http/api/claims/claim-again.test.ts'],
  });
});

test('behavior: the report counts what is not equivalent, and names what no test notices', () => {
  const [first, second, third, fourth] = ALL;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new TypeError('there are no faults');
  }
  const { noticed, text } = reportOf([
    { mutant: first, outcome: 'failed', why: 'a test' },
    { mutant: second, outcome: 'timed out', why: 'a test' },
    { mutant: third, outcome: 'equivalent', why: 'it is the same' },
    { mutant: { ...fourth, decides: 'identity' }, outcome: 'unnoticed', why: 'test/a.test.ts' },
  ]);
  expect(noticed).toBeCloseTo(2 / 3);
  expect(text).toContain('src/a.ts:3 unnoticed\n  at   return a < 3;\n  code a < 3\n  to   a <= 3\n  test/a.test.ts');
  expect(text).toContain('src/a.ts:2 equivalent');
  expect(text).not.toContain('src/a.ts:0 ');
  expect(text).toContain('66.7 % of those that are not equivalent (money 100.0 % of 3; identity 0.0 % of 1;');
  expect(reportOf([]).noticed).toBe(1);
});
