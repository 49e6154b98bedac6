import { inject } from 'vitest';
import { isOnPostgres } from './database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether the tests of a project try all that they can think of, as `npm run test:long` does. */
    thorough: true;
  }
}

/** How many random runs a test makes in `npm test`, at most. */
const QUICK_RUNS = 8;
/** Which of the places of a walk `npm test` tries: an odd step comes to both sides of commits. */
const QUICK_STEP = 7;
const POSTGRES_STEP = 9;

/** How many random runs a test makes: all in `npm run test:long`, a fifth of them on PostgreSQL, where each takes much longer. */
export function randomRuns(runs: number): number {
  if (inject('thorough') !== true) return Math.min(runs, QUICK_RUNS);
  return isOnPostgres() ? Math.ceil(runs / 5) : runs;
}

/** How far apart the places are at which a walk over all of them stops: next to each other in `npm run test:long`. */
export function stepOfWalk(): number {
  if (inject('thorough') !== true) return QUICK_STEP;
  return isOnPostgres() ? POSTGRES_STEP : 1;
}
