import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUDGETS, NOT_YET, WORDS_IN_ALL, WORDS_OF_A_DECISION } from './budgets.ts';
import { PATTERNS, usesOf } from './patterns.ts';
import { docsOf, stringsOf } from './strings.ts';
import { longSentences, wordsOf } from './words.ts';

const ROOT = join(import.meta.dirname, '../..');
const LONGEST_SENTENCE = 25;
const LINES_OF_AN_ENTRY = 3;
/** A longer line would hide a fourth one. */
const LONGEST_LINE = 132;

const DOCUMENTS = globSync('{*.md,docs/**/*.md}', { cwd: ROOT }).toSorted();
const DECISIONS = DOCUMENTS.filter((path) => path.startsWith('docs/decisions/'));
/** They have no budget: the one lists terms, the other grows with each version. */
const WITHOUT_BUDGET = ['CHANGELOG.md', 'docs/glossary.md'];

/** A document's text; of the settings, that of the comments. */
function read(path: string): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return path === '.env.example' ? text.replaceAll(/^#[A-Z_0-9]+=.*$/gm, '').replaceAll(/^# ?/gm, '') : text;
}

/** The words of those documents that exist. */
const inAll = (documents: readonly string[], tablesOf?: readonly string[]): number =>
  documents
    .filter((document) => DOCUMENTS.includes(document))
    .reduce((sum, document) => sum + wordsOf(read(document), tablesOf), 0);

describe('the budgets of words', () => {
  test('behavior: every document has one, but for the glossary and the changelog', () => {
    const budgeted = [...BUDGETS.flatMap(({ documents }) => documents), ...DECISIONS, ...WITHOUT_BUDGET];
    expect(DOCUMENTS.filter((document) => !budgeted.includes(document))).toEqual([]);
  });

  const rows = [
    ...BUDGETS,
    ...DECISIONS.map((decision) => ({ documents: [decision], words: WORDS_OF_A_DECISION, tablesOf: [] })),
  ].map((budget) => ({ ...budget, name: budget.documents.join(', ') }));

  test.each(rows)('behavior: $name has at most $words words', ({ documents, words, tablesOf }) => {
    const exceptions = documents.map((document) => NOT_YET[document]?.words ?? 0);
    const most = exceptions.reduce((sum, each) => sum + each, 0);
    expect(inAll(documents, tablesOf)).toBeLessThanOrEqual(Math.max(words, most));
  });

  test('behavior: all of them together have at most their share', () => {
    const counted = BUDGETS.map(({ documents, tablesOf }) => {
      const written = documents.filter((document) => !(document in NOT_YET));
      return inAll(written, tablesOf);
    });
    expect(counted.reduce((sum, words) => sum + words, 0) + inAll(DECISIONS)).toBeLessThanOrEqual(WORDS_IN_ALL);
  });

  test('error: an exception that is no longer needed', () => {
    const isWritten = (document: string) =>
      usesOf(read(document)).length === 0 && longSentences(read(document), LONGEST_SENTENCE).length === 0;
    const isInBudget = (document: string) =>
      rows.every(
        ({ documents, words, tablesOf }) => !documents.includes(document) || inAll(documents, tablesOf) <= words,
      );
    expect(Object.keys(NOT_YET).filter((document) => isWritten(document) && isInBudget(document))).toEqual([]);
  });
});

describe.each([...DOCUMENTS, '.env.example'])('the sentences of %s', (document) => {
  test('behavior: use none of the phrases to avoid', () => {
    const uses = usesOf(read(document));
    expect(uses.slice(NOT_YET[document]?.uses ?? 0)).toEqual([]);
  });

  test.skipIf(document in NOT_YET)('behavior: have at most 25 words', () => {
    expect(longSentences(read(document), LONGEST_SENTENCE)).toEqual([]);
  });
});

test.each([
  ['strings', stringsOf],
  ['doc comments of exports', docsOf],
])('behavior: the %s of src use none of the phrases to avoid', (_, textsOf) => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).toSorted();
  const uses = sources.flatMap((source) =>
    usesOf(textsOf(read(source)).join('\n\n')).map((use) => `${source}: ${use}`),
  );
  expect(uses).toEqual([]);
});

test.each([
  [`throw new Error('It is not ' + \`told of \${name}\` + ', too.');`, ['It is not told of …, too.']],
  [`html\`<h1>Who earns it</h1><p>What is \${left} is kept.</p>\`;`, ['… Who earns it', 'What is … is kept.']],
  [`say(\`Gig \${isOver ? 'that is over now' : two} ends here.\`);`, ['Gig … ends here.', '… that is over now']],
  ["import 'a b c d';\ntype A = 'a b c d';\nconst two = 'two words';", []],
])('behavior: the strings of %s', (source, strings) => {
  expect(stringsOf(source)).toEqual(strings);
});

test('behavior: of doc comments those of exports', () => {
  expect(docsOf('/** One\n * two. */\nexport const a = 1;\n/** Own. */\nconst b = 2;')).toEqual(['… One two.']);
});

describe('the changelog', () => {
  const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');

  test('behavior: no entry has more than three lines', () => {
    const entries = [...text.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([entry]) => entry);
    expect(entries.length).toBeGreaterThan(20);
    const long = entries.filter((entry) => {
      const lines = entry.split('\n');
      return lines.length > LINES_OF_AN_ENTRY || lines.some((line) => line.length > LONGEST_LINE);
    });
    expect(long).toEqual([]);
  });

  test('behavior: a version begins with what breaks', () => {
    for (const version of text.split(/^## /m).slice(1)) {
      const [, ...parts] = version.split(/^### /m).map((part) => part.split('\n')[0]);
      expect(parts.indexOf('Breaking')).toBeLessThanOrEqual(0);
    }
  });
});

describe('the way of counting', () => {
  test('behavior: words outside code count as wc counts them', () => {
    const text = '# A title\n\nTwo `words here`.\n\n```sh\nnot these words\n```\n\n[a link](far/away.md) – 3 %\n';
    expect(wordsOf(text)).toBe(11);
    expect(wordsOf('| a | b |\n|---|--:|\n| c d | |\n')).toBe(11);
  });

  test('behavior: a table that another test holds does not count, and the next section does', () => {
    const text = '# A\n\n## Codes\n\nSee:\n\n| a | b |\n|---|---|\n\n## Next\n\n| c |\n';
    expect([wordsOf(text), wordsOf(text, ['Codes'])]).toEqual([16, 10]);
  });

  test('error: a sentence with a word too many is found in paragraphs, lists and cells', () => {
    const text = '- one two three\n  four. five\n\n| six seven eight nine | ten |\n\n```\na b c d e\n```\n';
    expect(longSentences(text, 3)).toEqual(['- one two three four.', 'six seven eight nine']);
  });

  test.each([
    'The log tells of it.',
    'The owner is told.',
    'What becomes of a gig is shown.',
    'Whoever asks gets it.',
    'An account is decided about.',
    'It also pays, too.',
    'Nobody waits.',
    'Who waits, after that time, waits on.',
    'Nothing of it is kept.',
    'It was not paid yet.\nIt was paid yet.',
  ])('error: a phrase to avoid is found: %s', (text) => {
    expect(usesOf(text)).not.toEqual([]);
  });

  test('behavior: plain uses of the same words are none', () => {
    const plain =
      'Tell your client. `is told` What is a gig? Accounts, who wait, get it. A day of rest. There is nothing to do.';
    expect(usesOf(plain)).toEqual([]);
    expect(PATTERNS.length).toBeGreaterThan(15);
  });
});
