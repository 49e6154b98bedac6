import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Operation } from '../../../src/http/api/define-operation.ts';
import { OPERATIONS } from '../../../src/http/api/operations.ts';

const TEXT = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

/** What an operation needs; of one that is partly public, what the rest of it needs. */
function needOf({ scope, keyIfNeeded }: Operation): string {
  if (scope === null) return 'nothing';
  return keyIfNeeded === undefined ? `\`${scope}\`` : `nothing; \`${scope}\` for all of it`;
}

test('behavior: the table of operations in docs/api.md is that of the document', () => {
  // The document has the operations of a path side by side.
  const rows = [...Map.groupBy(OPERATIONS, ({ path }) => path).values()].flat().map((operation) => {
    const request = `${operation.method.toUpperCase()} ${operation.path.replace(':id{[0-9]+}', '{id}')}`;
    return `| \`${request}\` | ${operation.summary} | ${needOf(operation)} |`;
  });
  const [, section = ''] = TEXT.split('\n## Operations\n');
  const table = [...(section.split('\n## ')[0] ?? '').matchAll(/^\|.*\|$/gm)].map(([row]) => row);
  expect(table.join('\n')).toBe(['| request | what it does | needs |', '|---|---|---|', ...rows].join('\n'));
});
