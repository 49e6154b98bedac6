import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { explainFault } from './faults.ts';

/**
 * Pages of the write-ahead log. `worthwhile` is when SQLite would copy them into the database by itself. Under load more are
 * committed while the thread copies, so the log never begins anew; from `long` on the few that are left are copied in the
 * thread that commits. At `longest` SQLite copies them all there, should the thread not keep up.
 */
const PAGES = { worthwhile: 1_000, long: 2_000, longest: 3_000 };
const IDLE_MS = 60_000;
/** Of the thread's JavaScript, in MB: next to nothing is kept there. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** How the log stands, in pages; what `PRAGMA wal_checkpoint` answers. */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

export interface CheckpointOptions {
  /** The file of `checkpoint-thread.ts`, or what it was bundled to. */
  readonly thread: string;
  /** Told once if the thread fails; SQLite does its work from then on. */
  readonly onFault: (error: unknown) => void;
}

export interface Checkpoints {
  /** To be called after every commit. */
  committed(): void;
  /** Settles when the thread has closed the file. */
  close(): Promise<void>;
}

/**
 * Copies the write-ahead log into the database in a thread that is there only while much is written: it starts with the
 * first thousand pages and ends a minute after the last.
 * @param options.connection the one that writes
 */
export function createCheckpoints(options: CheckpointOptions & { connection: Database; path: string }): Checkpoints {
  const { connection, path, thread, onFault } = options;
  // Answers how the log stands, and copies nothing: 3 µs.
  const look = connection.prepare<[], LogState>('pragma wal_checkpoint(noop)');
  const copy = connection.prepare('pragma wal_checkpoint(passive)');
  let worker: Worker | null = null;
  let state: 'ready' | 'asked' | 'failed' = 'ready';
  let idle: NodeJS.Timeout | undefined;
  connection.pragma(`wal_autocheckpoint = ${PAGES.longest}`);

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    if (ending === null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.postMessage('end');
    await ended;
  }

  function giveUp(error: unknown): void {
    state = 'failed';
    connection.pragma(`wal_autocheckpoint = ${PAGES.worthwhile}`);
    void end();
    onFault(explainFault(error, path));
  }

  function start(): Worker {
    const started = new Worker(thread, { workerData: { path }, resourceLimits: LIMITS });
    started.unref();
    started.on('message', take);
    started.on('error', (error) => {
      worker = null;
      giveUp(error);
    });
    return started;
  }

  function take({ log }: LogState): void {
    state = 'ready';
    idle = setTimeout(end, IDLE_MS);
    idle.unref();
    try {
      if (log >= PAGES.long) copy.run();
    } catch (error) {
      giveUp(error);
    }
  }

  function ask(): void {
    clearTimeout(idle);
    worker ??= start();
    worker.postMessage('checkpoint');
    state = 'asked';
  }

  return {
    committed() {
      if (state !== 'ready') return;
      try {
        const { log, checkpointed } = look.get() ?? { log: 0, checkpointed: 0 };
        if (log - checkpointed >= PAGES.worthwhile) ask();
      } catch (error) {
        giveUp(error);
      }
    },
    close: end,
  };
}
