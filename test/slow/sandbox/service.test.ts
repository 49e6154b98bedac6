import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../src/node-flags.ts';
import { folderOfTest } from '../../support/test-life.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs npm in a folder with this project's manifest and these folders of it alone. */
function npm(args: readonly string[], ...folders: readonly string[]) {
  const cwd = folderOfTest();
  copyFileSync(join(ROOT, 'package.json'), join(cwd, 'package.json'));
  for (const folder of folders) cpSync(join(ROOT, folder), join(cwd, folder), { recursive: true });
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  return { status, stderr };
}

test("behavior: a build says what it built and where; what npm start runs has the flags of the sandbox's service", () => {
  const folder = folderOfTest();
  const build = [join(ROOT, 'scripts/bundle.ts'), '--outdir', folder];
  const printed = execFileSync(process.execPath, build, { encoding: 'utf8' });
  expect(printed).toBe(`Built gigclaim ${manifest.version} in ${folder}\n`);
  expect(readFileSync(join(folder, 'start'), 'utf8').split('\n')).toEqual([
    '#!/bin/sh',
    ...Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `export ${name}=${value}`),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own expansion.
    `exec node ${NODE_FLAGS.join(' ')} "${'${0%/*}'}/main.js"`,
    '',
  ]);
});

test('error: npm start without a build says what to do', () => {
  const { status, stderr } = npm(['start']);
  expect(status).toBe(1);
  expect(stderr).toContain('Nothing is built yet. Run first: npm run build');
});

test.each(['sandbox', 'chaos', 'soak', 'fuzz', 'bench', 'check', 'test', 'test:long', 'screenshots'])(
  'error: npm run %s in a production install says what to do',
  (script) => {
    const { status, stderr } = npm(['run', script], 'scripts');
    expect(status).toBe(1);
    expect(stderr).toContain('This needs the development packages. Run first: npm install\n');
    expect(stderr).not.toContain('ERR_MODULE_NOT_FOUND');
  },
);

test('behavior: npm start builds nothing', () => {
  expect(manifest.scripts.build).toBe('node scripts/bundle.ts');
  expect(manifest.scripts.start).toMatch(/; exec sh dist\/start$/);
});
