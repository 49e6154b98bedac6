import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/store.ts';
import { folderOfTest } from '../../support/test-life.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules');

/** A checkout of this project, as after `npm install`; its build is this one's. */
let checkout: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  checkout = temporaryFolder();
  for (const path of ['package.json', 'tsconfig.json', 'scripts', 'src', 'client', 'drizzle']) {
    cpSync(join(ROOT, path), join(checkout.path, path), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(PACKAGES, join(checkout.path, 'node_modules'));
});
afterAll(() => checkout.remove());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `npm run -s admin` in a folder, with a database of its own. */
function admin(args: readonly string[], cwd = checkout.path): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    DATABASE_URL: `file:${join(folderOfTest(), 'gigclaim.db')}`,
  };
  return new Promise((resolve) => {
    const child = execFile('npm', ['run', '-s', 'admin', '--', ...args], { cwd, env }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

/** Has the sources of the checkout say something else in the help. */
function changeHelp(from: string, to: string): void {
  const path = join(checkout.path, 'src/cli/program.ts');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

describe('npm run admin in a development install', () => {
  test('behavior: builds first what is not built, without a word on stdout', async () => {
    expect(existsSync(join(checkout.path, 'dist'))).toBe(false);
    const { code, out, err } = await admin(['api-key', 'create', '--name', 'shop']);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^The database .* was created\.\nAPI key 1 [^\n]*\nStore it now[^\n]*\ngck_[\w-]{43}\n$/);
    expect(err).toMatch(/^Built gigclaim \S+ in /);
  });

  test('behavior: does not build again what has not changed', async () => {
    expect(await admin(['--help'])).toMatchObject({ code: 0, err: '' });
  });

  test('behavior: never runs code that is older than the sources', async () => {
    changeHelp('Operate a gigclaim service.', 'Operate a changed service.');
    const { code, out, err } = await admin(['--help']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Built /)]);
    expect(out).toContain('Operate a changed service.');
  });

  test('behavior: a file that is gone is a change', async () => {
    const path = join(checkout.path, 'src/passing.ts');
    writeFileSync(path, '');
    utimesSync(path, new Date(0), new Date(0));
    expect((await admin(['--help'])).err).toMatch(/^Built /);
    rmSync(path);
    expect((await admin(['--help'])).err).toMatch(/^Built /);
  });

  test('behavior: two at the same time build, and both run the new code', async () => {
    changeHelp('Operate a changed service.', 'Operate a service twice.');
    const both = await Promise.all([admin(['--help']), admin(['--help'])]);
    for (const { code, out, err } of both) {
      expect(code, err).toBe(0);
      expect(out).toContain('Operate a service twice.');
    }
    const left = readdirSync(join(checkout.path, 'dist')).filter((file) => file.endsWith('.new'));
    expect(left).toEqual([]);
  });

  test('behavior: what the build before wrote stays for programs that still run it', async () => {
    const dist = join(checkout.path, 'dist');
    const chunks = () => readdirSync(dist).filter((file) => /-[A-Z0-9]{8}\.js$/.test(file));
    // Two builds at the same time may leave what is older than both.
    const { mtimeMs: begun } = statSync(join(dist, 'admin'));
    const before = chunks().filter((file) => statSync(join(dist, file)).mtimeMs >= begun);
    expect(before.length).toBeGreaterThan(100);
    changeHelp('Operate a service twice.', 'Operate a service again.');
    await admin(['--help']);
    expect(chunks()).toEqual(expect.arrayContaining(before));
  });

  test('error: sources that cannot be built end it, and run nothing', async () => {
    changeHelp('const FAILED = 1;', 'const FAILED = ;');
    const { code, out, err } = await admin(['--help']);
    changeHelp('const FAILED = ;', 'const FAILED = 1;');
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err).toContain('src/cli/program.ts');
  });
});

describe('npm run admin in a production install', () => {
  function install(): string {
    const folder = folderOfTest();
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    mkdirSync(join(folder, 'node_modules'));
    return folder;
  }

  test('error: says what to do where nothing is built', async () => {
    const { code, out, err } = await admin(['--help'], install());
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('Nothing is built yet. Run first: npm run build\n');
  });

  test('behavior: runs what was built, and builds nothing', async () => {
    const folder = install();
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    symlinkSync(join(PACKAGES, 'better-sqlite3'), join(folder, 'node_modules/better-sqlite3'));
    const create = () => admin(['api-key', 'create', '--name', 'shop'], folder);
    const failed = await create();
    expect(failed.code, failed.out).toBe(1);
    // The migrations are missing, which nobody expects: where that was noticed is told by the sources.
    expect(failed.err).toMatch(/src\/store\/[\w/-]+\.ts:[0-9]+:[0-9]+/);
    cpSync(join(ROOT, 'drizzle'), join(folder, 'drizzle'), { recursive: true });
    const { code, out, err } = await create();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\ngck_[\w-]{43}\n$/);
  });
});

describe('a command', () => {
  test('behavior: hands its exit code on', async () => {
    expect((await admin(['gig', 'list'])).code).toBe(1);
    expect((await admin(['gig', 'lst'])).code).toBe(2);
  });

  test('behavior: on a terminal a table fits into it', async () => {
    const path = join(folderOfTest(), 'gigclaim.db');
    const command = (args: string) => `stty cols 80 && exec sh ${ROOT}/dist/admin ${args}`;
    const show = async (args: string) => {
      // Of util-linux, which every Debian has.
      const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command(args), '/dev/null'], {
        cwd: folderOfTest(),
        env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: `file:${path}`, TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return (await text(child.stdout)).replaceAll('\r\n', '\n').trimEnd().split('\n');
    };
    await show('api-key create --name a-long-name-of-a-client-that-keeps-a-shop');
    const lines = await show('api-key list');
    expect(lines[0]).toMatch(/^id {2}name/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toMatch(/--wide shows all\.$/);
    const [head = ''] = await show('api-key list --wide');
    const columns = 'id name client scopes created_at expires_at revoked_at last_used_at';
    expect(head.split(/ +/)).toEqual(columns.split(' '));
  });
});
