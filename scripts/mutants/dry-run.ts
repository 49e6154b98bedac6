import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Covered } from './messages.ts';
import type { Mutant, Mutated } from './mutants.ts';
import type { TestRunner } from './runner.ts';

/** A test that comes by a fault: its id, and how many milliseconds it takes. */
export interface Reaching {
  readonly id: string;
  readonly ms: number;
}

/** What a test file does without a fault. */
export interface DryRun {
  /** The tests that come by a fault, the shortest first; 'all' when it is reached while modules load or hooks run. */
  readonly reaching: (mutant: Mutant) => readonly Reaching[] | 'all';
  /** How many milliseconds its tests take together. */
  readonly ms: number;
}

interface Run extends Covered {
  /** The hash of what the test file and all that it may load were. */
  readonly of: string;
  readonly times: Readonly<Record<string, number>>;
}

const KEPT = 'node_modules/.cache/mutants';
/** More than the longest test file takes on a busy machine. */
const LIMIT_MS = 15 * 60_000;

function hashOf(texts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

function readKept(path: string): Run | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Run;
  } catch {
    return null;
  }
}

/** @returns why the test file says nothing about faults: it fails without any, also a second time */
async function runOnce(runner: TestRunner, file: string): Promise<Omit<Run, 'of'> | string> {
  let failure = '';
  for (const _attempt of [1, 2]) {
    const answer = await runner.run({ tests: [{ file, ids: null }], mutant: null }, LIMIT_MS);
    if (answer !== null && answer.failure === null) return { ...runner.covered(), times: answer.times };
    failure = answer?.failure?.words ?? `${file} does not end`;
  }
  return failure;
}

function dryRunOf({ inTests, outside, times }: Run): DryRun {
  const testsOf = new Map<string, Reaching[]>();
  for (const [id, covered] of Object.entries(inTests)) {
    for (const mutant of covered) {
      const before = testsOf.get(mutant);
      const test = { id, ms: times[id] ?? 0 };
      if (before === undefined) testsOf.set(mutant, [test]);
      else before.push(test);
    }
  }
  for (const tests of testsOf.values()) tests.sort((a, b) => a.ms - b.ms);
  const everywhere = new Set(outside);
  return {
    reaching: ({ id }) => (everywhere.has(id) ? 'all' : (testsOf.get(id) ?? [])),
    ms: Object.values(times).reduce((sum, ms) => sum + ms, 0),
  };
}

/** Gives what a test file does without a fault, or null for one that fails then. */
export type DryRuns = (runner: TestRunner, file: string) => Promise<DryRun | null>;

/** Runs test files without a fault, each once at its first use; one of which an earlier run is still true is not run. */
export function createDryRuns({ files }: Mutated, say: (line: string) => void): DryRuns {
  const shared = globSync(['src/**/*.ts', 'sandbox/**/*.ts', 'test/**/*.ts'])
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted();
  const around = hashOf([...shared.map((path) => readFileSync(path, 'utf8')), ...files.values()]);
  const known = new Map<string, Promise<DryRun | null>>();

  async function find(runner: TestRunner, file: string): Promise<DryRun | null> {
    const of = hashOf([around, readFileSync(file, 'utf8')]);
    const path = join(KEPT, `${file.replaceAll('/', '-')}.json`);
    const before = readKept(path);
    if (before?.of === of) return dryRunOf(before);
    say(`without a fault: ${file}`);
    const found = await runOnce(runner, file);
    if (typeof found === 'string') {
      say(`left out, because it fails without a fault: ${found}`);
      return null;
    }
    const run = { of, ...found };
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(path, JSON.stringify(run));
    return dryRunOf(run);
  }

  return (runner, file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const found = find(runner, file);
    known.set(file, found);
    return found;
  };
}
