import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { API_VERSION } from '../../client/gigclaim.ts';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const { version } = manifest;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** All texts that an expression finds in a file. */
const found = (path: string, expression: RegExp) => [...read(path).matchAll(expression)].map(([, text]) => text);

/** The tags of this commit; none outside a clone. */
function tagsHere(): string[] {
  try {
    return execFileSync('git', ['tag', '--points-at', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  } catch {
    return [];
  }
}

test('behavior: package, lock file, tag, changelog, image, documents and client name one version and one date', () => {
  expect(version).toBe('0.4.0');
  expect([lock.version, lock.packages[''].version, API_VERSION]).toEqual([version, version, version]);
  // What is not released yet stands before all versions.
  const released = read('CHANGELOG.md').replace(/^## Unreleased$/m, '');
  expect(/^## (.*)$/m.exec(released)?.[1]).toBe(`${version} (2026-11-29)`);
  expect(found('compose.yaml', /image: gigclaim:(\S+)/g)).toEqual([version]);
  expect(read('docs/operate.md')).toContain(`This is version ${version} of 29 Nov 2026; `);
  for (const path of ['README.md', 'docs/operate.md']) {
    expect([path, ...new Set(found(path, /gigclaim-([0-9.]+)\.tgz/g))]).toEqual([path, version]);
  }
  for (const tag of tagsHere().filter((name) => /^v[0-9]/.test(name))) expect(tag).toBe(`v${version}`);
});

test('behavior: the service says the version of its package, in the API document as well', () => {
  expect(read('src/main.ts')).toContain("new URL('../package.json', import.meta.url)");
  expect(read('src/http/api/openapi.ts')).toMatch(/info: \{[^}]*\bversion,/);
});
