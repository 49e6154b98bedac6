import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadDocument, readDocument } from '../document.ts';
import { openService, type Service } from '../service.ts';

const TEXT = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

let service: Service;
let read: ReadDocument;
beforeAll(async () => {
  service = await openService();
  read = await readDocument(service);
});
afterAll(() => service.close());

/** What an operation needs; of one that is partly public, what the rest of it needs. */
function needOf(operation: object): string {
  const scope: unknown = Reflect.get(operation, 'x-required-scope');
  const security: unknown = Reflect.get(operation, 'security');
  if (typeof scope !== 'string') return 'nothing';
  const isPartlyPublic = Array.isArray(security) && security.some((way) => Object.keys(way).length === 0);
  return isPartlyPublic ? `nothing; \`${scope}\` for all of it` : `\`${scope}\``;
}

test('behavior: the table of operations in docs/api.md is that of the document', () => {
  const rows = Object.entries(read.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const summary = String(Reflect.get(operation, 'summary'));
      return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${needOf(operation)} |`;
    }),
  );
  const [, section = ''] = TEXT.split('\n## Operations\n');
  const table = [...(section.split('\n## ')[0] ?? '').matchAll(/^\|.*\|$/gm)].map(([row]) => row);
  expect(table.join('\n')).toBe(
    ['| request | what it does | needs |', '|---|---|---|', ...rows.filter((row) => row.includes(' /api/'))].join('\n'),
  );
});
