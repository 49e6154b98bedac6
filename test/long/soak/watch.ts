import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What the service's process and files looked like from outside. */
export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly pid: number;
  /** Memory in bytes that the system cannot take back. */
  readonly memory: number;
  /** Bytes of the write-ahead log. */
  readonly wal: number;
}

/** Looks at the service until it is stopped. */
export interface Watch {
  readonly samples: readonly Sample[];
  stop(): Promise<void>;
}

const EVERY_MS = 500;
const run = promisify(execFile);

/** Null where the system is not Linux, or the process is gone. */
function anonymousKilobytes(pid: number): number | null {
  try {
    return Number(/^RssAnon:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return null;
  }
}

/**
 * Memory of a process in bytes; null when it is gone. On Linux without the pages of mapped files, which grow with the database
 * and which the system takes back when it needs them; elsewhere all that is resident, as `ps` tells it.
 */
async function memoryOfProcess(pid: number): Promise<number | null> {
  const anonymous = anonymousKilobytes(pid);
  if (anonymous !== null) return anonymous > 0 ? anonymous * 1_024 : null;
  const told = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => null);
  const kilobytes = Number(told?.stdout.trim() ?? '');
  return kilobytes > 0 ? kilobytes * 1_024 : null;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Looks twice a second at the processes that `pids` names at that moment and at the write-ahead log, if it is a file. */
export function startWatch({ pids, walPath }: { pids: () => readonly number[]; walPath: string | null }): Watch {
  const samples: Sample[] = [];
  let stopping = false;
  async function look(): Promise<void> {
    for (const pid of pids()) {
      const memory = await memoryOfProcess(pid);
      if (memory !== null) samples.push({ at: Date.now(), pid, memory, wal: walPath === null ? 0 : sizeOf(walPath) });
    }
  }
  async function keepLooking(): Promise<void> {
    while (!stopping) {
      await look();
      await wait(EVERY_MS);
    }
  }
  const looking = keepLooking();
  return {
    samples,
    stop: async () => {
      stopping = true;
      await looking;
    },
  };
}
