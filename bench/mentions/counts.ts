import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { cpuMs } from '../processor-time.ts';

/** What a process has done so far, as the system counts it. */
export interface Counts {
  /** Milliseconds of processor time of all threads. */
  readonly cpuMs: number;
  /** Bytes that it passed to `write` and its like: files, sockets and the log. */
  readonly written: number;
  /** How often one of its threads went to sleep and was woken. */
  readonly wakeUps: number;
}

function numberIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+([0-9]+)`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** See proc(5). */
export function countsOf(pid: number): Counts {
  const folder = `/proc/${pid}`;
  let wakeUps = 0;
  for (const thread of readdirSync(`${folder}/task`)) {
    wakeUps += numberIn(readFileSync(`${folder}/task/${thread}/status`, 'utf8'), 'voluntary_ctxt_switches');
  }
  return { cpuMs: cpuMs(pid), wakeUps, written: numberIn(readFileSync(`${folder}/io`, 'utf8'), 'wchar') };
}

/** Where SQLite's index of the log counts transactions that have written: `iChange` in `struct WalIndexHdr` of its wal.c. */
const CHANGES_AT = 8;

/** How many transactions have been written to a database in WAL mode since its log was begun anew by a process. */
export function commitsOf(databasePath: string): number {
  const bytes = Buffer.alloc(4);
  const file = openSync(`${databasePath}-shm`, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, CHANGES_AT);
  } finally {
    closeSync(file);
  }
  return bytes.readUInt32LE();
}
