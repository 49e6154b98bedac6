/** Tests of one file: those with these ids of vitest, or null for all of them. */
export interface TestChoice {
  readonly file: string;
  readonly ids: readonly string[] | null;
}

/** What the host is asked: to run these tests, with this fault or with none. */
export interface HostRequest {
  readonly tests: readonly TestChoice[];
  readonly mutant: string | null;
}

/** A test that failed; without an id what failed is its file: a hook of it, or its loading. */
export interface Failure {
  readonly file: string;
  readonly id: string | null;
  readonly words: string;
}

/** What the host answers: the first failure, and how many milliseconds each test took, by its id. */
export interface HostAnswer {
  readonly failure: Failure | null;
  readonly times: Readonly<Record<string, number>>;
}

/** Which faults each test of a file comes by, by the test's id, and which are come by while modules load and hooks run. */
export interface Covered {
  readonly inTests: Readonly<Record<string, readonly string[]>>;
  readonly outside: readonly string[];
}

/** This variable names the file where the last test file that ran without a fault leaves what it covered. */
export const COVERED_FILE = 'MUTANTS_COVERED_FILE';
/** By this variable instrumented files know the fault that is switched on. */
export const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__';
