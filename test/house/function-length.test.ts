import { expect, test } from 'vitest';
import { read } from '../support/architecture.ts';
import { longFunctions } from '../support/functions.ts';

const MOST_FUNCTION_LINES = 60;

test('behavior: no function is longer than 60 lines', () => {
  // The columns of a table stay together.
  const columns = /^src\/store\/sql\/.*-tables\.ts /;
  const found = longFunctions(read('src'), MOST_FUNCTION_LINES);
  expect(found.filter((each) => !columns.test(each))).toEqual([]);
});

test('behavior: the 61st line of a function is one too many, and one without code does not count', () => {
  const long = (path: string, source: string) => longFunctions(new Map([[path, source]]), MOST_FUNCTION_LINES);
  const body = (lines: number) => `function a() {\n${'  b();\n'.repeat(lines - 2)}}\n`;
  const commented = body(60).replace('  b();\n', '  // Why.\n\n  /** What.\n   * It is. */\n  b();\n');
  expect(long('src/a.ts', commented)).toEqual([]);
  expect(long('src/a.ts', body(61))).toEqual(['src/a.ts a: 61']);
  expect(long('src/b.ts', `export const c = d(() => {\n${body(60)}});\n`)).toEqual(['src/b.ts c: 62']);
});
