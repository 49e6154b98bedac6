import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Covered } from './messages.ts';
import type { Mutant, Mutated } from './mutants.ts';
import type { TestRunner } from './runner.ts';

/** What a test file does without a fault. */
export interface DryRun {
  /** How many milliseconds it takes. */
  readonly ms: number;
  /** Whether its tests come by a fault. */
  readonly reaches: (mutant: Mutant) => boolean;
}

interface Run extends Covered {
  /** The hash of what the test file and all that it may load were. */
  readonly of: string;
  readonly ms: number;
}

const KEPT = 'node_modules/.cache/mutants.json';
/** More than the longest test file takes on a busy machine. */
const LIMIT_MS = 15 * 60_000;

function hashOf(texts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

function readKept(): Record<string, Run> {
  try {
    return JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, Run>;
  } catch {
    return {};
  }
}

/** @returns why the test says nothing about faults: it fails without any, also a second time */
async function runOnce(runner: TestRunner, test: string): Promise<Omit<Run, 'of'> | string> {
  let failure = '';
  for (const _attempt of [1, 2]) {
    const answer = await runner.run({ tests: [test], mutant: null }, LIMIT_MS);
    if (answer !== null && answer.failure === null) return { ...runner.covered(), ms: answer.times[test] ?? 0 };
    failure = answer?.failure ?? `${test} does not end`;
  }
  return failure;
}

/**
 * Runs test files without a fault, each once at its first use; one of which an earlier run is still true is not run. The function
 * that it returns gives null for a file that fails.
 */
export function createDryRuns(
  runner: TestRunner,
  { files }: Mutated,
  say: (line: string) => void,
): (test: string) => Promise<DryRun | null> {
  const shared = globSync(['src/**/*.ts', 'sandbox/**/*.ts', 'test/**/*.ts'])
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted();
  const around = hashOf([...shared.map((path) => readFileSync(path, 'utf8')), ...files.values()]);
  const kept = readKept();
  const known = new Map<string, DryRun | null>();

  async function find(test: string): Promise<Run | null> {
    const of = hashOf([around, readFileSync(test, 'utf8')]);
    const before = kept[test];
    if (before?.of === of) return before;
    say(`without a fault: ${test}`);
    const found = await runOnce(runner, test);
    if (typeof found === 'string') {
      say(`left out, because it fails without a fault: ${found}`);
      return null;
    }
    const run = { of, ...found };
    kept[test] = run;
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(KEPT, JSON.stringify(kept));
    return run;
  }

  return async (test) => {
    const before = known.get(test);
    if (before !== undefined) return before;
    const run = await find(test);
    const covered = new Set([...(run?.inTests ?? []), ...(run?.outside ?? [])]);
    const dry = run === null ? null : { ms: run.ms, reaches: ({ id }: Mutant) => covered.has(id) };
    known.set(test, dry);
    return dry;
  };
}
