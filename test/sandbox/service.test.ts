import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/node-flags.ts';
import { temporaryFolder } from '../support/store.ts';

const ROOT = join(import.meta.dirname, '../..');

test("behavior: what npm start runs has the flags and variables of the sandbox's service", () => {
  const folder = temporaryFolder();
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts/bundle.ts'), '--outdir', folder.path]);
    expect(readFileSync(join(folder.path, 'start'), 'utf8').split('\n')).toEqual([
      '#!/bin/sh',
      ...Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `export ${name}=${value}`),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own expansion.
      `exec node ${NODE_FLAGS.join(' ')} "${'${0%/*}'}/main.js"`,
      '',
    ]);
  } finally {
    folder.remove();
  }
});

test('error: npm start without a build says what to do', () => {
  const folder = temporaryFolder();
  try {
    copyFileSync(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
    const { status, stderr } = spawnSync('npm', ['start'], { cwd: folder.path, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('Nothing is built yet. Run first: npm run build');
  } finally {
    folder.remove();
  }
});

test('behavior: npm start builds nothing', () => {
  expect(manifest.scripts.build).toBe('node scripts/bundle.ts');
  expect(manifest.scripts.start).toMatch(/; exec sh dist\/start$/);
});
