import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../sandbox/port.ts';
import { type Running, run } from '../../support/process.ts';
import { press } from '../../support/sandbox.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/store.ts';

/** Longer than the time in which signals are one: npm hands on what a terminal sends to all. */
const ONE_MORE_MS = 1_100;

let folder: TemporaryFolder;
let stateFile: string;
let sandbox: Running;
beforeEach(() => {
  folder = temporaryFolder();
  stateFile = join(folder.path, 'sandbox.json');
});
afterEach(() => {
  sandbox.child.kill('SIGKILL');
  for (const pid of processes()) process.kill(pid, 'SIGKILL');
  folder.remove();
});

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** Those of this sandbox: its nodes have its environment, and the service a database in its folder. */
function processes(): number[] {
  const marks = [stateFile, folder.path];
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.filter((pid) => marks.some((mark) => environmentOf(pid).includes(mark))).map(Number);
}

function start(env: Record<string, string>): void {
  sandbox = run('sandbox/main.ts', { env: { SANDBOX_STATE_FILE: stateFile, TMPDIR: folder.path, ...env } });
}

test('behavior: the payout can be pressed again and again, and a second Ctrl-C leaves no process and no file', async () => {
  start({ SANDBOX_ANY_PORTS: 'true' });
  const [, pid = '', page = ''] = await sandbox.seen(/^sandbox ready .* service_pid=([0-9]+) .* page=(\S+)$/m);
  for (const count of [1, 2, 3, 4]) {
    expect(await press(page, '/steps/payout')).toMatchObject({ ok: true });
    const result = new RegExp(`id="outcome-payout-${count}"><bdi>([^<]*)<`);
    const shown = async () => result.exec(await (await fetch(page)).text())?.[1] ?? '';
    await expect.poll(shown).toMatch(/^(alice|bob|carol) was paid [0-9]/);
  }
  // One that does not drain, as with a database that hangs.
  process.kill(Number(pid), 'SIGSTOP');
  sandbox.child.kill('SIGINT');
  sandbox.child.kill('SIGINT');
  await sandbox.seen(/^Stopping the sandbox\.$/m);
  expect(processes()).toContain(Number(pid));
  await wait(ONE_MORE_MS);
  sandbox.child.kill('SIGINT');
  expect(await sandbox.ended).toBe(1);
  await expect.poll(processes).toEqual([]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('behavior: says at once which usual ports are taken, and a Ctrl-C while it starts leaves no process', async () => {
  const taken = createServer();
  taken.listen(await freePort(3000), '127.0.0.1');
  await once(taken, 'listening');
  start({});
  const [line] = await sandbox.seen(/^.*\n/);
  expect(line).toMatch(/^Port 3000 is taken: this sandbox uses [0-9]+ for its service\.\n$/);
  await expect.poll(() => processes().length).toBeGreaterThan(1);
  expect(existsSync(stateFile)).toBe(false);
  sandbox.child.kill('SIGINT');
  expect(await sandbox.ended).toBe(0);
  await expect.poll(processes).toEqual([]);
  expect(readdirSync(folder.path)).toEqual([]);
  taken.close();
});
