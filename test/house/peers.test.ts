import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/store.ts';

const run = promisify(execFile);

async function peers(...args: string[]): Promise<{ code: number; out: string }> {
  return await run(process.execPath, ['scripts/peers.ts', ...args]).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, out: error.stdout }),
  );
}

test('behavior: a peer that is not there is named, and is no failure', async () => {
  const { code, out } = await peers('--neynar-openapi', '/nowhere.yaml', '--playground', '.');
  expect(code).toBe(0);
  expect(out).toContain('X’s emulator: absent, nothing was compared: give --x-openapi');
  expect(out).toContain('a mock of Neynar: absent, nothing was compared: there is nothing at /nowhere.yaml');
});

test('error: a request that a mock refuses fails, also where the adapter takes the refusal for an absence', async () => {
  const folder = temporaryFolder();
  const mock = join(folder.path, 'mock.mjs');
  writeFileSync(
    mock,
    `import { createServer } from 'node:http';
    const wrong = JSON.stringify([{ location: ['request', 'query', 'fids'], message: 'fids is odd' }]);
    const answer = ({ url }, response) => response.writeHead(400, url.includes('bulk') ? { 'sl-violations': wrong } : {}).end('{}');
    createServer(answer).listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');`,
  );
  const { code, out } = await peers('--neynar-openapi', 'package.json', '--prism', `${process.execPath} ${mock}`);
  folder.remove();
  expect(code).toBe(1);
  expect(out).toContain('✗ look up a user by FID: fids is odd');
});

test('behavior: the patch for X’s emulator is one', async () => {
  const { stdout } = await run('git', ['apply', '--numstat', 'scripts/peers/x-emulator.patch']);
  expect(stdout.match(/\S+$/gm)).toEqual([
    'cmd/plain/main.go',
    'internal/playground/handlers_unified.go',
    'internal/playground/query_params.go',
  ]);
});
