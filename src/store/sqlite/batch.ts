import { clearImmediate, setImmediate } from 'node:timers';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import { isBusy } from './errors.ts';

/** The most callers that share one commit, so that a burst cannot block the event loop. */
const MAX_BATCH = 512;
/** A look-up is answered in about as many turns of the event loop, so that it waits for one piece of a long transaction, not for several. */
const TURNS_OF_REST = 4;
/** How long to wait for another process's write, and the polling interval, in milliseconds. */
const BUSY_MS = 5_000;
const BUSY_LOOK_MS = 10;

/** Runs async work in sequence and rejects work that does not settle before the event loop turns, unless it rests. */
function createAwaitGuard() {
  let expire: ((error: Error) => void) | null = null;
  let isResting = false;
  let hasRested = false;
  const onNextTurn = (): void => {
    watch = setImmediate(onNextTurn);
    if (!isResting) expire?.(new TypeError('a transaction must await nothing but its tx'));
  };
  // Set first, so that it fires before any immediate that the work awaits.
  let watch = setImmediate(onNextTurn);
  return {
    within: <T>(start: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        expire = reject;
        start().then(resolve, reject);
      }),
    async rest() {
      isResting = true;
      hasRested = true;
      for (let turn = 0; turn < TURNS_OF_REST; turn += 1) await nextTurn();
      isResting = false;
    },
    /** Whether the work so far has let the event loop turn. */
    hasRested: () => hasRested,
    end: () => clearImmediate(watch),
  };
}

type TurnWatch = ReturnType<typeof createAwaitGuard>;

export type Settle = () => void;

export interface Job {
  /** Does the work, again after a rollback, and returns how to report success; rejects when it must be rolled back. */
  work(turn: TurnWatch): Promise<Settle>;
  fail(error: unknown): void;
}

interface Mark {
  set(): void;
  keep(): void;
  undo(): Promise<void>;
}

export interface Batches {
  /** Throws unless a transaction is open. */
  assertUnderWay(): void;
  /**
   * Runs the queue, and callers that arrive meanwhile, in one `BEGIN IMMEDIATE … COMMIT`. When it settles the next batch may
   * run; callers are told when `beforeTelling` settles.
   */
  run(queue: Job[]): Promise<void>;
  /** Lets the event loop turn within the work that runs. Its commit takes no callers after it: each is long enough. */
  rest(): Promise<void>;
  /** Settles once the callers of all batches are told. */
  told(): Promise<void>;
}

/** What the transactions of a file share. */
export interface BatchOptions {
  readonly connection: Database;
  readonly path: string;
  readonly beforeTelling?: (() => Promise<void>) | undefined;
  readonly committed?: (() => void) | undefined;
  readonly rolledBack?: (() => void) | undefined;
}

/** Begins once no other process writes. It does not block the thread, so reads continue. */
async function openWhenFree(begin: Statement): Promise<void> {
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

/** The statements of a transaction on the writing connection, and the marks to which callers are rolled back. */
function createSteps({ connection, path, rolledBack }: BatchOptions) {
  const begin = connection.prepare('begin immediate');
  const commit = connection.prepare('commit');
  const rollback = connection.prepare('rollback');
  const setSavepoint = connection.prepare('savepoint caller');
  const release = connection.prepare('release caller');
  const undoSavepoint = connection.prepare('rollback to caller');
  const open = () => openWhenFree(begin);

  function assertUnderWay(): void {
    // SQLite rolls back by itself when the disk is full or fails; later statements would then commit on their own.
    if (!connection.inTransaction) throw new Error(`database ${path}: the transaction was rolled back`);
  }

  const savepoint: Mark = {
    set: () => setSavepoint.run(),
    keep: () => release.run(),
    async undo() {
      undoSavepoint.run();
      release.run();
    },
  };
  /** For the first callers: no savepoint, in which SQLite copies each page before a change (8 µs per mention). */
  const beginning: Mark = {
    set: assertUnderWay,
    keep: assertUnderWay,
    async undo() {
      rollback.run();
      rolledBack?.();
      await open();
    },
  };

  function abandon(error: unknown): unknown {
    try {
      if (connection.inTransaction) rollback.run();
      return error;
    } catch (second) {
      return new AggregateError([error, second], `database ${path}: a failed transaction could not be rolled back`);
    }
  }

  return { open, commit: () => commit.run(), abandon, assertUnderWay, savepoint, beginning };
}

/** Runs callers that succeed or fail together, up to one that rests. Throws when SQLite rolled the whole batch back. */
async function attempt(connection: Database, jobs: readonly Job[], { mark, turn }: { mark: Mark; turn: TurnWatch }) {
  mark.set();
  try {
    const outcomes: Settle[] = [];
    for (const job of jobs) {
      outcomes.push(await job.work(turn));
      if (turn.hasRested()) break;
    }
    mark.keep();
    return { outcomes };
  } catch (error) {
    if (!connection.inTransaction) throw error;
    await mark.undo();
    return { error };
  }
}

/**
 * Shared transactions on the writing connection. Those who wait together run behind one savepoint: if one fails, all of
 * them are rolled back and run once more, each behind its own, so each runs twice at most.
 * @param options.connection does not wait for locks by itself
 * @param options.beforeTelling called right after every commit; its callers hear of it when it settles
 * @param options.committed called right after every commit
 * @param options.rolledBack called after every rollback of the whole transaction
 */
export function createBatches(options: BatchOptions): Batches {
  const { connection, beforeTelling, committed, rolledBack } = options;
  const { open, commit, abandon, assertUnderWay, savepoint, beginning } = createSteps(options);
  let lastTold: Promise<unknown> = Promise.resolve();
  let underWay: TurnWatch | null = null;

  /** Runs callers together, then one by one if that fails; adds the outcome of each. */
  async function settle(jobs: readonly Job[], { outcomes, turn }: { outcomes: Settle[]; turn: TurnWatch }) {
    const mark = outcomes.length === 0 ? beginning : savepoint;
    const result = await attempt(connection, jobs, { mark, turn });
    if (result.outcomes !== undefined) outcomes.push(...result.outcomes);
    else if (jobs.length === 1) outcomes.push(...jobs.map((job) => () => job.fail(result.error)));
    else for (const job of jobs) await settle([job], { outcomes, turn });
  }

  async function run(queue: Job[]): Promise<void> {
    const taken: Job[] = [];
    const outcomes: Settle[] = [];
    let turn: TurnWatch | undefined;
    try {
      await open();
      turn = createAwaitGuard();
      underWay = turn;
      while (queue.length > 0 && taken.length < MAX_BATCH && !turn.hasRested()) {
        const jobs = queue.splice(0, MAX_BATCH - taken.length);
        taken.push(...jobs);
        await settle(jobs, { outcomes, turn });
        queue.unshift(...taken.splice(outcomes.length));
      }
      // Much was changed, so the commit takes long by itself.
      if (turn.hasRested()) await turn.rest();
      commit();
    } catch (error) {
      const failure = abandon(error);
      rolledBack?.();
      // Callers that had failed before saw the rolled-back writes, so their results are void as well.
      const lost = taken.length > 0 ? taken : queue.splice(0, MAX_BATCH);
      for (const job of lost) job.fail(failure);
      return;
    } finally {
      turn?.end();
      underWay = null;
    }
    committed?.();
    const telling = Promise.all([lastTold, beforeTelling?.()]);
    lastTold = telling.then(() => {
      for (const tell of outcomes) tell();
    });
  }

  return {
    assertUnderWay,
    run,
    async rest() {
      if (underWay === null) throw new TypeError('no transaction is under way');
      await underWay.rest();
    },
    async told() {
      await lastTold;
    },
  };
}
