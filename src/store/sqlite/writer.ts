import { setImmediate } from 'node:timers';
import { type BatchOptions, createBatches, type Job, type Settle } from './batch.ts';
import { explainFault } from './errors.ts';

const MAX_GATHERING_TURNS = 4;

type RunMethod = <T>(method: () => Promise<T>) => Promise<T>;

/** How a transaction's object calls its methods: one after another, and none after its end. */
export interface Span {
  readonly run: RunMethod;
}

export interface Writer<Tx> {
  /**
   * Settles once the commit of `run` is on disk, or has failed. Those who wait together are rolled back together when one
   * fails, and run once more one by one, so that a failed caller is rolled back alone.
   * @param options.patienceMs how long it may wait for another transaction, so that both share a commit. Two that
   * may wait do not wait for a third: with nothing else to write, a full queue would stand still until their time is over.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, options?: { readonly patienceMs?: number }): Promise<T>;
  /** Lets the event loop turn within the transaction that runs. */
  rest(): Promise<void>;
  /** Takes no more transactions; settles when the running ones are done. */
  close(): Promise<void>;
}

interface WriterOptions<Tx> extends BatchOptions {
  readonly openTx: (span: Span) => Tx;
}

/** The methods of one transaction. `assertUnderWay` throws unless it is open. */
function openSpan(assertUnderWay: () => void) {
  let open = true;
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | null = null;
  const run: RunMethod = (method) => {
    const result = last.then(() => {
      if (!open) throw new TypeError('a transaction was used after its end');
      assertUnderWay();
      return method();
    });
    last = result.catch((error) => {
      failure ??= { error };
    });
    return result;
  };
  return {
    run,
    /** Settles when no method is under way. */
    async settled() {
      await last;
    },
    /** A method that failed may have made half of its changes, even if its caller went on. */
    assertWhole() {
      if (failure !== null) throw failure.error;
    },
    end() {
      open = false;
    },
  };
}

function createJob<T>(
  run: (span: Span) => Promise<T>,
  settle: PromiseWithResolvers<T>,
  { path, assertUnderWay }: { path: string; assertUnderWay: () => void },
): Job {
  return {
    async work(turn) {
      const span = openSpan(assertUnderWay);
      const runToEnd = async (): Promise<Settle> => {
        try {
          const value = await run(span);
          return () => settle.resolve(value);
        } finally {
          await span.settled();
        }
      };
      try {
        const told = await turn.within(runToEnd);
        span.assertWhole();
        return told;
      } finally {
        span.end();
      }
    },
    fail: (error) => settle.reject(explainFault(error, path)),
  };
}

/**
 * The queue of the writing connection. All waiting callers run in one `BEGIN IMMEDIATE … COMMIT`. The next ones may run
 * while those wait for the outcome.
 * @param options.beforeTelling called right after every commit; its callers hear of it when it settles
 * @param options.committed called right after every commit
 * @param options.rolledBack called after every rollback of the whole transaction
 * @param options.openTx makes the object that a caller gets; it runs its methods by `span.run`
 */
export function createWriter<Tx>(options: WriterOptions<Tx>): Writer<Tx> {
  const { path, openTx } = options;
  const batches = createBatches(options);
  const { assertUnderWay } = batches;
  const queue: Job[] = [];
  const idle: (() => void)[] = [];
  /** Ends the patience of what waits while there is nothing else. */
  let patience: NodeJS.Timeout | undefined;
  let busy = false;
  let closed = false;

  /** Waits while every event-loop turn brings more callers, so that they share one commit. */
  function gather(seen: number, turns: number): void {
    if (queue.length > seen && turns < MAX_GATHERING_TURNS) setImmediate(gather, queue.length, turns + 1);
    else void drain();
  }

  async function drain(): Promise<void> {
    await batches.run(queue);
    if (queue.length > 0) {
      setImmediate(gather, 1, 0);
      return;
    }
    busy = false;
    for (const wake of idle.splice(0)) wake();
  }

  function begin(): void {
    clearTimeout(patience);
    patience = undefined;
    if (busy || queue.length === 0) return;
    busy = true;
    setImmediate(gather, queue.length, 0);
  }

  return {
    transaction<T>(run: (tx: Tx) => Promise<T>, { patienceMs = 0 } = {}): Promise<T> {
      if (closed) return Promise.reject(new Error(`database ${path}: it is closed`));
      const settle = Promise.withResolvers<T>();
      queue.push(createJob((span) => run(openTx(span)), settle, { path, assertUnderWay }));
      if (patienceMs === 0 || queue.length > 1) begin();
      else if (!busy) patience ??= setTimeout(begin, patienceMs);
      return settle.promise;
    },
    rest: batches.rest,
    async close() {
      closed = true;
      begin();
      if (busy) await new Promise<void>((resolve) => idle.push(resolve));
      await batches.told();
    },
  };
}
