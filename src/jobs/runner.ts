import { type Log, summarizeError } from '../log.ts';

/** Something done again and again in the background. */
export interface Task {
  readonly name: string;
  /** How many of its runs may be under way at once. */
  readonly concurrency: number;
  /** The wait after a run that found nothing to do, in milliseconds; `wake` ends it early. */
  readonly intervalMs: number;
  /**
   * Does one piece of work; true when there may be more, or after how many milliseconds there may be, if that is sooner
   * than the interval. It may call `took` as soon as it holds that work, so that the next lane looks whether there is more
   * meanwhile.
   */
  readonly run: (took: () => void) => Promise<boolean | number>;
}

/** Runs tasks until it is stopped. */
export interface Runner {
  start(): void;
  /** Ends the wait of one of a task's lanes, because there is work. */
  wake(name: string): void;
  /** Starts no more runs and resolves when those under way have ended. */
  stop(): Promise<void>;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 60_000;

/** A wait that can be ended early. A ring that comes before the wait is not lost: the wait names the count it saw. */
function createSignal() {
  let rings = 0;
  const waiting = new Set<() => void>();
  return {
    rings: () => rings,
    /** Ends one wait: every lane that looks in vain costs a transaction. Whoever finds something wakes the next. */
    ring: () => {
      rings += 1;
      const [first] = waiting;
      first?.();
    },
    ringAll: () => {
      rings += 1;
      for (const wakeUp of waiting) wakeUp();
    },
    wait: (ms: number, seen: number) =>
      new Promise<void>((resolve) => {
        const wakeUp = () => {
          clearTimeout(timer);
          waiting.delete(wakeUp);
          resolve();
        };
        const timer = setTimeout(wakeUp, rings === seen ? ms : 0);
        waiting.add(wakeUp);
      }),
  };
}

/** A {@link Runner} over the given tasks. A run that throws is logged and backed off from, never given up. */
export function createRunner(options: { tasks: readonly Task[]; log: Log }): Runner {
  const bells = new Map(options.tasks.map((task) => [task.name, createSignal()]));
  // After a failure only the end is worth waking up for: new work would fail the same way, without any pause.
  const end = createSignal();
  let stopping = false;
  let lanes: Promise<void>[] = [];

  async function lane(task: Task): Promise<void> {
    const bell = bells.get(task.name);
    let failures = 0;
    while (!stopping && bell !== undefined) {
      const seen = bell.rings();
      try {
        const more = await task.run(bell.ring);
        failures = 0;
        const waitMs = typeof more === 'number' ? Math.min(more, task.intervalMs) : task.intervalMs;
        if (!stopping && more !== true) await bell.wait(waitMs, seen);
      } catch (error) {
        const wait = Math.min(FIRST_BACKOFF_MS * 2 ** failures, LONGEST_BACKOFF_MS);
        failures = Math.min(failures + 1, 20);
        options.log.error({ task: task.name, waitMs: wait, error: summarizeError(error) }, 'task failed');
        if (!stopping) await end.wait(wait, end.rings());
      }
    }
  }

  return {
    start: () => {
      lanes = options.tasks.flatMap((task) => Array.from({ length: task.concurrency }, () => lane(task)));
    },
    wake: (name) => bells.get(name)?.ring(),
    stop: async () => {
      stopping = true;
      for (const bell of [...bells.values(), end]) bell.ringAll();
      await Promise.all(lanes);
    },
  };
}
