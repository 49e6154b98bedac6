import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** The core of the servers, and the core of their clients. */
export const SERVER_CORE = 0;
export const CLIENT_CORE = 1;

const TASKSET = '/usr/bin/taskset';
const HAS_TASKSET = existsSync(TASKSET);
const STOP_MS = 15_000;

/** Whether processes can be held to one core here; without that the figures are worth less. */
export const canPin = HAS_TASKSET;

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Asks it to end with SIGTERM or the given signal, and ends it with SIGKILL when it does not. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface StartOptions {
  readonly core: number | null;
  readonly env?: Readonly<Record<string, string>>;
  /** What becomes of its output: a file descriptor, or nothing; its errors are shown. */
  readonly stdout?: number | 'pipe' | 'ignore';
  readonly stdin?: 'pipe' | 'ignore';
  /** Whether its errors are dropped, because they are chatter. */
  readonly quiet?: boolean;
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a program on one core. taskset replaces itself by the program, so that its process id is the program's. */
export function startProgram(command: string, args: readonly string[], options: StartOptions): Program {
  const { core, env, stdout = 'ignore', stdin = 'ignore', quiet = false, uid, gid } = options;
  const pinned = core !== null && HAS_TASKSET;
  const [file, all] = pinned ? [TASKSET, ['-c', String(core), command, ...args]] : [command, args];
  const child = spawn(file, all, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: [stdin, stdout, quiet ? 'ignore' : 'inherit'],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  return {
    child,
    pid,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      const inTime = await Promise.race([ended.then(() => true), wait(STOP_MS, false, { ref: false })]);
      if (!inTime) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts one of the bench's own TypeScript servers, with its options as JSON. */
export function startServer(path: string, options: object, core: number | null = SERVER_CORE): Program {
  return startProgram(process.execPath, [path, JSON.stringify(options)], { core });
}

/** Waits until a server answers 200 at this address. */
export async function untilAnswers(url: string, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const ok = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (ok) return;
    await wait(20);
  }
  throw new Error(`${url} did not answer within ${withinMs} ms`);
}
