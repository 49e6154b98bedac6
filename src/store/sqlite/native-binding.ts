import { statSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file, whatever its name: it is another one when it was replaced. */
export function identify(file: string): string {
  const { dev, ino } = statSync(file);
  return `${dev}:${ino}`;
}

/**
 * The native library with SQLite in it that this thread has loaded. All threads must use the same: a second copy in one
 * process does not see the locks of the first, because the system holds them for the process, and both would write.
 * @throws Error when none was loaded
 */
export function loadedLibrary(): string {
  const { cache } = createRequire(import.meta.url);
  const file = Object.keys(cache).find((name) => /better[-_]sqlite3.*\.node$/.test(name));
  if (file === undefined) throw new Error('the native library of better-sqlite3 was not loaded');
  return file;
}
