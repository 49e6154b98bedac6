import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program on the PATH, or where Debian keeps those of services; null when there is none. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  for (const folder of [...path.split(delimiter), '/usr/sbin']) {
    const candidate = join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
