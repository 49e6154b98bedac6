import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runStatement } from '../../support/postgres.ts';
import { type Running, run } from '../../support/process.ts';
import { press } from '../../support/sandbox.ts';
import { temporaryFolder } from '../../support/store.ts';

const HOUR_MS = 3_600_000;

let folder: ReturnType<typeof temporaryFolder>;
let sandbox: Running;
let env: Record<string, string>;
let service: string;
let database: string;
let page: string;
let pids: number[];

/** What the bot answers to a post of alice's. */
async function say(text: string): Promise<string> {
  const said = run('sandbox/say.ts', { args: ['farcaster', 'alice', text], env });
  expect(await said.ended, said.output()).toBe(0);
  return said.output();
}

/** How far the clock of the database is ahead of this machine's. */
async function databaseAhead(): Promise<number> {
  const [row] = await runStatement(database, 'select clock_timestamp() as now');
  return Number(row?.['now']) - Date.now();
}

beforeAll(async () => {
  folder = temporaryFolder();
  env = { SANDBOX_STATE_FILE: join(folder.path, 'sandbox.json'), SANDBOX_ANY_PORTS: 'true' };
  sandbox = run('sandbox/main.ts', { args: ['--store', 'postgres', '--instances', '2'], env });
  const [, url = '', numbers = '', name = '', address = ''] = await sandbox.seen(
    /^sandbox ready service=(\S+) .* service_pid=(\S+) database=(\S+) page=(\S+)$/m,
  );
  [service, database, page] = [url, name, address];
  pids = numbers.split(',').map(Number);
});

afterAll(() => {
  sandbox.child.kill('SIGKILL');
  folder.remove();
});

describe('the sandbox with two instances on PostgreSQL', () => {
  test('behavior: answers a mention, whichever instance gets it', async () => {
    expect(pids).toHaveLength(2);
    expect(database).toMatch(/^postgres:\/\/gigclaim@127\.0\.0\.1:[0-9]+\/gigclaim$/);
    const words = '@gigclaim: Your claimable tokens: 100 DEGEN (1 tip, 1 gig) · 12 USDC (1 tip, 1 gig)';
    expect(await say('@gigclaim claims')).toContain(words);
  });

  test('behavior: kills one instance, and the other answers; then there are two again', async () => {
    expect(await press(page, '/kill')).toMatchObject({ ok: true, message: 'An instance was killed.' });
    await sandbox.seen(/Instance 1 ended \(SIGKILL\)/);
    const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(`${service}/api/claim?identifiers=1001`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await say('@gigclaim claims')).toContain('@gigclaim: Your claimable tokens: 100 DEGEN');
    await sandbox.seen(/Instance 1 is back, process [0-9]+/);
    expect(() => process.kill(pids[0] ?? 0, 0)).toThrow('ESRCH');
    expect(process.kill(pids[1] ?? 0, 0)).toBe(true);
  });

  test('behavior: the page shows both processes, and what needs a file is refused', async () => {
    const shown = await (await fetch(page)).text();
    expect(shown).toMatch(/<dt>Processes<\/dt><dd class="number">[0-9]+, [0-9]+<\/dd>/);
    expect(shown).toContain('Kill an instance</button>');
    expect(shown).toContain('Only a database in a file can be put back here.');
    expect(shown).not.toContain('Put back yesterday’s database');
    expect(await press(page, '/steps/restore')).toMatchObject({ ok: false });
  });

  test('behavior: the database’s clock is moved on with that of the instances', async () => {
    const moved = run('sandbox/later.ts', { args: ['13h'], env });
    expect(await moved.ended, moved.output()).toBe(0);
    expect(Math.round((await databaseAhead()) / HOUR_MS)).toBe(13);
  });

  test('behavior: Ctrl-C ends the instances and the server', async () => {
    sandbox.child.kill('SIGINT');
    expect(await sandbox.ended).toBe(0);
    expect(() => process.kill(pids[1] ?? 0, 0)).toThrow('ESRCH');
    await expect(fetch(`${service}/health`)).rejects.toThrow();
    await expect(databaseAhead()).rejects.toThrow('ECONNREFUSED');
  });
});

test('error: an option that is none is refused with those that are', async () => {
  const refused = run('sandbox/main.ts', { args: ['--store', 'mysql'] });
  expect(await refused.ended).toBe(2);
  expect(refused.output()).toContain('--store must be sqlite or postgres, not "mysql".');
});
