import { clearImmediate, setImmediate } from 'node:timers';
import type { Database } from 'better-sqlite3';
import { explainFault } from './faults.ts';

/** How many transactions share one commit at most, so that a crowd cannot keep the event loop from turning. */
const MAX_BATCH = 512;
/** How many turns of the event loop a crowd may gather for. */
const MAX_GATHERING_TURNS = 4;

/** Whether a transaction's methods may still be called; checked by each of them. */
export interface Span {
  assertOpen(): void;
}

export interface Writer<Tx> {
  /** Runs `run` in a savepoint of its own; settles once the commit it belongs to is on disk, or has failed. */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** Takes no more transactions; settles when those under way are done. */
  close(): Promise<void>;
}

interface Job {
  /** Does the caller's work and answers how to tell it of its success; rejects when the work is to be undone. */
  work(turn: ReturnType<typeof createTurnWatch>): Promise<() => void>;
  fail(error: unknown): void;
}

/** The results of what is started one after the other, unless one needs more than the rest of a turn of the event loop. */
function createTurnWatch() {
  let expire: ((error: Error) => void) | null = null;
  const onNextTurn = (): void => {
    watch = setImmediate(onNextTurn);
    expire?.(new TypeError('a transaction must await nothing but its tx'));
  };
  // Set first, so that it also comes before any immediate that what is started may wait for.
  let watch = setImmediate(onNextTurn);
  return {
    within: <T>(start: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        expire = reject;
        start().then(resolve, reject);
      }),
    end: () => clearImmediate(watch),
  };
}

/**
 * The queue before the one connection that writes. Whatever waits when it comes free runs in one
 * `BEGIN IMMEDIATE … COMMIT`, so that one write to the disk serves a crowd.
 * @param options.openTx makes what a caller gets; its methods must call `span.assertOpen()`
 */
export function createWriter<Tx>(options: {
  connection: Database;
  path: string;
  openTx: (span: Span) => Tx;
}): Writer<Tx> {
  const { connection, path, openTx } = options;
  const begin = connection.prepare('begin immediate');
  const commit = connection.prepare('commit');
  const rollback = connection.prepare('rollback');
  const mark = connection.prepare('savepoint caller');
  const keep = connection.prepare('release caller');
  const undo = connection.prepare('rollback to caller');
  const queue: Job[] = [];
  const idle: (() => void)[] = [];
  let busy = false;
  let closed = false;

  function openSpan(): Span & { end(): void } {
    let open = true;
    return {
      assertOpen() {
        if (!open) throw new TypeError('a transaction was used after its end');
        // A full or failing disk makes SQLite roll back by itself; what came next would be written on its own.
        if (!connection.inTransaction) throw new Error(`database ${path}: the transaction was rolled back`);
      },
      end() {
        open = false;
      },
    };
  }

  function createJob<T>(run: (tx: Tx) => Promise<T>, settle: PromiseWithResolvers<T>): Job {
    return {
      async work(turn) {
        const span = openSpan();
        try {
          const value = await turn.within(async () => await run(openTx(span)));
          return () => settle.resolve(value);
        } finally {
          span.end();
        }
      },
      fail: (error) => settle.reject(explainFault(error, path)),
    };
  }

  /** Runs one caller and answers how to tell it the outcome. Throws when SQLite rolled the whole batch back. */
  async function attempt(job: Job, turn: ReturnType<typeof createTurnWatch>): Promise<() => void> {
    mark.run();
    try {
      const succeed = await job.work(turn);
      keep.run();
      return succeed;
    } catch (error) {
      if (!connection.inTransaction) throw error;
      undo.run();
      keep.run();
      return () => job.fail(error);
    }
  }

  function abandon(error: unknown): unknown {
    try {
      if (connection.inTransaction) rollback.run();
      return error;
    } catch (second) {
      return new AggregateError([error, second], `database ${path}: a failed transaction could not be rolled back`);
    }
  }

  async function runBatch(): Promise<void> {
    const taken: Job[] = [];
    const outcomes: (() => void)[] = [];
    const turn = createTurnWatch();
    try {
      begin.run();
      while (taken.length < MAX_BATCH) {
        const job = queue.shift();
        if (job === undefined) break;
        taken.push(job);
        outcomes.push(await attempt(job, turn));
      }
      commit.run();
    } catch (error) {
      const failure = abandon(error);
      // Even a caller that had failed before saw what the others wrote, so its answer is as void as theirs.
      const lost = taken.length > 0 ? taken : queue.splice(0, MAX_BATCH);
      for (const job of lost) job.fail(failure);
      return;
    } finally {
      turn.end();
    }
    for (const tell of outcomes) tell();
  }

  /** Lets a crowd gather: while every turn of the event loop brings more callers, they are worth a common write. */
  function gather(seen: number, turns: number): void {
    if (queue.length > seen && turns < MAX_GATHERING_TURNS) setImmediate(gather, queue.length, turns + 1);
    else void drain();
  }

  async function drain(): Promise<void> {
    await runBatch();
    if (queue.length > 0) {
      setImmediate(gather, 1, 0);
      return;
    }
    busy = false;
    for (const wake of idle.splice(0)) wake();
  }

  return {
    transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Error(`database ${path}: it is closed`));
      const settle = Promise.withResolvers<T>();
      queue.push(createJob(run, settle));
      if (!busy) {
        busy = true;
        setImmediate(gather, 1, 0);
      }
      return settle.promise;
    },
    async close() {
      closed = true;
      if (busy) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}
