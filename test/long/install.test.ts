import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReferenceScript } from '../../scripts/api-reference.ts';

/**
 * The steps of the Dockerfile and of docs/operate.md in clean folders, as an unprivileged user where that is possible.
 * They need the npm registry, or npm's cache, and fail with npm's own message without it.
 */
const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MB = 350;
/** Any account but root: root may write to a read-only folder. */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

const folder = mkdtempSync(join(tmpdir(), 'gigclaim-install-'));
/** What the Dockerfile's first stage works in. */
const build = join(folder, 'build');
/** What its last stage copies out of that. */
const image = join(folder, 'image');
const data = join(folder, 'data');
// The Node of this checkout must not be found: the copy has to bring its own.
const PATH = (process.env['PATH'] ?? '')
  .split(':')
  .filter((entry) => !entry.includes('node_modules'))
  .join(':');
/** As in the image, whose own Node is 24. */
const IMAGE_PATH = `${dirname(process.execPath)}:${PATH}`;

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/\\\n */g, '')
  .split('\n');

/** What follows a word at the beginning of the Dockerfile's lines, in order. */
function instructions(word: string): string[] {
  return dockerfile.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

/** A command in the exec form, a JSON array, at the end of an instruction. */
function commandOf(instruction: string | undefined): [program: string, ...args: string[]] {
  return JSON.parse(/\[.*\]$/.exec(instruction ?? '')?.[0] ?? '[]');
}

/** The committed and new files that .dockerignore lets into the build. */
function contextFiles(): string[] {
  const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return files.split('\0').filter((file) => allowed.some((path) => file === path || file.startsWith(`${path}/`)));
}

function sh(cwd: string, command: string, env: Record<string, string> = {}): string {
  return execFileSync('sh', ['-c', command], {
    cwd,
    env: { PATH, HOME: process.env['HOME'] ?? folder, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

beforeAll(() => {
  for (const path of [data, build, image]) mkdirSync(path);
  for (const file of contextFiles()) cpSync(join(ROOT, file), join(build, file));
  for (const step of instructions('RUN').filter((line) => line.startsWith('npm '))) sh(build, step);
  for (const copied of instructions('COPY').filter((line) => line.startsWith('--from=build '))) {
    const sources = copied.split(' ').filter((word) => word.startsWith('/app/'));
    // Hard links: the packages are 300 MB.
    for (const source of sources) sh(folder, `cp -al build/${source.slice('/app/'.length)} image/`);
  }
  for (const step of instructions('RUN').filter((line) => line.startsWith('rm '))) sh(image, step);
  sh(folder, 'chmod 755 . && chmod -R a-w,a+rX build image');
  if (isRoot) sh(folder, `chown ${UNPRIVILEGED} data`);
}, 600_000);

afterAll(() => {
  sh(folder, 'chmod -R u+w build image');
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly url: string;
  readonly port: string;
  output(): string;
}

/** Starts the service in a folder that it cannot write to, uses it, and stops it; answers its exit code. */
async function withService(
  { cwd, command, path }: { cwd: string; command: readonly [string, ...string[]]; path: string },
  use: (started: Started) => Promise<void>,
): Promise<number | null> {
  const options: SpawnOptions = {
    cwd,
    env: { PATH: path, HOME: data, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: `file:${join(data, 'gigclaim.db')}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a stop reaches npm and what npm started.
    detached: true,
  };
  if (isRoot) options.uid = UNPRIVILEGED;
  const [program, ...args] = command;
  const child = spawn(program, args, options);
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
      void ended.then((code) => reject(new Error(`${command.join(' ')} ended with ${code}:\n${output}`)));
    });
    await use({ url: `http://127.0.0.1:${port}`, port, output: () => output });
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  }
  return await ended;
}

/** A page, a picture, the API reference and the typed client, which are read from files beside the bundle, and a chunk of its own. */
async function expectEverything({ url, output }: Started): Promise<void> {
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
  const page = await fetch(`${url}/claim/farcaster/1`);
  expect(page.status, output()).toBe(200);
  const picture = await fetch(`${url}/claim/farcaster/1/image.png`);
  expect([picture.status, picture.headers.get('content-type')], output()).toEqual([200, 'image/png']);
  const script = await fetch(`${url}/api/docs/redoc.js`);
  expect([script.status, (await script.text()).length > 1_000_000], output()).toEqual([200, true]);
  expect(await (await fetch(`${url}/api/client.ts`)).text()).toContain('export function createGigclaim(');
  const tools = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(await tools.text(), output()).toContain('"name":"findClaimable"');
}

describe('a production install', () => {
  test('behavior: is at most 350 MB', () => {
    expect(Number(sh(build, 'du -sm node_modules').split('\t')[0])).toBeLessThanOrEqual(LIMIT_MB);
  });

  test('behavior: brings Node 24, whatever the system has', () => {
    expect(sh(build, 'node_modules/.bin/node --version')).toMatch(/^v24\./);
  });

  test('behavior: is built, and runs from a read-only folder with its pages, pictures and API reference', async () => {
    const code = await withService({ cwd: build, command: ['npm', 'start'], path: PATH }, expectEverything);
    expect(code).toBe(0);
  });

  test('security: is not built with an API reference that has another hash than the lock file', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    lock.packages['node_modules/redoc'].integrity = 'sha512-forged';
    writeFileSync(join(data, 'package-lock.json'), JSON.stringify(lock));
    expect(() => readReferenceScript(data)).toThrow(/ has the hash sha512-\S+, package-lock\.json says sha512-forged$/);
  });

  test('behavior: runs the operator’s commands', () => {
    const env = { DATABASE_URL: `file:${join(data, 'operator.db')}` };
    expect(sh(build, 'npm run -s admin -- api-key create --name clean', env)).toMatch(/\ngck_[\w-]{43}\n$/);
  });
});

describe('the image', () => {
  test('behavior: is made in stages on Node 24, installs without development packages, then builds', () => {
    const stages = instructions('FROM');
    expect(stages).toHaveLength(2);
    for (const stage of stages) expect(stage).toMatch(/^node:24-/);
    expect(instructions('RUN').slice(0, 2)).toEqual(['npm install --omit=dev --no-audit --no-fund', 'npm run build']);
  });

  test('security: runs as an account other than root, which owns nothing but the data', () => {
    expect(instructions('USER')).toEqual(['node']);
    expect(instructions('VOLUME')).toEqual(['/data']);
    expect(dockerfile.filter((line) => /chown|-o node/.test(line))).toEqual([
      'RUN install -d -o node -g node -m 700 /data',
    ]);
  });

  test('behavior: serves everything from its read-only files, and its health check tells whether it runs', async () => {
    const [, ...probe] = commandOf(instructions('HEALTHCHECK')[0]);
    const check = (port: string) =>
      new Promise<number | null>((resolve) => {
        spawn(process.execPath, probe, { env: { PORT: port }, stdio: 'ignore' }).once('close', resolve);
      });
    let port = '';
    const command = commandOf(instructions('CMD')[0]);
    const code = await withService({ cwd: image, command, path: IMAGE_PATH }, async (started) => {
      port = started.port;
      await expectEverything(started);
      expect(await check(port)).toBe(0);
    });
    expect(code).toBe(0);
    expect(await check(port)).toBe(1);
  });

  test('behavior: runs the operator’s commands', () => {
    const env = { PATH: IMAGE_PATH, DATABASE_URL: `file:${join(data, 'image.db')}` };
    expect(sh(image, 'npm run -s admin -- api-key create --name clean', env)).toMatch(/\ngck_[\w-]{43}\n$/);
  });
});
