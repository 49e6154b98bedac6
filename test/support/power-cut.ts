import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { Sync } from '../../src/store/sqlite/files/log-sync.ts';
import type { Chance } from '../long/soak/chance.ts';

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const SECTOR = 512;

interface Position {
  /** Names the log from its start to its next one. */
  readonly salt: string;
  /** The last frame that is committed. */
  readonly frame: number;
}

/** What a copy holds. */
export interface Remains {
  readonly posts: ReadonlySet<string>;
  readonly integrity: unknown;
  /** Whether the log had commits that were not synced. */
  readonly isCut: boolean;
}

/** A disk whose power can be cut. */
export interface Disk {
  /** A sync that takes up to `mostMs`. */
  readonly sync: Sync;
  /** What is left of the database when power is cut now. */
  cut(): Remains;
  /** Call it after all connections are closed: the first file of a database that is closed drops the locks of the process. */
  close(): void;
}

/**
 * Watches which part of a database's log is synced. A cut leaves the file, which SQLite syncs before it begins the log anew,
 * the synced part of the log, and of what comes after that some sectors.
 */
export function createDisk(
  path: string,
  { folder, chance, mostMs }: { folder: string; chance: Chance; mostMs: number },
): Disk {
  const opened = new Map<string, number>();
  let synced: Position = { salt: '', frame: 0 };
  let copies = 0;

  function read(end: string, bytes?: number): Buffer {
    const file = opened.get(end) ?? openSync(`${path}${end}`, 'r');
    opened.set(end, file);
    const content = Buffer.alloc(bytes ?? fstatSync(file).size);
    readSync(file, content, 0, content.length, 0);
    return content;
  }

  /** The header of the index of the log, as SQLite's file format describes it. */
  function readIndex() {
    const index = read('-shm', 136);
    const pageSize = index.readUInt16LE(14);
    const position: Position = { salt: index.toString('hex', 32, 40), frame: index.readUInt32LE(16) };
    return { position, frameSize: FRAME_HEADER + pageSize, copied: index.readUInt32LE(96) };
  }

  function readRemains(isCut: boolean, copy: string): Remains {
    const database = new SqliteDatabase(copy);
    const posts = new Set(database.prepare<[], string>('select post_id from mentions').pluck().all());
    const integrity = database.pragma('integrity_check', { simple: true });
    database.close();
    return { posts, integrity, isCut };
  }

  return {
    async sync() {
      const { position } = readIndex();
      const ms = chance.next() * mostMs;
      if (ms >= 1) await setTimeout(ms);
      // A log that began anew meanwhile was copied into the file.
      const isSame = position.salt === readIndex().position.salt;
      if (isSame && (synced.salt !== position.salt || synced.frame < position.frame)) synced = position;
    },
    cut() {
      const { position, frameSize, copied } = readIndex();
      // SQLite syncs the log up to what it copies into the file.
      const frames = Math.max(copied, synced.salt === position.salt ? synced.frame : 0);
      const log = read('-wal');
      const kept = frames === 0 ? 0 : LOG_HEADER + frames * frameSize;
      for (let at = kept; at < log.length; at += SECTOR) {
        if (chance.happens(0.5)) log.fill(0, at, Math.min(at + SECTOR, log.length));
      }
      const place = join(folder, `cut-${copies++}`);
      mkdirSync(place);
      const copy = join(place, 'gigclaim.db');
      writeFileSync(copy, read(''));
      // A log that is cut in its header has nothing.
      writeFileSync(`${copy}-wal`, chance.happens(0.5) ? log.subarray(0, kept) : log);
      return readRemains(frames < position.frame, copy);
    },
    close() {
      for (const file of opened.values()) closeSync(file);
    },
  };
}
