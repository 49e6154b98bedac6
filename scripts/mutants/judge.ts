import { readFileSync } from 'node:fs';
import { createDryRuns, type DryRuns } from './dry-run.ts';
import type { TestChoice } from './messages.ts';
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
const SLACK_MS = 20_000;
/** Tests that would make the chosen ones take longer together are left out. */
const MOST_MS = 30_000;
/** More than the longest test takes alone on a busy machine. */
const ALONE_MS = 3 * 60_000;
/** The same of whole files, of those that are near a fault. */
const WHOLE_MS = 10 * 60_000;
/** How many of the further tests are looked at together for a fault that no nearer one comes by. */
const FURTHER_AT_ONCE = 10;

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

interface Judging {
  readonly runner: TestRunner;
  readonly dryRuns: DryRuns;
  /** Whether a test passes alone without a fault, by its id. */
  readonly alone: Map<string, Promise<boolean>>;
}

interface Chosen extends TestChoice {
  readonly ms: number;
}

/** The tests of a file that come by a fault, the shortest first, as long as they take no longer than `mostMs`; at least one. */
async function chooseOf(
  { runner, dryRuns }: Judging,
  mutant: Mutant,
  file: string,
  mostMs: number,
): Promise<Chosen | null> {
  const run = await dryRuns(runner, file);
  const reaching = run?.reaching(mutant) ?? [];
  if (run === null || reaching.length === 0) return null;
  if (reaching === 'all') return { file, ids: null, ms: run.ms };
  const ids: string[] = [];
  let ms = 0;
  for (const test of reaching) {
    if (ids.length > 0 && ms + test.ms > mostMs) break;
    ids.push(test.id);
    ms += test.ms;
  }
  return { file, ids, ms };
}

/** Whether a test passes alone without a fault: one that needs the tests before it says nothing when it fails without them. */
function passesAlone({ runner, alone }: Judging, file: string, id: string): Promise<boolean> {
  const before = alone.get(id);
  if (before !== undefined) return before;
  const found = runner
    .run({ tests: [{ file, ids: [id] }], mutant: null }, ALONE_MS)
    .then((answer) => answer !== null && answer.failure === null);
  alone.set(id, found);
  return found;
}

type Judged = Omit<Verdict, 'mutant'> & { readonly outcome: 'failed' | 'timed out' | 'unnoticed' };

/** Runs tests with a fault. */
async function runWith(judging: Judging, mutant: Mutant, tests: readonly Chosen[]): Promise<Judged> {
  const expected = tests.reduce((sum, { ms }) => sum + ms, 0);
  const why = tests.map(({ file }) => file).join(', ');
  const run = (chosen: readonly TestChoice[], limitMs: number) =>
    judging.runner.run({ tests: chosen, mutant: mutant.id }, limitMs);
  let answer = await run(tests, expected * TIMES_LONGER + SLACK_MS);
  const failed = answer?.failure;
  if (failed?.id != null && !(await passesAlone(judging, failed.file, failed.id))) {
    answer = await run(
      tests.map(({ file }) => ({ file, ids: null })),
      WHOLE_MS,
    );
  }
  if (answer === null) return { outcome: 'timed out', why };
  return answer.failure === null ? { outcome: 'unnoticed', why } : { outcome: 'failed', why: answer.failure.words };
}

/** Runs the nearest file that comes by a fault, and only when it notices nothing the others, together. */
async function judgeBy(judging: Judging, mutant: Mutant, files: readonly string[]): Promise<Judged | null> {
  const others: Chosen[] = [];
  let first: Judged | null = null;
  let left = MOST_MS;
  for (const file of files) {
    const chosen = await chooseOf(judging, mutant, file, left);
    if (chosen === null || (first !== null && chosen.ms > left)) continue;
    left -= chosen.ms;
    if (first !== null) {
      others.push(chosen);
      continue;
    }
    first = await runWith(judging, mutant, [chosen]);
    if (first.outcome !== 'unnoticed') return first;
  }
  if (first === null || others.length === 0) return first;
  const rest = await runWith(judging, mutant, others);
  return rest.outcome === 'unnoticed' ? { ...rest, why: `${first.why}, ${rest.why}` } : rest;
}

async function judge(judging: Judging, mutant: Mutant, { near, further }: NearTests): Promise<Verdict> {
  const nearest = await judgeBy(judging, mutant, near);
  if (nearest !== null) return { mutant, ...nearest };
  for (let from = 0; from < further.length; from += FURTHER_AT_ONCE) {
    const judged = await judgeBy(judging, mutant, further.slice(from, from + FURTHER_AT_ONCE));
    if (judged !== null) return { mutant, ...judged };
  }
  return { mutant, outcome: 'not reached', why: [...near, ...further].slice(0, 3).join(', ') };
}

/** Runs the tests near each fault with it switched on, two faults at a time. */
export async function judgeMutants(
  mutated: Mutated,
  drawn: readonly Mutant[],
  say: (line: string) => void,
): Promise<Verdict[]> {
  const folder = copyProject(mutated.files);
  process.on('exit', () => deleteCopy(folder));
  const runners = await Promise.all(['a', 'b'].map((name) => startTestRunner(folder, name)));
  const near = createNearTests(runners[0]?.tests ?? []);
  const equivalent = readEquivalent();
  const dryRuns = createDryRuns(mutated, say);
  const alone = new Map<string, Promise<boolean>>();
  const nearOf = new Map([...new Set(drawn.map(({ file }) => file))].map((file) => [file, near(file)]));
  const verdicts: Verdict[] = [];
  const left = drawn.values();

  async function judgeRest(runner: TestRunner): Promise<void> {
    for (const mutant of left) {
      const why = equivalent.get(mutant.file)?.find((entry) => isNamed(mutant, mutant.file, entry))?.why;
      const verdict: Verdict =
        why === undefined
          ? await judge({ runner, dryRuns, alone }, mutant, nearOf.get(mutant.file) ?? NONE)
          : { mutant, outcome: 'equivalent', why };
      verdicts.push(verdict);
      const { code, to } = mutant.name;
      say(`${verdicts.length}/${drawn.length} ${verdict.outcome}: ${mutant.file}:${mutant.line} ${code} → ${to}`);
    }
    runner.stop();
  }

  await Promise.all(runners.map(judgeRest));
  return verdicts;
}
