import { readFileSync } from 'node:fs';
import { createDryRuns, type DryRun } from './dry-run.ts';
import type { Mutant, MutantName, Mutated } from './mutants.ts';
import { createNearTests, type NearTests } from './near.ts';
import { copyProject, deleteCopy, startTestRunner, type TestRunner } from './runner.ts';

/** What became of a fault. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly outcome: 'failed' | 'timed out' | 'equivalent' | 'not reached' | 'unnoticed';
  /** The test that noticed it, why it is equivalent, or the tests that did not notice it. */
  readonly why: string;
}

/** A fault that changes nothing that anybody can notice, with the reason. */
interface Equivalent extends MutantName {
  readonly why: string;
}

const NONE: NearTests = { near: [], further: [] };
const EQUIVALENT = 'scripts/mutants/equivalent.json';
/** A run with a fault may take as many times as long as without, and as much more: workers start, and the machine is shared. */
const TIMES_LONGER = 5;
const SLACK_MS = 30_000;
/** Of files that take longer, tests beyond the nearest are left out. */
const MOST_MS = 45_000;

function readEquivalent(): ReadonlyMap<string, readonly Equivalent[]> {
  return new Map(Object.entries(JSON.parse(readFileSync(EQUIVALENT, 'utf8')) as Record<string, Equivalent[]>));
}

function isNamed(mutant: Mutant, file: string, { at, code, to }: MutantName): boolean {
  const { name } = mutant;
  return mutant.file === file && at === name.at && code === name.code && to === name.to;
}

/** The entries of the list of equivalent faults that name none of the faults: their code has changed. */
export function strayEquivalent(mutants: readonly Mutant[]): string[] {
  return [...readEquivalent()].flatMap(([file, entries]) =>
    entries
      .filter((entry) => !mutants.some((mutant) => isNamed(mutant, file, entry)))
      .map(({ code, to }) => `${EQUIVALENT} names no fault of ${file}: ${code} → ${to}`),
  );
}

type Dry = (test: string) => Promise<DryRun | null>;

/** Those of the tests that come by a fault, until they take too long together; the first one whatever it takes. */
async function findReaching(dry: Dry, mutant: Mutant, tests: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let sum = 0;
  for (const test of tests) {
    const run = await dry(test);
    if (run?.reaches(mutant) !== true) continue;
    sum += run.ms;
    if (found.size === 0 || sum <= MOST_MS) found.set(test, run.ms);
  }
  return found;
}

async function judge(runner: TestRunner, dry: Dry, mutant: Mutant, { near, further }: NearTests): Promise<Verdict> {
  const nearest = await findReaching(dry, mutant, near);
  const times = nearest.size > 0 ? nearest : await findReaching(dry, mutant, further);
  const tests = [...times.keys()];
  if (tests.length === 0) return { mutant, outcome: 'not reached', why: [...near, ...further].slice(0, 3).join(', ') };
  const expected = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const answer = await runner.run({ tests, mutant: mutant.id }, expected * TIMES_LONGER + SLACK_MS);
  if (answer === null) return { mutant, outcome: 'timed out', why: tests.join(', ') };
  if (answer.failure !== null) return { mutant, outcome: 'failed', why: answer.failure };
  return { mutant, outcome: 'unnoticed', why: tests.join(', ') };
}

/** Runs the tests near each fault with it switched on. */
export async function judgeMutants(
  mutated: Mutated,
  drawn: readonly Mutant[],
  say: (line: string) => void,
): Promise<Verdict[]> {
  const folder = copyProject(mutated.files);
  process.on('exit', () => deleteCopy(folder));
  const runner = await startTestRunner(folder);
  const near = createNearTests(runner.tests);
  const equivalent = readEquivalent();
  const dry = createDryRuns(runner, mutated, say);
  const nearOf = new Map([...new Set(drawn.map(({ file }) => file))].map((file) => [file, near(file)]));
  const verdicts: Verdict[] = [];
  for (const mutant of drawn) {
    const why = equivalent.get(mutant.file)?.find((entry) => isNamed(mutant, mutant.file, entry))?.why;
    const verdict: Verdict =
      why === undefined
        ? await judge(runner, dry, mutant, nearOf.get(mutant.file) ?? NONE)
        : { mutant, outcome: 'equivalent', why };
    verdicts.push(verdict);
    const { code, to } = mutant.name;
    say(`${verdicts.length}/${drawn.length} ${verdict.outcome}: ${mutant.file}:${mutant.line} ${code} → ${to}`);
  }
  runner.stop();
  return verdicts;
}
