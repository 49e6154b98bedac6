import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../sandbox/port.ts';
import { createEndpointSecrets } from '../../src/endpoints/secrets.ts';
import { type Agent, connectAgent } from '../http/mcp/agents.ts';
import { newSigningKey } from '../services/events/world.ts';
import { createApiClient } from '../support/clients.ts';
import { run } from '../support/process.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { temporaryFolder } from '../support/store.ts';
import { checkTypes, PACKAGES } from './clients/programs.ts';

const TEXT = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
/** The accounts and addresses of `docs/api.md`. */
const TOKEN = '0xb19b36b1456E65E3A6D514D3F715f204BD59f431';
const PAYER = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

let sandbox: Sandbox;
let agent: Agent;
beforeAll(async () => {
  sandbox = await startSandbox();
  agent = await connectAgent({ origin: sandbox.service }, '2026-07-28', { authorization: `Bearer ${sandbox.apiKey}` });
});
afterAll(async () => {
  await agent.close();
  await sandbox.stop();
});

/** The calls of a conversation in the document, each with what it shows of the answer, `…` for what it leaves out. */
function conversation(): { name: string; args: Record<string, unknown>; shown: RegExp; isError: boolean }[] {
  const lines = [...TEXT.matchAll(/^> (\w+) (\{.*\})\n(.*)$/gm)];
  return lines.map(([, name = '', args = '', answer = '']) => {
    const literal = answer.split('…').map((part) => RegExp.escape(part));
    const shown = new RegExp(`^${literal.join('.*')}$`);
    return { name, args: JSON.parse(args), shown, isError: answer.startsWith('{"error"') };
  });
}

async function fund(data: unknown): Promise<void> {
  const params = [{ from: PAYER, to: TOKEN, data }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params });
  await fetch(sandbox.chain, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** Sends a receiver of webhooks what strangers may send: each is refused, and the last one breaks off. */
async function forge(port: number): Promise<void> {
  const { headersOf } = createEndpointSecrets(newSigningKey());
  const body = JSON.stringify({ id: 'evt_1', type: 'tips.awarded', data: { gig_id: 9, sum: '1000' } });
  const signed = headersOf({ id: 'evt_1', seconds: Math.floor(Date.now() / 1_000), body }, ['salt']);
  const post = { method: 'POST', body };
  const forged: RequestInit[] = [{ method: 'GET' }, post, { ...post, headers: signed }];
  for (const request of forged) expect((await fetch(`http://127.0.0.1:${port}/hook`, request)).status).toBe(401);
  const socket = connect(port, '127.0.0.1');
  socket.end('POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
  await once(socket.resume(), 'close');
}

test('behavior: the conversation of an agent goes as docs/api.md shows it, and the program runs as it stands', async () => {
  const calls = conversation();
  expect(calls.map(({ name }) => name)).toEqual(['createGig', 'startGig', 'startGig', 'awardTips', 'listTips']);
  let transfer: unknown;
  for (const { name, args, shown, isError } of calls) {
    const called = await agent.call(name, args);
    expect([called.isError, called.text]).toEqual([isError, expect.stringMatching(shown)]);
    if (name === 'createGig') transfer = JSON.parse(called.text).tx_data;
    // What the person does between the two starts.
    if (isError) await fund(transfer);
  }

  // Receivers compare with the machine's time, also after the sandbox's has moved on.
  const moved = run('sandbox/later.ts', { args: ['13h'], env: { SANDBOX_STATE_FILE: sandbox.stateFile } });
  expect(await moved.ended, moved.output()).toBe(0);
  const [, program = ''] = /```ts\n(import \{ createServer[\s\S]*?)```/.exec(TEXT) ?? [];
  const folder = temporaryFolder();
  const port = await freePort(0);
  const here = [
    ['http://127.0.0.1:3000', sandbox.service],
    ['http://127.0.0.1:8545', sandbox.chain],
    ['http://127.0.0.1:8080', `http://127.0.0.1:${port}`],
    ['listen(8080', `listen(${port}`],
  ].reduce((text, [from = '', to = '']) => text.replace(from, to), program);
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'program.ts'), here);
  writeFileSync(join(folder.path, 'client.ts'), await (await fetch(`${sandbox.service}/api/client.ts`)).text());
  symlinkSync(PACKAGES, join(folder.path, 'node_modules'));
  const ofNode = ['--types', 'node', '--skipLibCheck', '--module', 'nodenext', '--allowImportingTsExtensions'];
  await checkTypes(folder.path, 'program.ts', ofNode);
  const child = spawn(process.execPath, ['program.ts'], { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(([code]) => [`it ended with ${code}`]);
  const [line] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), ended]);
  expect(line).toBe('tips.awarded: 12.5 DEGEN of gig 9\n');
  await forge(port);
  const call = createApiClient(() => sandbox.service, sandbox.apiKey);
  const { data } = (await call<{ data: { id: number }[] }>('GET', '/api/webhooks')).body;
  const tried = await call('POST', `/api/webhooks/${data.at(-1)?.id}/test`);
  expect(tried.body).toEqual({ data: { status: 204 } });
  expect(child.exitCode).toBeNull();
  child.kill();
  await ended;
  folder.remove();
});
