import { StoreAway } from '../domain/errors.ts';
import { type Log, summarizeError } from '../log.ts';
import { type Alarms, createAlarms } from './alarms.ts';

/**
 * Takes work that is left to itself when it lasts: resolves when it has ended, or after {@link PATIENCE_MS}. The runner waits for it
 * before it has stopped, and logs its failure.
 */
export type GoOn = (work: Promise<unknown>) => Promise<void>;

export interface Task {
  readonly name: string;
  /** How many runs may be under way at once. */
  readonly concurrency: number;
  /** The longest wait after a run that found nothing to do, in milliseconds; `wake` ends it early. */
  readonly intervalMs: number;
  /**
   * Does one piece of work. Returns true when there may be more, or the milliseconds until there may be, if sooner than
   * the interval. It may call `onLeased` once it holds its work, so that another run looks for more, and `goOn` with what goes on
   * when it has ended.
   */
  readonly run: (onLeased: () => void, goOn: GoOn) => Promise<boolean | number>;
}

/** A task that does all its work at once, in intervals. */
export function periodic(name: string, intervalMs: number, run: () => Promise<unknown>): Task {
  return {
    name,
    concurrency: 1,
    intervalMs,
    run: async () => {
      await run();
      return false;
    },
  };
}

export interface Runner {
  start(): void;
  /** Ends the wait of one of the task's loops, because there is work. */
  wake(name: string): void;
  /** Starts no more runs and resolves when the current ones have ended. */
  stop(): Promise<void>;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 60_000;
/** The longest pause while the store is away: all work waits for it, and goes on soon after it is back. */
const STORE_AWAY_MS = 2_000;
/** How long a lane waits for what may go on without it, so that work is not begun faster than it ends. */
const PATIENCE_MS = 100;

/**
 * A wait that can be ended early. `wait` takes the count seen before, so a notification in between is not lost. Of the lanes
 * that wait, only the first has an alarm, because one look for work is enough; the next one takes over from it.
 */
function createSignal({ set }: Alarms) {
  let count = 0;
  const waiting = new Map<() => void, number>();
  let giveUp = (): void => undefined;

  function timeFirst(): void {
    giveUp();
    for (const [wakeUp, ms] of waiting) {
      giveUp = set(wakeUp, ms);
      break;
    }
  }

  return {
    count: () => count,
    /** Ends one wait only: a loop without work looks in vain, and a loop that finds work notifies the next. */
    notify: () => {
      count += 1;
      const [first] = waiting.keys();
      first?.();
    },
    notifyAll: () => {
      count += 1;
      for (const wakeUp of [...waiting.keys()]) wakeUp();
    },
    wait: (ms: number, seen: number) =>
      new Promise<void>((resolve) => {
        if (count !== seen) {
          setTimeout(resolve, 0);
          return;
        }
        const wakeUp = () => {
          waiting.delete(wakeUp);
          timeFirst();
          resolve();
        };
        waiting.set(wakeUp, ms);
        if (waiting.size === 1) timeFirst();
      }),
  };
}

const setExactly: Alarms['set'] = (ring, ms) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** A {@link Runner} of the given tasks. A run that throws is logged and repeated after a growing pause. */
export function createRunner(options: { tasks: readonly Task[]; log: Log }): Runner {
  const alarms = createAlarms();
  const signals = new Map(options.tasks.map((task) => [task.name, createSignal(alarms)]));
  // Only a stop ends the pause after a failure: new work would fail the same way. Each lane has its own, as long as the log says.
  const pauses = new Set<ReturnType<typeof createSignal>>();
  const goingOn = new Set<Promise<unknown>>();
  let stopping = false;
  let loops: Promise<void>[] = [];

  async function goOn(task: string, work: Promise<unknown>): Promise<void> {
    const ended = work
      .catch((error: unknown) => options.log.error({ task, error: summarizeError(error) }, 'task failed'))
      .finally(() => goingOn.delete(ended));
    goingOn.add(ended);
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, PATIENCE_MS);
    await Promise.race([ended, patience.promise]);
    clearTimeout(timer);
  }

  async function loop(task: Task): Promise<void> {
    const signal = signals.get(task.name);
    const pause = createSignal({ set: setExactly });
    pauses.add(pause);
    let failures = 0;
    while (!stopping && signal !== undefined) {
      const seen = signal.count();
      try {
        const more = await task.run(signal.notify, (work) => goOn(task.name, work));
        failures = 0;
        const waitMs = typeof more === 'number' ? Math.min(more, task.intervalMs) : task.intervalMs;
        if (!stopping && more !== true) await signal.wait(waitMs, seen);
      } catch (error) {
        const longest = error instanceof StoreAway ? STORE_AWAY_MS : LONGEST_BACKOFF_MS;
        const wait = Math.min(FIRST_BACKOFF_MS * 2 ** failures, longest);
        failures = Math.min(failures + 1, 20);
        options.log.error({ task: task.name, waitMs: wait, error: summarizeError(error) }, 'task failed');
        if (!stopping) await pause.wait(wait, pause.count());
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
      for (const signal of [...signals.values(), ...pauses]) signal.notifyAll();
      await Promise.all(loops);
      await Promise.all(goingOn);
    },
  };
}
