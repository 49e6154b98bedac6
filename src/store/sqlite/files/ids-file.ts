import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { FloorDraw } from '../../../domain/gigs/tip.ts';
import type { Sql } from '../../sql/engine.ts';
import { createFloorDraw } from '../../sql/gigs/tip-floors.ts';
import { openNewPrivateFile } from './private-files.ts';

const KEPT_IDS = z.object({
  word: z.string().min(1),
  gigId: z.int().min(0),
  tipFloor: z.int().min(0),
});

/**
 * What must outlive a database that is put back to an older copy: where gigs and tips go on, so that no wallet and no number
 * is given twice.
 */
export interface StoredIds {
  /** The random word of the ledger: a database with another one is not the one for which the file was written. */
  readonly word: string;
  /** The highest gig id that was ever reserved. */
  readonly gigId: number;
  /** The highest floor of tip numbers that was ever drawn. */
  readonly tipFloor: number;
}

/** The file `<database>.ids`. Use it only within a transaction that writes: its lock keeps other processes away. */
export interface IdsFile {
  /** Null when there is none, or it is not understood. @throws Error naming the file when it cannot be read */
  read(): StoredIds | null;
  /** When it returns, the file is on disk. @throws Error naming the file when it cannot be written */
  write(ids: StoredIds): void;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function parse(text: string): StoredIds | null {
  try {
    return KEPT_IDS.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function synced(file: number, write: (file: number) => void = () => undefined): void {
  try {
    write(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The file beside the database at `path`. */
export function createIdsFile(path: string): IdsFile {
  const file = `${path}.ids`;
  return {
    read() {
      try {
        return parse(readFileSync(file, 'utf8'));
      } catch (error) {
        if (isMissing(error)) return null;
        throw new Error(`${file}: it cannot be read; make it readable for the user of the service`, { cause: error });
      }
    },
    write(ids) {
      const { word, gigId, tipFloor } = ids;
      const next = `${file}.new`;
      try {
        rmSync(next, { force: true });
        // The folder may be root's, and the database that of the service.
        synced(openNewPrivateFile(next, { ownerOf: path }), (opened) =>
          writeFileSync(opened, `${JSON.stringify({ word, gigId, tipFloor })}\n`),
        );
        // A file is replaced at once, and the new name lasts once its folder is on disk.
        renameSync(next, file);
        synced(openSync(dirname(file), 'r'));
      } catch (error) {
        throw new Error(`${file}: it cannot be written; gigs get no ids without it`, { cause: error });
      }
    },
  };
}

/**
 * Draws a floor of tip numbers, above that of every copy of the database, and keeps it in the ledger and in the file, within
 * a transaction that writes.
 */
export async function drawFloor(db: Sql, floors: FloorDraw, file: IdsFile): Promise<void> {
  const kept = file.read();
  const tipFloor = await createFloorDraw(db, null)(floors, kept?.tipFloor);
  if (kept !== null) file.write({ ...kept, tipFloor });
}
