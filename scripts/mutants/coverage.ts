import { writeFileSync } from 'node:fs';
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
  beforeEach(({ task }) => {
    stryker.currentTestId = task.id;
    return () => {
      stryker.currentTestId = undefined;
    };
  });
  afterAll(() => {
    const { static: outside = {}, perTest = {} } = stryker.mutantCoverage ?? {};
    const inTests = Object.entries(perTest).map(([id, counts]) => [id, Object.keys(counts)] as const);
    const covered: Covered = { inTests: Object.fromEntries(inTests), outside: Object.keys(outside) };
    const path = process.env[COVERED_FILE];
    if (path === undefined) throw new Error(`${COVERED_FILE} names no file`);
    writeFileSync(path, JSON.stringify(covered));
  });
}
