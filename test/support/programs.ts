import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that Debian keeps off the PATH of accounts other than root. */
const SYSTEM = '/usr/sbin';

/** The file of a program on the PATH, or null when there is none. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  for (const folder of [...path.split(delimiter), SYSTEM]) {
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

/** Tests that need programs of the machine, and where Debian has these. */
const NEEDS = [
  { tests: 'test/long/browser/**', programs: ['chromium'], packages: 'chromium' },
  { tests: 'test/long/proxies/**', programs: ['nginx', 'caddy', 'openssl'], packages: 'nginx-light caddy openssl' },
  { tests: 'test/slow/postgres/pooler.test.ts', programs: ['pgbouncer'], packages: 'pgbouncer' },
] as const;

/** The patterns of tests that cannot run on this machine, each with the sentence that says so. */
export function missingPrograms(): readonly { readonly tests: string; readonly words: string }[] {
  return NEEDS.flatMap(({ tests, programs, packages }) => {
    const missing = programs.filter((name) => findProgram(name) === null);
    if (missing.length === 0) return [];
    const words = `The tests in ${tests} DID NOT RUN: there is no ${missing.join(', no ')} on the PATH (on Debian: apt-get install ${packages}).`;
    return [{ tests, words }];
  });
}
