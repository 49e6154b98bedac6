import { expect, test } from 'vitest';
import { readListLines } from '../../../src/domain/owners/list-fields.ts';

/** The separator of a list, and the fields of its lines. */
function read(text: string) {
  const { separator, lines } = readListLines(text);
  return [separator, ...lines.map(({ fields }) => fields)];
}

test.each([
  ['a,"b ""c"" d"', ',', ['a', 'b "c" d']],
  [' "a, b" , c ', ',', ['a, b', 'c']],
  ['a;"b;c";d,e', ';', ['a', 'b;c', 'd,e']],
  ['a\t"b\tc" \t"d"', '\t', ['a', 'b\tc', 'd']],
  ['a\t \tb;c,d\t\t', '\t', ['a', '', 'b;c,d']],
  ["'a,' 'b", ',', ['a', "'b"]],
  [" 'a , b'c", ',', ['a', "b'c"]],
  [',', ',', ['']],
  ['a', ',', ['a']],
  ['a"b,c', ',', null],
  ['"a" b,c', ',', null],
  ['a\t"b" c', ',', null],
])('behavior: %j is divided by %j', (text, separator, fields) => {
  expect(read(text)).toEqual([separator, fields]);
});

test.each([
  ['sep=;\na,b;c', [';', ['a,b', 'c']]],
  ['  "SEP=,"\na;b,c', [',', ['a;b', 'c']]],
  ['sep=|\na;b', [';', ['a', 'b']]],
  ['a;b\nsep=,', [';', ['a', 'b'], ['sep=,']]],
  ['asep=,\na;b', [';', ['asep=,'], ['a', 'b']]],
  ['sep=;;\na,b', [',', ['sep=;;'], ['a', 'b']]],
])('behavior: of %j the first line may say what separates', (text, found) => {
  expect(read(text)).toEqual(found);
});

test('behavior: lines keep their numbers and their text, and those within quotes name the line that opens them', () => {
  const { lines } = readListLines('\uFEFF\r\n a,b \r"c\n\td,e\n f"\n"g,h');
  expect(lines).toEqual([
    { place: 2, text: ' a,b', fields: ['a', 'b'], within: null },
    { place: 3, text: '"c', fields: null, within: null },
    { place: 4, text: '\td,e', fields: null, within: 3 },
    { place: 5, text: ' f"', fields: null, within: 3 },
    { place: 6, text: '"g,h', fields: null, within: null },
  ]);
});

test.each([
  // Quotes in the middle of a field open nothing, nor do those that end in their own line.
  ['a"b\nc,d\ne"', [null, null, null]],
  ['x,"a\nb\nc"\nd,"e\nf"', [null, 1, 1, null, 4]],
  ['"a","b\nc"', [null, 1]],
  ['"a"b"\nc"', [null, 1]],
])('behavior: of %j the lines stand within the quotes of %j', (text, within) => {
  expect(readListLines(text).lines.map((line) => line.within)).toEqual(within);
});

test('security: a hundred fields of a line are read, and a thousand lines to find what separates', () => {
  expect(readListLines('a,'.repeat(150)).lines[0]?.fields).toHaveLength(100);
  expect(readListLines('a,'.repeat(99)).lines[0]?.fields).toHaveLength(99);
  expect(readListLines(`${'a\n'.repeat(999)}b;c`).separator).toBe(';');
  expect(readListLines(`${'a\n'.repeat(1_000)}b;c`).separator).toBe(',');
});
