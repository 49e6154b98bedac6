import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

const TICK_MS = 10;

/** What the system says of a process, from its state on, see proc(5); null when it is gone. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function ticksOf(fields: readonly string[], places: readonly number[]): number {
  return places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0);
}

/** Milliseconds of processor time that a process has used, threads included; 0 where the system does not say. */
export function cpuMs(pid: number): number {
  return ticksOf(statOf(pid) ?? [], [11, 12]) * TICK_MS;
}

/** The same of all children of this process that have ended. */
export function endedCpuMs(): number {
  return ticksOf(statOf(process.pid) ?? [], [13, 14]) * TICK_MS;
}

/** The same of a process and all of its children, those that have ended included: of a PostgreSQL server, say. */
export function familyCpuMs(pid: number): number {
  let total = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const fields = statOf(Number(name));
    if (fields === null) continue;
    if (Number(name) === pid) total += ticksOf(fields, [11, 12, 13, 14]);
    else if (Number(fields[1]) === pid) total += ticksOf(fields, [11, 12]);
  }
  return total * TICK_MS;
}

/** Milliseconds in which a process's main thread could have run and others had its core; 0 where the system does not say. */
export function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Resident memory of a process in megabytes (of 2^20 bytes). */
export function residentMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+([0-9]+)/.exec(text)?.[1] ?? Number.NaN) / 1_024;
}
