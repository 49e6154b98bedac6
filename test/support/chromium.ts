import { findProgram } from './programs.ts';

/** The `chromium` on the PATH, or null when there is none. */
export function findChromium(): string | null {
  return findProgram('chromium');
}
