import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * The steps of the Dockerfile and of docs/operate.md in a clean copy, as an unprivileged user where that is possible.
 * They need the npm registry, or npm's cache, and fail with npm's own message without it.
 */
const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MB = 350;
/** Any account but root: root may write to a read-only folder. */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

const folder = mkdtempSync(join(tmpdir(), 'gigclaim-install-'));
const app = join(folder, 'app');
const data = join(folder, 'data');
// The Node of this checkout must not be found: the copy has to bring its own.
const PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter((entry) => !entry.includes('node_modules'))
  .join(':');

/** The steps that a RUN line of the Dockerfile gives to npm, in order. */
function dockerSteps(): string[] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
  const runs = lines.filter((line) => line.startsWith('RUN ')).map((line) => line.slice('RUN '.length));
  return runs.flatMap((line) => line.split('&&').map((step) => step.trim())).filter((step) => step.startsWith('npm '));
}

function sh(command: string, options: { env?: Record<string, string> } = {}): string {
  const env = { PATH, HOME: process.env['HOME'] ?? folder, ...options.env };
  return execFileSync('sh', ['-c', command], { cwd: app, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Sums the blocks of all files once, hard links included, as `du` does. */
function megabytes(path: string): number {
  return Number(sh(`du -sm ${path}`).split('\t')[0]);
}

beforeAll(() => {
  mkdirSync(data);
  execFileSync('chmod', ['755', folder]);
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    cpSync(join(ROOT, file), join(app, file), { recursive: true });
  }
  for (const step of dockerSteps()) sh(step);
  execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
  if (isRoot) execFileSync('chown', ['-R', `${UNPRIVILEGED}`, data]);
}, 600_000);

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', app]);
  rmSync(folder, { recursive: true, force: true });
});

/** `npm start` in the copy that must not be written to; ends with the test. */
async function withService(use: (url: string, output: () => string) => Promise<void>): Promise<number | null> {
  const options: SpawnOptions = {
    cwd: app,
    env: { PATH, HOME: data, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: `file:${join(data, 'gigclaim.db')}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  };
  if (isRoot) options.uid = UNPRIVILEGED;
  const child = spawn('npm', ['start'], options);
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const port = await new Promise<string>((resolve, reject) => {
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
        const found = /"port":([0-9]+),"publicUrl".*"listening"/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout?.on('data', collect);
      child.stderr?.on('data', collect);
      void ended.then((code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
    });
    await use(`http://127.0.0.1:${port}`, () => output);
  } finally {
    // The whole group: npm, and the service that it started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  }
  return await ended;
}

test('behavior: the Dockerfile installs without development packages, then builds', () => {
  expect(dockerSteps()).toEqual(['npm install --omit=dev --no-audit --no-fund', 'npm run build']);
});

test('behavior: a production install is at most 350 MB', () => {
  expect(megabytes('node_modules')).toBeLessThanOrEqual(LIMIT_MB);
});

test('behavior: it brings Node 24, whatever the system has', () => {
  expect(sh('node_modules/.bin/node --version')).toMatch(/^v24\./);
});

test('behavior: the service runs from a read-only folder, with its pages, pictures and API reference', async () => {
  const code = await withService(async (url, output) => {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    const page = await fetch(`${url}/claim/farcaster/1`);
    expect(page.status, output()).toBe(200);
    const image = await fetch(`${url}/claim/farcaster/1/image.png`);
    expect([image.status, image.headers.get('content-type')], output()).toEqual([200, 'image/png']);
    const script = await fetch(`${url}/api/docs/scalar.js`);
    expect(script.status).toBe(200);
    expect((await script.text()).length).toBeGreaterThan(1_000_000);
  });
  expect(code).toBe(0);
});

test('behavior: the operator’s commands run from the same folder', () => {
  const env = { DATABASE_URL: `file:${join(data, 'operator.db')}` };
  expect(sh('npm run -s admin -- api-key create --name clean', { env })).toMatch(/\ngck_[\w-]{43}\n$/);
});
