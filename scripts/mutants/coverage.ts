import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { ACTIVE_MUTANT, COVERED_FILE, type Covered } from './messages.ts';

// Loaded by vitest before each test file: notes which faults the file's tests come by.

interface Coverage {
  readonly static: Record<string, number>;
  readonly perTest: Record<string, Record<string, number>>;
}

interface Stryker {
  mutantCoverage?: Coverage;
  currentTestId?: string | undefined;
}

declare global {
  var __stryker__: Stryker | undefined;
}

globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

if (process.env[ACTIVE_MUTANT] === undefined) {
  beforeEach(() => {
    stryker.currentTestId = 'test';
    return () => {
      stryker.currentTestId = undefined;
    };
  });
  afterAll(() => {
    const { static: outside = {}, perTest = {} } = stryker.mutantCoverage ?? {};
    const covered: Covered = { inTests: Object.keys(perTest['test'] ?? {}), outside: Object.keys(outside) };
    writeFileSync(join(process.cwd(), COVERED_FILE), JSON.stringify(covered));
  });
}
