import type { StoreTx } from '../store/port/index.ts';
import type { ServiceContext } from './context.ts';

/** A change that is possible, and of which nothing is done yet but what `abandon` gives back. */
export interface Prepared<Result> {
  /** Makes the change, at `now` in epoch milliseconds. @throws DomainError when what it depends on has changed meanwhile */
  commit(tx: StoreTx, now: number): Promise<Result>;
  /** Gives back what the preparation has taken, when the change is not made. */
  abandon?(): Promise<void>;
  /** What follows once the change is on disk: a line of the log, a count. */
  done?(result: Result): void;
}

/** Makes a prepared change by `run`, which returns its result in `made`; without it the change is not made, and abandoned. */
export async function makeOrAbandon<Result, Answer extends { readonly made?: { readonly result: Result } }>(
  { abandon, done }: Prepared<Result>,
  run: () => Promise<Answer>,
): Promise<Answer> {
  let isMade = false;
  try {
    const answer = await run();
    isMade = answer.made !== undefined;
    if (answer.made) done?.(answer.made.result);
    return answer;
  } finally {
    if (!isMade) await abandon?.();
  }
}

/** Makes a prepared change in a transaction of its own. */
export async function carryOut<Result>({ store, clock }: ServiceContext, prepared: Prepared<Result>): Promise<Result> {
  const run = async (tx: StoreTx) => ({ made: { result: await prepared.commit(tx, clock()) } });
  return (await makeOrAbandon(prepared, () => store.transaction(run))).made.result;
}
