import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/**
 * The package as a person uses it: made, then installed in an empty folder, with Node 24 and npm alone. Its few packages come
 * from npm's cache or from the registry; without both the test fails with npm's own message.
 */
const ROOT = join(import.meta.dirname, '../..');
const PACKED_MB = 10;
const INSTALLED_MB = 150;
const MNEMONIC = 'test test test test test test test test test test test junk';

const folder = mkdtempSync(join(tmpdir(), 'gigclaim-package-'));
/** Working folders of a person: with the package installed, and with its file alone. */
const [home, empty] = [join(folder, 'home'), join(folder, 'empty')];
const checkout = join(folder, 'checkout');
const LAID_OUT = 'dist/package';
const installed = join(home, 'node_modules/gigclaim');
const programs = join(installed, LAID_OUT);
const archive = `./gigclaim-${manifest.version}.tgz`;
// Nothing of this checkout may be found.
const PATH = [dirname(process.execPath), process.env['PATH'] ?? '']
  .join(':')
  .split(':')
  .filter((entry, index) => index === 0 || !entry.includes('node_modules'))
  .join(':');
/** What a machine behind a proxy of its network needs to reach the registry. */
const NETWORK = [
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'npm_config_registry',
  'npm_config_cafile',
];
const ENV = {
  ...Object.fromEntries(
    NETWORK.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
  PATH,
  HOME: process.env['HOME'] ?? folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
};

/** Files of a person in the checkout. */
const PERSONAL = [
  '.env',
  'gigclaim.env',
  'deploy/gigclaim.env',
  'deploy/tls.pem',
  'contracts/deployer.key',
  'data/gigclaim.db',
];

interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}
let packed: Packed;

function sh(command: string, cwd = home): string {
  return execFileSync('sh', ['-c', command], {
    cwd,
    env: ENV,
    encoding: 'utf8',
    timeout: 240_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

beforeAll(() => {
  for (const path of [home, empty, join(folder, 'cache')]) mkdirSync(path);
  // What npm has fetched before is used; what npx installs goes with the folder.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  mkdirSync(join(cache, '_cacache'), { recursive: true });
  symlinkSync(join(cache, '_cacache'), join(folder, 'cache/_cacache'));
  // While npm packs, another package.json stands in the root: tests beside this one may not see that.
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0')) {
    if (file !== '') cpSync(join(ROOT, file), join(checkout, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  for (const path of PERSONAL) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), 'SECRET=1\n');
  }
  [packed] = JSON.parse(sh(`npm pack --json --pack-destination '${empty}'`, checkout)) as [Packed];
  expect(readFileSync(join(checkout, 'package.json'), 'utf8')).toBe(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  sh(`npm install --no-audit --no-fund --loglevel=error '${join(empty, archive)}'`);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a program and waits for what it prints. */
async function start(
  command: readonly [string, ...string[]],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  expected: RegExp,
) {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    return await ended;
  };
  onTestFinished(async () => void (await stop()));
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk.toString();
      const match = expected.exec(output);
      if (match !== null) resolve(match);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then((code) => reject(new Error(`${command.join(' ')} ended with ${code}:\n${output}`)));
  });
  return { found, stop };
}

describe('the package', () => {
  test(`behavior: has at most ${PACKED_MB} MB packed and ${INSTALLED_MB} MB installed`, () => {
    const megabytes = Number(sh('du -sm node_modules').split('\t')[0]);
    process.stdout.write(`package: ${(packed.size / 1e6).toFixed(1)} MB packed, ${megabytes} MB installed\n`);
    expect(packed.size).toBeLessThanOrEqual(PACKED_MB * 1_000_000);
    expect(megabytes).toBeLessThanOrEqual(INSTALLED_MB);
  });

  test('security: holds what runs and the documents: no tests, no sources, no secrets, no paths of this machine', () => {
    const all = packed.files.map(({ path }) => path);
    const paths = all.filter((path) => path.startsWith(LAID_OUT)).map((path) => path.slice(LAID_OUT.length + 1));
    expect(all.filter((path) => !path.startsWith(LAID_OUT))).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect([...new Set(paths.map((path) => path.split('/')[0]))].toSorted()).toEqual([
      ...['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'bin', 'contracts', 'deploy', 'dist'],
      ...['docs', 'drizzle', 'drizzle-postgres', 'package.json', 'sandbox', 'src'],
    ]);
    expect(paths.filter((path) => path.endsWith('.ts'))).toEqual(['dist/client.ts', 'docs/verifier.ts']);
    expect(
      paths.filter((path) => /(^|\/)(test|node_modules|data|\.git)\/|\.env$|\.db|\.log$|\.key$/.test(path)),
    ).toEqual([]);
    expect(all.filter((path) => PERSONAL.some((own) => path.endsWith(`/${own}`)))).toEqual([]);
    expect(paths.filter((path) => path.startsWith('src/') && !path.startsWith('src/http/pages/'))).toEqual([]);
    const named = paths.filter((path) =>
      [ROOT, folder].some((own) => readFileSync(join(programs, path)).includes(own)),
    );
    expect(named).toEqual([]);
    const unit = readFileSync(join(programs, 'deploy/gigclaim.service'), 'utf8');
    expect(unit.match(/^.*ExecStart=.*$/gm)).toEqual(['ExecStart=/srv/gigclaim/node_modules/.bin/gigclaim start']);
  });

  test('error: is not made while another npm pack works, or after one that was interrupted, whose package.json comes back', () => {
    const own = readFileSync(join(checkout, 'package.json'), 'utf8');
    const take = () => sh('node scripts/package/manifest.ts take', checkout);
    take();
    expect(take).toThrow('npm pack is under way, or was interrupted');
    expect(() => sh('npm pack', checkout)).toThrow('put package.json back by npm run postpack');
    sh('npm run postpack', checkout);
    expect(readFileSync(join(checkout, 'package.json'), 'utf8')).toBe(own);
    expect(readdirSync(join(checkout, 'dist')).filter((name) => name.startsWith('package'))).toEqual(['package']);
  });

  test('behavior: depends on what its bundles do not hold, and on nothing that builds', () => {
    const written = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(written.dependencies)).toEqual([
      'better-sqlite3',
      '@resvg/resvg-wasm',
      '@expo-google-fonts/inter',
    ]);
    expect([Object.keys(written.scripts), written.devDependencies, written.private]).toEqual([
      ['prepack', 'postpack'],
      undefined,
      undefined,
    ]);
    expect(Object.values({ ...written.dependencies, ...written.optionalDependencies }).join(' ')).toMatch(/^[0-9. ]+$/);
    expect(
      readdirSync(join(home, 'node_modules')).filter((name) => /esbuild|drizzle|typescript|^node$/.test(name)),
    ).toEqual([]);
  });
});

describe('the command', () => {
  const gigclaim = (args: readonly string[], flags: readonly string[] = []) =>
    spawnSync(process.execPath, [...flags, join(programs, 'bin/gigclaim.cjs'), ...args], {
      cwd: home,
      env: ENV,
      encoding: 'utf8',
    });

  test('behavior: prints help, and the version', () => {
    expect(sh('npx gigclaim')).toContain(`gigclaim ${manifest.version}: `);
    expect(sh('npx gigclaim --version')).toBe(`${manifest.version}\n`);
    expect(sh('npx gigclaim admin --help')).toContain('Start with: npx gigclaim admin doctor');
    expect(sh('npx gigclaim say --help 2>&1 || true')).toContain('Usage: npx gigclaim say');
  });

  test('error: names a command that it does not have, with the help', () => {
    const { status, stderr } = gigclaim(['run']);
    expect([status, stderr.split('\n')[0]]).toEqual([2, 'There is no command "run".']);
  });

  test('error: says on an older Node in one sentence what it needs, in words that an older Node can read', () => {
    const old = join(folder, 'old.cjs');
    writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });");
    const { status, stderr } = gigclaim(['start'], ['--require', old]);
    expect([status, stderr]).toEqual([
      1,
      `gigclaim needs Node 24 or newer, and this is ${process.version}: install it from nodejs.org.\n`,
    ]);
    const code = readFileSync(join(programs, 'bin/gigclaim.cjs'), 'utf8').replaceAll(/^\/\/.*$/gm, '');
    expect(code).not.toMatch(/=>|`|\?\.|\b(const|let|class|import)\b|,\s*\)/);
  });

  test('behavior: works where a process cannot become another one, and ends with the code of the program', () => {
    const without = join(folder, 'without.cjs');
    writeFileSync(without, 'process.execve = undefined;');
    expect(gigclaim(['admin', '--help'], ['--require', without])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: npx gigclaim admin'),
    });
    expect(gigclaim(['admin', 'nothing'], ['--require', without]).status).toBe(2);
  });

  test('behavior: npx with the file alone starts the sandbox, whose state is in the working folder', async () => {
    const options = { cwd: empty, env: { SANDBOX_ANY_PORTS: 'true' } };
    const ready = /^sandbox ready service=(\S+) .* page=(\S+)$/m;
    const { found, stop } = await start(['npx', '--yes', archive, 'sandbox'], options, ready);
    for (const url of [`${found[1]}/ready`, `${found[2]}/`, `${found[2]}/assets/style.css`]) {
      expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    }
    const claims = sh(`npx --yes ${archive} say farcaster alice "@gigclaim claims"`, empty);
    expect(claims).toContain('Your claimable tokens: 100 DEGEN');
    expect(readdirSync(join(empty, 'data'))).toContain('sandbox.json');
    await stop();
  });

  test('behavior: init, start and admin doctor work in a folder that gets the settings and the database', async () => {
    const answers = ['anvil', inject('anvilUrl'), MNEMONIC, '', '', '', 'no', 'no'];
    const { status, stdout } = spawnSync('npx', ['gigclaim', 'init'], {
      cwd: home,
      env: ENV,
      input: `${answers.join('\n')}\n`,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Start the service: npx gigclaim start')]);
    expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600);
    const options = { cwd: home, env: { PORT: '0', HOST: '127.0.0.1' } };
    const listening = /"port":([0-9]+),"publicUrl".*"listening"/;
    const { found, stop } = await start(['node_modules/.bin/gigclaim', 'start'], options, listening);
    const at = (path: string) => fetch(`http://127.0.0.1:${found[1]}${path}`);
    for (const path of ['/ready', '/api/docs/redoc.js', '/api/client.ts'])
      expect([path, (await at(path)).status]).toEqual([path, 200]);
    const picture = await at('/claim/farcaster/1/image.png');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await (await at('/api/openapi.json')).json()).toMatchObject({ info: { version: manifest.version } });
    const doctor = spawnSync('npx', ['gigclaim', 'admin', 'doctor'], { cwd: home, env: ENV, encoding: 'utf8' });
    expect(doctor.stdout).toContain('✓ store: ./data/gigclaim.db is up to date and writable');
    expect(doctor.stdout).toContain('✓ chain anvil: ');
    expect(await stop()).toBe(0);
    expect(readdirSync(join(home, 'data'))).toContain('gigclaim.db');
    expect(readdirSync(installed).filter((name) => ['.env', 'data'].includes(name))).toEqual([]);
  });
});
