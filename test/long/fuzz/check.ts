import fc from 'fast-check';

/** How many cases are tried at once. */
const ABREAST = 8;
const RUNS = 50;

/**
 * Tries at least so many cases, some at once, and shrinks what fails.
 * @param attempt what is wrong with a case, or null
 * @param show a case for people
 * @throws Error with the smallest case that fails and the seed that leads to it
 */
export async function tryCases<Case>(
  cases: fc.Arbitrary<Case>,
  options: {
    seed: number;
    count: number;
    attempt: (one: Case) => Promise<string | null>;
    show: (one: Case) => string;
  },
): Promise<number> {
  const { seed, count, attempt, show } = options;
  const batches = fc.array(cases, { minLength: ABREAST, maxLength: ABREAST });
  let tried = 0;
  let last = '';
  const property = fc.asyncProperty(batches, async (batch) => {
    tried += batch.length;
    const verdicts = await Promise.all(batch.map(attempt));
    const failed = verdicts.findIndex((verdict) => verdict !== null);
    const one = batch[failed];
    if (one === undefined) return true;
    last = `${verdicts[failed]}\n  in ${show(one)}`;
    return false;
  });
  for (let round = 0; tried < count; round += 1) {
    const result = await fc.check(property, { seed: seed + round, numRuns: RUNS, interruptAfterTimeLimit: 120_000 });
    if (result.failed) throw new Error(`${last}\n  found with seed ${seed + round} after ${result.numRuns} runs`);
  }
  return tried;
}
