import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runAdmin } from '../../../src/cli/program.ts';
import { isLater } from '../../../src/cli/setup/update.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

const ROOT = join(import.meta.dirname, '../../..');

async function update(args: readonly string[], registry: string | null = 'http://127.0.0.1:1', program = ROOT) {
  let [out, err] = ['', ''];
  const code = await runAdmin({
    args: ['update', ...args],
    env: {},
    migrationsFolder: MIGRATIONS,
    clock: () => 0,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    setup: {
      folder: program,
      program,
      registry,
      questions: () => {
        throw new Error('nothing is asked');
      },
    },
  });
  return { code, out, err };
}

function inFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

/** A registry that gives this answer, and the paths that it was asked. */
async function openRegistry(status: number, body: string) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { asked, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}

describe('update --check', () => {
  test('behavior: names both versions, and the commands of a clone', async () => {
    const { asked, url } = await openRegistry(200, JSON.stringify({ name: 'gigclaim', version: '99.0.0' }));
    const { code, out } = await update(['--check'], url);
    expect(out).toContain(`Installed: ${manifest.version}\nNewest:    99.0.0, says the package registry\n`);
    expect(out).toContain('docs/operate.md#update');
    expect(out).toContain('  git pull --ff-only && npm install --omit=dev && npm run build\n');
    expect([code, asked]).toEqual([0, ['/gigclaim/latest']]);
  });

  test('behavior: reads a package or a manifest, asks nobody then, and knows a package’s commands', async () => {
    const top = inFolder();
    const path = join(top, 'node_modules/gigclaim/dist/package');
    for (const folder of ['package', 'bin']) mkdirSync(join(path, folder), { recursive: true });
    for (const file of ['bin/run.mjs', 'package/readme']) writeFileSync(join(path, file), 'x'.repeat(700));
    writeFileSync(join(path, 'package.json'), '{"name":"gigclaim","version":"0.4.0"}');
    writeFileSync(join(path, 'package/package.json'), '{"name":"gigclaim","version":"0.5.0"}');
    execFileSync('tar', ['-czf', 'new.tgz', 'package/readme', 'package/package.json'], { cwd: path });
    const archive = join(path, 'new.tgz');
    for (const [from, source] of [
      [archive, archive],
      [join(path, 'package/package.json'), 'gigclaim@0.5.0'],
    ]) {
      const { out } = await update(['--check', '--from', from ?? ''], undefined, path);
      expect(out).toContain(`Newest:    0.5.0, says ${from}`);
      expect(out).toContain(`  npm install --omit=optional ${source}\n`);
    }
    mkdirSync(join(top, 'node_modules/@foundry-rs'));
    expect((await update(['--check', '--from', archive], undefined, path)).out).toContain(`  npm install ${archive}\n`);
  });

  test('behavior: says that there is nothing to update', async () => {
    const { out } = await update(['--check', '--from', join(ROOT, 'package.json')]);
    expect(out).toMatch(/There is nothing to update\.\n$/);
  });

  test.each([
    [404, '{}', 'The package registry has no gigclaim. Name a file by --from.'],
    [200, '{"name":"another","version":"9.0.0"}', 'The answer of the package registry names no version of gigclaim.'],
    [
      200,
      '{"name":"gigclaim","version":"1.0; rm -rf /"}',
      'The answer of the package registry names no version of gigclaim.',
    ],
    [500, '', 'the package registry answered with status 500'],
  ])('error: a registry that answers %i %s', async (status, body, message) => {
    const { url } = await openRegistry(status, body);
    expect(await update(['--check'], url)).toEqual({ code: 1, out: '', err: `${message}\n` });
  });

  test('security: an archive ends, also one whose sizes lead back, and its path is one word', async () => {
    const path = inFolder();
    const back = Buffer.alloc(2_048);
    back.write('x');
    back.write('-1000', 124);
    const archive = join(path, 'a b; c.tgz');
    writeFileSync(archive, gzipSync(back));
    expect((await update(['--check', '--from', archive])).err).toBe(`${archive} names no version of gigclaim.\n`);
    for (const folder of ['package', 'bin']) mkdirSync(join(path, folder));
    writeFileSync(join(path, 'bin/run.mjs'), '');
    writeFileSync(join(path, 'package.json'), '{"name":"gigclaim","version":"0.4.0"}');
    writeFileSync(join(path, 'package/package.json'), '{"name":"gigclaim","version":"0.5.0"}');
    execFileSync('tar', ['-czf', archive, 'package/package.json'], { cwd: path });
    const { out } = await update(['--check', '--from', archive], undefined, path);
    expect(out).toContain(`  npm install --omit=optional '${archive}'\n`);
  });

  test('behavior: asks the registry that npm is set to', async () => {
    const { url } = await openRegistry(200, JSON.stringify({ name: 'gigclaim', version: '99.0.0' }));
    vi.stubEnv('npm_config_registry', url);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await update(['--check'], null)).out).toContain('Newest:    99.0.0, says the package registry\n');
    vi.stubEnv('PATH', '');
    const message = 'npm does not name its registry. Set npm_config_registry to it, or name a file by --from.\n';
    expect(await update(['--check'], null)).toEqual({ code: 1, out: '', err: message });
  });

  test('error: a registry that is no URL', async () => {
    const message = 'npm_config_registry is no URL. Set it to one, or name a file by --from.\n';
    expect(await update(['--check'], 'registry')).toEqual({ code: 1, out: '', err: message });
  });

  test('error: a file that is none, and no --check', async () => {
    const { err } = await update(['--check', '--from', '/nowhere.tgz']);
    expect(err).toMatch(/^\/nowhere\.tgz cannot be read: ENOENT/);
    expect((await update([])).code).toBe(2);
  });
});

test.each([
  ['0.4.0', '0.3.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0-rc.2', true],
  ['1.0.0-rc.10', '1.0.0-rc.2', true],
  ['1.0.0-rc.1', '1.0.0', false],
  ['0.4.0', '0.4.0', false],
  ['0.4.0', '1.0.0', false],
])('behavior: whether %s is later than %s: %s', (one, other, isIt) => {
  expect(isLater(one, other)).toBe(isIt);
});
