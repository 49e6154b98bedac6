/** What the host is asked: to run these test files, with this fault or with none. */
export interface HostRequest {
  readonly tests: readonly string[];
  readonly mutant: string | null;
}

/** What the host answers: the first failure in words, and how many milliseconds each file took. */
export interface HostAnswer {
  readonly failure: string | null;
  readonly times: Readonly<Record<string, number>>;
}

/** Which faults a test file comes by in its tests, and which while modules load and hooks run. */
export interface Covered {
  readonly inTests: readonly string[];
  readonly outside: readonly string[];
}

/** Where the last test file that ran without a fault leaves what it covered, in the copy of the project. */
export const COVERED_FILE = 'covered.json';
/** By this variable instrumented files know the fault that is switched on. */
export const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__';
