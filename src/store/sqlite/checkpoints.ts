import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { CheckpointThreadData } from './checkpoint-thread.ts';
import { explainFault } from './errors.ts';
import { identify, loadedLibrary } from './native-binding.ts';

/**
 * Pages of the write-ahead log. `worthwhile` is when SQLite would copy them into the database by itself. Under load more are
 * committed while the thread copies, so the log never begins anew; from `long` on the few that are left are copied in the
 * thread that commits. At `longest` SQLite copies them all there, should the thread not keep up.
 */
const PAGES = { worthwhile: 1_000, long: 2_000, longest: 3_000 };
const IDLE_MS = 60_000;
/** After a fault, which may pass: a full disk. */
const RETRY_MS = 600_000;
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
  /** Told if the thread fails; SQLite does its work for the next ten minutes. */
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
  const library = loadedLibrary();
  const identities = { path: identify(path), library: identify(library) };
  const workerData: CheckpointThreadData = { path, library, identities };
  let worker: Worker | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  let state: 'ready' | 'asked' | 'failed' = 'ready';
  let later: NodeJS.Timeout | undefined;
  connection.pragma(`wal_autocheckpoint = ${PAGES.longest}`);

  function doLater(run: () => void, ms: number): void {
    clearTimeout(later);
    later = setTimeout(run, ms);
    later.unref();
  }

  function end(): void {
    worker?.postMessage('end');
    worker = null;
  }

  function recover(): void {
    state = 'ready';
    connection.pragma(`wal_autocheckpoint = ${PAGES.longest}`);
  }

  function giveUp(error: unknown): void {
    state = 'failed';
    end();
    connection.pragma(`wal_autocheckpoint = ${PAGES.worthwhile}`);
    doLater(recover, RETRY_MS);
    onFault(explainFault(error, path));
  }

  function start(): Worker {
    const started = new Worker(thread, { workerData, resourceLimits: LIMITS });
    ended = Promise.all([ended, new Promise((resolve) => started.once('exit', resolve))]);
    started.unref();
    started.on('message', take);
    started.on('error', (error) => {
      if (worker === started) worker = null;
      giveUp(error);
    });
    return started;
  }

  function take({ log }: LogState): void {
    if (state !== 'asked') return;
    state = 'ready';
    doLater(end, IDLE_MS);
    try {
      if (log >= PAGES.long) copy.run();
    } catch (error) {
      giveUp(error);
    }
  }

  function ask(): void {
    clearTimeout(later);
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
    async close() {
      end();
      await ended;
      // Only now: a thread that fails while it ends has something to be done later, too.
      clearTimeout(later);
    },
  };
}
