import { readdirSync, readFileSync } from 'node:fs';

/** The fields of `/proc/PID/stat`, from the state of the process on, count from 0; see proc(5). */
const PARENT = 1;
const OWN = [11, 12];
const ENDED_CHILDREN = [13, 14];
const TICK_MS = 10;

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The names in a folder that are numbers: of processes, or of threads. */
function numbersIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9]+$/.test(name));
  } catch {
    return [];
  }
}

/** What the system says of a process, from its state on; null when it is gone. */
function statOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function ticksMs(fields: readonly string[] | null, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + Number(fields?.[place] ?? 0), 0) * TICK_MS;
}

/** A figure of `schedstat` in milliseconds: 0 for the time on a core, 1 for the time in which others had it. */
function schedstatMs(folder: string, place: number): number {
  return Number(read(`${folder}/schedstat`)?.split(' ')[place] ?? 0) / 1e6;
}

/**
 * Milliseconds of processor time of all threads of a process; 0 where the system does not say. Living threads count to the
 * nanosecond. Those that have ended are in the process's ticks of 10 ms alone, which are taken where they are more.
 */
export function cpuMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const living = numbersIn(folder).reduce((sum, thread) => sum + schedstatMs(`${folder}/${thread}`, 0), 0);
  return Math.max(living, ticksMs(statOf(pid), OWN));
}

/** The same of all children of this process that have ended, in ticks of 10 ms. */
export function endedCpuMs(): number {
  return ticksMs(statOf(process.pid), ENDED_CHILDREN);
}

/** The same of a process and all of its children, those that have ended included: of a PostgreSQL server, say. */
export function familyCpuMs(pid: number): number {
  const children = numbersIn('/proc').filter((name) => Number(statOf(Number(name))?.[PARENT]) === pid);
  const living = children.reduce((sum, child) => sum + cpuMs(Number(child)), cpuMs(pid));
  return living + ticksMs(statOf(pid), ENDED_CHILDREN);
}

/** Milliseconds in which a process's main thread could have run and others had its core; 0 where the system does not say. */
export function waitedMs(pid: number): number {
  return schedstatMs(`/proc/${pid}`, 1);
}

/** Resident memory of a process in megabytes (of 2^20 bytes). */
export function residentMb(pid: number): number {
  const text = read(`/proc/${pid}/status`) ?? '';
  return Number(/VmRSS:\s+([0-9]+)/.exec(text)?.[1] ?? Number.NaN) / 1_024;
}
