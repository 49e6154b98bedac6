import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const CODE = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');

/** The texts in code of the first column of the tables that begin with this word. */
function firstColumn(document: string, word: string): string[] {
  const tables = new RegExp(`^\\| ${word} \\|.*\\n\\|[-|:]+\\n((?:\\|.*\\n?)+)`, 'gm');
  const cells = [...read(document).matchAll(tables)].flatMap(([, rows = '']) =>
    [...rows.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell),
  );
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
}

/** Whether the code has the parts of a text between those that it puts in. */
function isOfCode(text: string): boolean {
  const parts = text.split(/…|\b[0-9]+\b|SQL_ASCII/).map((part) => part.trim());
  return parts.every((part) => CODE.includes(part));
}

test.each([
  ['docs/operate/payments.md', 'reason', 24],
  ['docs/operate/postgres.md', 'message', 7],
  ['docs/operate/store-copy.md', 'message', 12],
])('behavior: each text in the tables of %s is one that the code gives', (document, word, least) => {
  const texts = firstColumn(document, word);
  expect(texts.length).toBeGreaterThanOrEqual(least);
  expect(texts.filter((text) => !isOfCode(text))).toEqual([]);
});

test('error: a text that the code does not give is found', () => {
  expect([isOfCode('the gas tank is too low'), isOfCode('the gas tank is much too low …')]).toEqual([true, false]);
});
