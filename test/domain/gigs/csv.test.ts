import { expect, test } from 'vitest';
import { csvLine } from '../../../src/domain/gigs/gig-report-csv.ts';

test.each<[what: string, values: (string | number | null)[], line: string]>([
  ['plain texts, numbers and nothing', ['a', 7, null, ''], 'a,7,,\r\n'],
  ['a comma', ['a,b', 'c'], '"a,b",c\r\n'],
  ['quotes', ['say "no"'], '"say ""no"""\r\n'],
  ['line breaks', ['a\nb', 'c\r\nd'], '"a\nb","c\r\nd"\r\n'],
])('behavior: writes %s as RFC 4180 says', (_what, values, line) => {
  expect(csvLine(values)).toBe(line);
});

test.each([
  ['=1+1', "'=1+1\r\n"],
  ['+49', "'+49\r\n"],
  ['-2', "'-2\r\n"],
  ['@sum', "'@sum\r\n"],
  ['\t=1', "'\t=1\r\n"],
  ['=HYPERLINK("http://evil.example","x")', '"\'=HYPERLINK(""http://evil.example"",""x"")"\r\n'],
  ['a=1', 'a=1\r\n'],
])('security: %j is no formula in a spreadsheet', (text, line) => {
  expect(csvLine([text])).toBe(line);
});
