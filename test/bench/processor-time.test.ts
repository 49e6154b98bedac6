import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { type Program, startProgram } from '../../bench/processes.ts';
import { cpuMs, endedCpuMs, familyCpuMs } from '../../bench/processor-time.ts';

const BUSY_MS = 200;
/** The system counts ended threads and processes in ticks of 10 ms, once for user and once for system time. */
const TICKS_MS = 20;
/** Uses so much of a core, by the clock of its own thread. */
const WORK = `const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1_000; };
  while (used() < ${BUSY_MS});`;

let program: Program | null = null;
afterEach(() => program?.stop());

/** Runs this code in a process, until it has printed a line; the process lives on. */
async function worked(code: string): Promise<number> {
  const eternal = 'setInterval(() => undefined, 1_000);';
  program = startProgram(process.execPath, ['--eval', code + eternal], { core: null, stdout: 'pipe' });
  const { stdout } = program.child;
  if (stdout === null) throw new Error('it has no output');
  await once(createInterface({ input: stdout }), 'line');
  return program.pid;
}

const inThread = (after: string) => `
  const { Worker } = require('node:worker_threads');
  const worker = new Worker(${JSON.stringify(`${WORK} require('node:worker_threads').parentPort.postMessage('');`)}, { eval: true });
  ${after}`;

test.each([
  ['the main thread', `${WORK} console.log('done');`],
  ['a thread that lives', inThread("worker.ref(); worker.on('message', () => console.log('done'));")],
  ['a thread that has ended', inThread("worker.on('exit', () => console.log('done'));")],
])('behavior: the processor time of a process has that of %s', async (_of, code) => {
  expect(cpuMs(await worked(code))).toBeGreaterThan(BUSY_MS - TICKS_MS);
});

test.each([
  ['lives', "child.stdout.on('data', () => console.log('done'));", 'setInterval(() => undefined, 1_000);'],
  ['has ended', "child.on('exit', () => console.log('done'));", ''],
])('behavior: a child that %s counts in that of its family alone', async (_state, after, rest) => {
  const work = `${WORK} console.log('worked'); ${rest}`;
  const pid = await worked(`
    const child = require('node:child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(work)}]);
    process.on('exit', () => child.kill('SIGKILL'));
    process.on('SIGTERM', () => process.exit());
    ${after}`);
  expect(familyCpuMs(pid) - cpuMs(pid)).toBeGreaterThan(BUSY_MS - TICKS_MS);
});

test('behavior: children of this process count when they have ended', async () => {
  const before = endedCpuMs();
  await worked(`${WORK} console.log('done');`);
  await program?.stop();
  expect(endedCpuMs() - before).toBeGreaterThan(BUSY_MS - TICKS_MS);
});
