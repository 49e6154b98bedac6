import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

const { version } = manifest;
const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('behavior: package, lock file, changelog, image and documents name one version and one date', () => {
  expect(version).toBe('0.3.0');
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  // What is not released yet stands before all versions.
  const released = read('CHANGELOG.md').replace(/^## Unreleased$/m, '');
  expect(/^## (.*)$/m.exec(released)?.[1]).toBe(`${version} (2026-11-26)`);
  const images = [...read('compose.yaml').matchAll(/image: gigclaim:(\S+)/g)].map(([, tag]) => tag);
  expect(images).toEqual([version]);
  expect(read('docs/operate.md')).toContain(`This is version ${version} of 26 Nov 2026.`);
});
