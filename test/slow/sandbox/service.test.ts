import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../src/node-flags.ts';
import { temporaryFolder } from '../../support/store.ts';

const ROOT = join(import.meta.dirname, '../../..');

test("behavior: a build says what it built and where; what npm start runs has the flags of the sandbox's service", () => {
  const folder = temporaryFolder();
  try {
    const build = [join(ROOT, 'scripts/bundle.ts'), '--outdir', folder.path];
    const printed = execFileSync(process.execPath, build, { encoding: 'utf8' });
    expect(printed).toBe(`Built gigclaim ${manifest.version} in ${folder.path}\n`);
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

test.each(['sandbox', 'chaos', 'soak', 'fuzz', 'bench', 'check', 'test', 'test:long', 'screenshots'])(
  'error: npm run %s in a production install says what to do',
  (script) => {
    const folder = temporaryFolder();
    try {
      copyFileSync(join(ROOT, 'package.json'), join(folder.path, 'package.json'));
      cpSync(join(ROOT, 'scripts'), join(folder.path, 'scripts'), { recursive: true });
      const { status, stderr } = spawnSync('npm', ['run', script], { cwd: folder.path, encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toContain('This needs the development packages. Run first: npm install\n');
      expect(stderr).not.toContain('ERR_MODULE_NOT_FOUND');
    } finally {
      folder.remove();
    }
  },
);

test('behavior: npm start builds nothing', () => {
  expect(manifest.scripts.build).toBe('node scripts/bundle.ts');
  expect(manifest.scripts.start).toMatch(/; exec sh dist\/start$/);
});
