import { expect, test } from 'vitest';
import { read } from '../support/architecture.ts';
import { withoutComments } from '../support/imports.ts';

const pages = [...read('src')].filter(([path]) => /^src\/http\/(admin|my)\//.test(path));

function naming(pattern: RegExp): string[] {
  return pages.filter(([, source]) => pattern.test(withoutComments(source))).map(([path]) => path);
}

test('behavior: pages of operators and owners show a refusal in their frame alone', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(naming(/\bcatch\b/)).toEqual([]);
});

test('security: they are made by an audience alone, which asks for a session and for the token of a form', () => {
  expect(naming(/\bapp\s*\.\s*(get|post|on|use|all|route)\(|\bisSameOrigin\b|\bisOwnForm\b/)).toEqual([]);
  expect(naming(/\bfind(Owner)?Session\(/)).toEqual(['src/http/admin/audience.ts', 'src/http/my/audience.ts']);
});
