import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SandboxState, writeState } from '../../../sandbox/state.ts';
import { openTestStore } from '../../support/database.ts';
import { run } from '../../support/process.ts';
import { temporaryFolder } from '../../support/store.ts';

const DAY = 86_400_000;
const NO_PROCESS = 2 ** 30;

let folder: ReturnType<typeof temporaryFolder>;
let opened: Awaited<ReturnType<typeof openTestStore>>;
let stateFile: string;

beforeEach(async () => {
  opened = await openTestStore();
  folder = temporaryFolder();
  stateFile = join(folder.path, 'sandbox.json');
});
afterEach(async () => {
  await opened.close();
  folder.remove();
});

function sandboxAhead(aheadMs: number, pid: number): void {
  const places = {
    service: '',
    farcaster: '',
    x: '',
    chain: '',
    verifier: '',
    receiver: '',
    relay: '',
    registries: '',
    page: '',
    tokens: [],
  };
  const state: SandboxState = { ...places, database: opened.database.url, aheadMs, pid };
  writeState(stateFile, state);
}

/** How far the newest event of the audit trail is ahead of this test, in whole days, after a login link was made. */
async function daysAhead(): Promise<number> {
  const began = Date.now();
  const env = {
    DATABASE_URL: `file:${opened.database.url}`,
    CHAINS: 'anvil',
    PUBLIC_URL: 'http://127.0.0.1:3000',
    SANDBOX_STATE_FILE: stateFile,
    NODE_OPTIONS: '--import=./sandbox/operator-clock.js',
  };
  const command = run('src/admin.ts', { args: ['login'], env });
  expect([await command.ended, command.output()]).toEqual([0, expect.stringContaining('/admin/login?token=')]);
  const [event] = await opened.store.auditEvents({ limit: 1 });
  return Math.floor(((event?.at ?? 0) - began) / DAY);
}

test('behavior: an operator’s command has the time of the sandbox that runs', async () => {
  sandboxAhead(3 * DAY, process.pid);
  expect(await daysAhead()).toBe(3);
});

test('behavior: without a running sandbox it has the machine’s', async () => {
  sandboxAhead(3 * DAY, NO_PROCESS);
  expect(await daysAhead()).toBe(0);
});
