import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/store.ts';

const MODULE = new URL('../../src/compile-cache.ts', import.meta.url).href;
/** Node keeps nothing of what is compiled faster than it is read. */
const CODE = `${Array.from({ length: 200 }, (_, n) => `export const f${n} = (x) => x + ${n};`).join('\n')} console.log('run');`;

let folder: ReturnType<typeof temporaryFolder>;
let cache: string;
beforeEach(() => {
  folder = temporaryFolder();
  cache = join(folder.path, 'compile-cache');
  writeFileSync(join(folder.path, 'code.mjs'), CODE);
});
afterEach(() => folder.remove());

/** What a process prints that keeps what it compiles, as a bundle in the folder would. */
function runBundle({ env = {}, limit = '', name = 'main.js' } = {}): string {
  const from = pathToFileURL(join(folder.path, name)).href;
  const code = pathToFileURL(join(folder.path, 'code.mjs')).href;
  const script = `(await import('${MODULE}')).keepCompiled('${from}', process.env); await import('${code}');`;
  const shell = `${limit} exec "$0" --input-type=module --eval "$1"`;
  const all = { PATH: process.env['PATH'], ...env };
  const ran = spawnSync('sh', ['-c', shell, process.execPath, script], { env: all, encoding: 'utf8' });
  return `${ran.stdout}${ran.stderr}`;
}

/** All files below a folder. */
function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('what a bundle has compiled', () => {
  test('behavior: is kept for its user alone, apart from other versions of Node', () => {
    expect(runBundle()).toBe('run\n');
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    const [version = '', ...others] = readdirSync(cache);
    expect(others).toEqual([]);
    expect(version.startsWith(`${process.version}-`)).toBe(true);
    const kept = filesIn(cache).map((path) => [path, statSync(path).mtimeMs]);
    expect(kept).toHaveLength(1);
    // The next process has no reason to write it again.
    expect(runBundle()).toBe('run\n');
    expect(filesIn(cache).map((path) => [path, statSync(path).mtimeMs])).toEqual(kept);
  });

  test('behavior: is not kept of the sources, nor where the operator has named a folder', () => {
    expect(runBundle({ name: 'main.ts' })).toBe('run\n');
    expect(readdirSync(folder.path)).toEqual(['code.mjs']);
    const named = join(folder.path, 'named');
    expect(runBundle({ env: { NODE_COMPILE_CACHE: named } })).toBe('run\n');
    expect(filesIn(named).length).toBeGreaterThan(0);
    expect(readdirSync(folder.path)).toEqual(['code.mjs', 'named']);
  });

  function makeFolder(mode: number): void {
    mkdirSync(cache);
    chmodSync(cache, mode);
  }
  function makeLink(): void {
    const elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, cache);
  }
  const keptNothing = () => filesIn(folder.path).every((path) => path === join(folder.path, 'code.mjs'));

  test.each([
    ['its group may write to', () => makeFolder(0o770)],
    ['everybody may write to', () => makeFolder(0o777)],
    ['leads elsewhere', makeLink],
  ])('security: is not kept in a folder that %s', (_which, prepare) => {
    prepare();
    expect(runBundle()).toBe('run\n');
    expect(keptNothing()).toBe(true);
  });

  // Only root can give a folder away.
  test.skipIf(process.getuid?.() !== 0)('security: is not kept in the folder of another user', () => {
    makeFolder(0o700);
    chownSync(cache, 1, 1);
    expect(runBundle()).toBe('run\n');
    expect(keptNothing()).toBe(true);
  });

  test('error: that cannot be kept harms nothing: no folder, a full disk, damaged files', () => {
    writeFileSync(cache, 'a file is here');
    expect(runBundle()).toBe('run\n');
    folder.remove();
    folder = temporaryFolder();
    cache = join(folder.path, 'compile-cache');
    writeFileSync(join(folder.path, 'code.mjs'), CODE);
    expect(runBundle({ limit: 'ulimit -f 0;' })).toBe('run\n');
    expect(runBundle()).toBe('run\n');
    const [kept = ''] = filesIn(cache);
    const bytes = statSync(kept).size;
    for (const damaged of ['', 'x'.repeat(bytes), 'x'.repeat(10 * bytes)]) {
      writeFileSync(kept, damaged);
      expect(runBundle()).toBe('run\n');
    }
  });
});
