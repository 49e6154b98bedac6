import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { createAwaitGuard, type TurnWatch } from './await-guard.ts';
import { isBusy } from './errors.ts';

/** How many callers share one commit at most, so that a crowd cannot keep the event loop from turning. */
const MAX_BATCH = 512;
/** How long one process waits for another's write, in milliseconds, and how often it looks. */
const BUSY_MS = 5_000;
const BUSY_LOOK_MS = 10;

/** Tells a caller what came of its work. */
export type Settle = () => void;

/** What a caller wants done in a transaction. */
export interface Job {
  /** Whether `work` may be called again after what it did was undone. */
  readonly repeatable: boolean;
  /** Does the work and answers how to tell of its success; rejects when it is to be undone. */
  work(turn: TurnWatch): Promise<Settle>;
  fail(error: unknown): void;
}

/** A place in the transaction to come back to. */
interface Mark {
  set(): void;
  keep(): void;
  undo(): Promise<void>;
}

export interface Batches {
  /** Throws unless a transaction is open. */
  assertUnderWay(): void;
  /** Takes what waits, and what comes meanwhile, through one `BEGIN IMMEDIATE … COMMIT`, and tells each its outcome. */
  run(queue: Job[]): Promise<void>;
}

/** The next caller, and those right behind it if all of them may run again. */
function takeNext(queue: Job[], room: number): Job[] {
  const other = queue.findIndex((job) => !job.repeatable);
  const crowd = other === -1 ? queue.length : other;
  return queue.splice(0, Math.min(room, Math.max(1, crowd)));
}

/**
 * Common transactions on the one connection that writes. Whoever fails in one is undone alone.
 * @param options.connection does not wait for locks by itself
 * @param options.committed called after every commit
 */
export function createBatches(options: {
  connection: Database;
  path: string;
  committed?: (() => void) | undefined;
}): Batches {
  const { connection, path, committed } = options;
  const begin = connection.prepare('begin immediate');
  const commit = connection.prepare('commit');
  const rollback = connection.prepare('rollback');
  const setSavepoint = connection.prepare('savepoint caller');
  const release = connection.prepare('release caller');
  const undoSavepoint = connection.prepare('rollback to caller');

  function assertUnderWay(): void {
    // A full or failing disk makes SQLite roll back by itself; what came next would be written on its own.
    if (!connection.inTransaction) throw new Error(`database ${path}: the transaction was rolled back`);
  }

  /** Begins when no other process writes. The thread goes on meanwhile: what only reads needs no lock. */
  async function open(): Promise<void> {
    for (let waited = 0; ; waited += BUSY_LOOK_MS) {
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || waited >= BUSY_MS) throw error;
      }
      await wait(BUSY_LOOK_MS);
    }
  }

  const savepoint: Mark = {
    set: () => setSavepoint.run(),
    keep: () => release.run(),
    async undo() {
      undoSavepoint.run();
      release.run();
    },
  };
  /** For whoever comes first. In a savepoint SQLite copies every page before it changes it: 8 µs for each mention. */
  const beginning: Mark = {
    set: assertUnderWay,
    keep: assertUnderWay,
    async undo() {
      rollback.run();
      await open();
    },
  };

  /** Runs callers that succeed together or leave nothing. Throws when SQLite rolled the whole batch back. */
  async function attempt(jobs: readonly Job[], { mark, turn }: { mark: Mark; turn: TurnWatch }) {
    mark.set();
    try {
      const outcomes: Settle[] = [];
      for (const job of jobs) outcomes.push(await job.work(turn));
      mark.keep();
      return { outcomes };
    } catch (error) {
      if (!connection.inTransaction) throw error;
      await mark.undo();
      return { error };
    }
  }

  /** Runs callers together, and one by one where that fails; adds the outcome of each. */
  async function settle(jobs: readonly Job[], { outcomes, turn }: { outcomes: Settle[]; turn: TurnWatch }) {
    const mark = outcomes.length === 0 ? beginning : savepoint;
    const result = await attempt(jobs, { mark, turn });
    if (result.outcomes !== undefined) outcomes.push(...result.outcomes);
    else if (jobs.length === 1) outcomes.push(...jobs.map((job) => () => job.fail(result.error)));
    else for (const job of jobs) await settle([job], { outcomes, turn });
  }

  function abandon(error: unknown): unknown {
    try {
      if (connection.inTransaction) rollback.run();
      return error;
    } catch (second) {
      return new AggregateError([error, second], `database ${path}: a failed transaction could not be rolled back`);
    }
  }

  async function run(queue: Job[]): Promise<void> {
    const taken: Job[] = [];
    const outcomes: Settle[] = [];
    let turn: TurnWatch | undefined;
    try {
      await open();
      turn = createAwaitGuard();
      while (queue.length > 0 && taken.length < MAX_BATCH) {
        const jobs = takeNext(queue, MAX_BATCH - taken.length);
        taken.push(...jobs);
        await settle(jobs, { outcomes, turn });
      }
      commit.run();
    } catch (error) {
      const failure = abandon(error);
      // Even a caller that had failed before saw what the others wrote, so its answer is as void as theirs.
      const lost = taken.length > 0 ? taken : queue.splice(0, MAX_BATCH);
      for (const job of lost) job.fail(failure);
      return;
    } finally {
      turn?.end();
    }
    for (const tell of outcomes) tell();
    committed?.();
  }

  return { assertUnderWay, run };
}
