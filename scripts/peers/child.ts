import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A peer that cannot be run here; the message says why, and what to do. */
export class Absent extends Error {
  override readonly name = 'Absent';
}

/** Runs a command to its end. @throws Absent with its last words when it fails */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  await run(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 }).catch((error: unknown) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const words = said === '' ? String(error) : said.split('\n').slice(-3).join(' ');
    throw new Absent(`${command} ${args.join(' ')} failed: ${words}`);
  });
}

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    () => true,
    () => false,
  );
}

/** Starts a server and waits until it answers. @throws Absent when it ends before that, or takes longer */
export async function startServer(
  command: readonly [string, ...string[]],
  options: { url: string; env?: NodeJS.ProcessEnv; cwd?: string; patienceMs: number },
): Promise<Server> {
  const [name, ...args] = command;
  const { url, patienceMs, ...spawned } = options;
  const child: ChildProcess = spawn(name, args, { ...spawned, stdio: 'ignore', detached: true });
  let fault: string | null = null;
  child.once('error', (error) => {
    fault = error.message;
  });
  const end = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = () => {
    // The group: npx runs the server as a child.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  process.once('exit', kill);
  const stop = async () => {
    kill();
    process.off('exit', kill);
    if (child.pid !== undefined) await end;
  };
  for (const begun = performance.now(); performance.now() - begun < patienceMs; await sleep(200)) {
    if (fault !== null || child.exitCode !== null)
      throw new Absent(`${name} did not start: ${fault ?? child.exitCode}`);
    if (await answers(url)) return { url, stop };
  }
  await stop();
  throw new Absent(`${name} did not answer at ${url} within ${patienceMs / 1_000} s`);
}
