import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PIECE = Buffer.allocUnsafe(2 ** 20);

/**
 * Reads a file, or all files in a folder, from beginning to end. Then nobody who is measured waits for the disk: systems
 * take back the memory of what is read rarely.
 */
export function readThrough(path: string): void {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path)) readThrough(join(path, name));
    return;
  }
  const file = openSync(path, 'r');
  try {
    while (readSync(file, PIECE) > 0);
  } finally {
    closeSync(file);
  }
}
