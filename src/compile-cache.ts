import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Anybody else who may write there would choose what this process runs. */
const WRITABLE_BY_OTHERS = 0o022;

function isOurs(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0;
}

/**
 * Has Node keep what it compiles of a bundle from here on, for the next process: in `compile-cache` beside the bundle. Node
 * separates its versions, flags and users there, and checks the source of each entry. Where the folder cannot be made, or others
 * may write to it, nothing is kept. Node itself sees to the folder that `NODE_COMPILE_CACHE` names.
 * @param from the module that calls it
 */
export function keepCompiled(from: string, { NODE_COMPILE_CACHE: named }: NodeJS.ProcessEnv): void {
  // The sources themselves are run by tests and in development.
  if (named !== undefined || !from.endsWith('.js')) return;
  const folder = fileURLToPath(new URL('compile-cache', from));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOurs(folder)) enableCompileCache(folder);
  } catch {
    // A folder that cannot be written to, as of an image.
  }
}
