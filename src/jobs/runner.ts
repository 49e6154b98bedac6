import { type Log, summarizeError } from '../log.ts';

export interface Task {
  readonly name: string;
  /** How many runs may be under way at once. */
  readonly concurrency: number;
  /** The wait after a run that found nothing to do, in milliseconds; `wake` ends it early. */
  readonly intervalMs: number;
  /**
   * Does one piece of work. Returns true when there may be more, or the milliseconds until there may be, if sooner than
   * the interval. It may call `onLeased` once it holds its work, so that another run looks for more.
   */
  readonly run: (onLeased: () => void) => Promise<boolean | number>;
}

/** Runs tasks until it is stopped. */
export interface Runner {
  start(): void;
  /** Ends the wait of one of the task's loops, because there is work. */
  wake(name: string): void;
  /** Starts no more runs and resolves when the current ones have ended. */
  stop(): Promise<void>;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 60_000;

/** A wait that can be ended early. `wait` takes the count seen before, so a notification in between is not lost. */
function createSignal() {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    count: () => count,
    /** Ends one wait only: a loop without work costs a transaction, and a loop that finds work notifies the next. */
    notify: () => {
      count += 1;
      const [first] = waiting;
      first?.();
    },
    notifyAll: () => {
      count += 1;
      for (const wakeUp of waiting) wakeUp();
    },
    wait: (ms: number, seen: number) =>
      new Promise<void>((resolve) => {
        const wakeUp = () => {
          clearTimeout(timer);
          waiting.delete(wakeUp);
          resolve();
        };
        const timer = setTimeout(wakeUp, count === seen ? ms : 0);
        waiting.add(wakeUp);
      }),
  };
}

/** A {@link Runner} of the given tasks. A run that throws is logged and repeated after a growing pause. */
export function createRunner(options: { tasks: readonly Task[]; log: Log }): Runner {
  const signals = new Map(options.tasks.map((task) => [task.name, createSignal()]));
  // Only a stop ends the pause after a failure: new work would fail the same way.
  const end = createSignal();
  let stopping = false;
  let loops: Promise<void>[] = [];

  async function loop(task: Task): Promise<void> {
    const signal = signals.get(task.name);
    let failures = 0;
    while (!stopping && signal !== undefined) {
      const seen = signal.count();
      try {
        const more = await task.run(signal.notify);
        failures = 0;
        const waitMs = typeof more === 'number' ? Math.min(more, task.intervalMs) : task.intervalMs;
        if (!stopping && more !== true) await signal.wait(waitMs, seen);
      } catch (error) {
        const wait = Math.min(FIRST_BACKOFF_MS * 2 ** failures, LONGEST_BACKOFF_MS);
        failures = Math.min(failures + 1, 20);
        options.log.error({ task: task.name, waitMs: wait, error: summarizeError(error) }, 'task failed');
        if (!stopping) await end.wait(wait, end.count());
      }
    }
  }

  return {
    start: () => {
      loops = options.tasks.flatMap((task) => Array.from({ length: task.concurrency }, () => loop(task)));
    },
    wake: (name) => signals.get(name)?.notify(),
    stop: async () => {
      stopping = true;
      for (const signal of [...signals.values(), end]) signal.notifyAll();
      await Promise.all(loops);
    },
  };
}
