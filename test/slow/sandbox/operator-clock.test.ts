import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestStore } from '../../support/database.ts';
import { run } from '../../support/process.ts';
import { writePartOfState } from '../../support/sandbox.ts';
import { folderOfTest } from '../../support/test-life.ts';

const DAY = 86_400_000;
const NO_PROCESS = 2 ** 30;

let opened: Awaited<ReturnType<typeof openTestStore>>;
let stateFile: string;

beforeEach(async () => {
  opened = await openTestStore();
  stateFile = join(folderOfTest(), 'sandbox.json');
});
afterEach(() => opened.close());

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

test.each([
  ['an operator’s command has the time of the sandbox that runs', process.pid, 3],
  ['without a running sandbox it has the machine’s', NO_PROCESS, 0],
])('behavior: %s', async (_, pid, days) => {
  writePartOfState(stateFile, { database: opened.database.url, aheadMs: 3 * DAY, pid });
  expect(await daysAhead()).toBe(days);
});
