import { expect, onTestFinished, test, vi } from 'vitest';
import { createRunner, type Task } from '../../src/jobs/runner.ts';
import { keepLog } from '../services/fakes.ts';

const HOUR = 3_600_000;

/** A task whose every run waits until the test lets it end. */
function stepped({ name = 'work', lanes = 1, intervalMs = HOUR } = {}) {
  const running: PromiseWithResolvers<boolean | number>[] = [];
  const watchers = new Set<() => void>();
  let starts = 0;
  let latestTook: (() => void) | undefined;
  let most = 0;
  const task: Task = {
    name,
    concurrency: lanes,
    intervalMs,
    run: (took) => {
      const run = Promise.withResolvers<boolean | number>();
      running.push(run);
      latestTook = took;
      starts += 1;
      most = Math.max(most, running.length);
      for (const watcher of watchers) watcher();
      return run.promise;
    },
  };
  return {
    task,
    starts: () => starts,
    most: () => most,
    /** Resolves once that many runs were started in all. */
    started: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (starts >= count) resolve();
        };
        watchers.add(look);
        look();
      }),
    /** What the latest run calls when it holds its work. */
    took: () => latestTook?.(),
    end: (more: boolean | number) => running.shift()?.resolve(more),
    endAll: () => {
      for (const run of running.splice(0)) run.resolve(false);
    },
    fail: (error: unknown) => running.shift()?.reject(error),
  };
}

type Stepped = ReturnType<typeof stepped>;

/** A runner of tasks, which is started, and what it logs; at the end of the test it is stopped and all runs end. */
function start(...works: readonly Pick<Stepped, 'task' | 'endAll'>[]) {
  const { log, lines } = keepLog();
  const runner = createRunner({ tasks: works.map(({ task }) => task), log });
  runner.start();
  onTestFinished(async () => {
    const stopped = runner.stop();
    for (const { endAll } of works) endAll();
    await stopped;
  });
  return { runner, lines };
}

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets everything happen that can happen without time passing. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('behavior: nothing runs before the start', async () => {
  const work = stepped();
  const runner = createRunner({ tasks: [work.task], log: keepLog().log });
  await settle();
  expect(work.starts()).toBe(0);
  await runner.stop();
  expect(work.starts()).toBe(0);
});

test('behavior: one lane runs one at a time, again at once while there is more', async () => {
  const work = stepped();
  start(work);
  for (let run = 1; run <= 5; run += 1) {
    await work.started(run);
    await settle();
    expect(work.starts()).toBe(run);
    work.end(true);
  }
  await work.started(6);
  expect(work.most()).toBe(1);
});

test('behavior: lanes and tasks run side by side', async () => {
  const wide = stepped({ name: 'wide', lanes: 3 });
  const other = stepped({ name: 'other' });
  start(wide, other);
  await Promise.all([wide.started(3), other.started(1)]);
  await settle();
  expect(wide.starts()).toBe(3);
  expect(wide.most()).toBe(3);
});

test('behavior: a run that found nothing waits, and a wake ends the wait of its own task only', async () => {
  const work = stepped({ name: 'work' });
  const other = stepped({ name: 'other' });
  const { runner } = start(work, other);
  await Promise.all([work.started(1), other.started(1)]);
  work.end(false);
  other.end(false);
  await settle();
  expect(work.starts()).toBe(1);
  runner.wake('work');
  await work.started(2);
  await settle();
  expect(other.starts()).toBe(1);
  runner.wake('nobody');
});

test('behavior: a run that says when there may be more is run again then, or after the interval if that is sooner', async () => {
  fakeTime();
  const work = stepped();
  start(work);
  let run = 1;
  for (const [says, waits] of [
    [50, 50],
    [Number.POSITIVE_INFINITY, HOUR],
  ] as const) {
    await work.started(run);
    work.end(says);
    await settle();
    await vi.advanceTimersByTimeAsync(waits - 1);
    expect(work.starts()).toBe(run);
    await vi.advanceTimersByTimeAsync(1);
    run += 1;
    expect(work.starts()).toBe(run);
  }
});

test('behavior: a wake during a run is not lost', async () => {
  const work = stepped();
  const { runner } = start(work);
  await work.started(1);
  runner.wake('work');
  work.end(false);
  await work.started(2);
  work.end(false);
  await settle();
  expect(work.starts()).toBe(2);
});

test('behavior: a wake reaches one waiting lane, and each that holds work wakes the next', async () => {
  const work = stepped({ lanes: 4 });
  const { runner } = start(work);
  await work.started(4);
  work.endAll();
  await settle();
  runner.wake('work');
  await settle();
  expect(work.starts()).toBe(5);
  for (const starts of [6, 7, 8]) {
    work.took();
    await settle();
    expect(work.starts()).toBe(starts);
  }
});

test('behavior: as many wakes as lanes wake all of them', async () => {
  const work = stepped({ lanes: 3 });
  const { runner } = start(work);
  await work.started(3);
  work.endAll();
  await settle();
  for (let lane = 0; lane < 3; lane += 1) runner.wake('work');
  await work.started(6);
});

test('error: a run that throws is logged and backed off from, longer each time, and never given up', async () => {
  fakeTime();
  const work = stepped();
  const { runner, lines } = start(work);
  for (let run = 1; run <= 9; run += 1) {
    await work.started(run);
    work.fail(new Error(`failure ${run}`));
    await settle();
    runner.wake('work');
    await settle();
    expect(work.starts(), 'work that comes in does not cut the pause short').toBe(run);
    await vi.advanceTimersByTimeAsync(60_000);
  }
  await work.started(10);
  expect(lines.map(({ waitMs }) => waitMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(lines[0]).toMatchObject({ level: 'error', task: 'work', msg: 'task failed', error: { message: 'failure 1' } });
});

test('error: tasks that fail together pause side by side', async () => {
  fakeTime();
  const several = Array.from({ length: 3 }, (_, index) => stepped({ name: `work ${index}` }));
  start(...several);
  for (const { fail } of several) fail(new Error('the store is away'));
  await settle();
  await vi.advanceTimersByTimeAsync(500);
  expect(several.map(({ starts }) => starts())).toEqual([2, 2, 2]);
});

test('behavior: waits of a second and more end together, none later than it is long and none a second earlier', async () => {
  fakeTime();
  const waits = [1_000, 1_400, 2_000, 5_700];
  const several = waits.map((intervalMs) => stepped({ name: `every ${intervalMs}`, intervalMs }));
  start(...several);
  const begun = new Map<string, number>();
  const moments = new Set<number>();
  for (let ms = 0; ms < 30_000; ms += 100) {
    for (const { task, starts, end } of several) {
      const key = `${task.name} ${starts()}`;
      const now = performance.now();
      if (!begun.has(key)) {
        begun.set(key, now);
        const before = begun.get(`${task.name} ${starts() - 1}`);
        if (before !== undefined) {
          moments.add(now);
          expect(now - before, key).toBeLessThanOrEqual(task.intervalMs);
          expect(now - before, key).toBeGreaterThan(task.intervalMs - 1_000);
        }
        end(false);
      }
    }
    await settle();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(moments.size).toBeLessThanOrEqual(30);
  expect(begun.size).toBeGreaterThan(60);
});

test('error: a run that succeeds ends the backing off', async () => {
  fakeTime();
  const work = stepped();
  const { lines } = start(work);
  await work.started(1);
  work.fail(new Error('one'));
  await settle();
  await vi.advanceTimersByTimeAsync(500);
  await work.started(2);
  work.end(true);
  await work.started(3);
  work.fail('two');
  await settle();
  expect(lines.map(({ waitMs }) => waitMs)).toEqual([500, 500]);
});

test('error: a task that throws before it waits for anything is backed off from as well', async () => {
  const run = () => {
    throw new Error('at once');
  };
  const work = stepped();
  const { lines } = start({ ...work, task: { ...work.task, run } });
  await settle();
  expect(lines[0]).toMatchObject({ waitMs: 500, error: { message: 'at once' } });
  expect(lines.length).toBeLessThan(5);
});

test('behavior: stopping waits for what is under way and starts nothing more', async () => {
  const work = stepped({ lanes: 2 });
  const { runner } = start(work);
  await work.started(2);
  let stopped = false;
  const stopping = runner.stop().then(() => {
    stopped = true;
  });
  work.end(true);
  await settle();
  expect(stopped).toBe(false);
  work.end(true);
  await stopping;
  runner.wake('work');
  await settle();
  expect(work.starts()).toBe(2);
});

test('behavior: what may go on without its lane holds it for a moment, is waited for at the stop, and its failure is logged', async () => {
  fakeTime();
  const [short, long] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [short.promise, long.promise];
  let runs = 0;
  const run: Task['run'] = async (_onLeased, goOn) => {
    runs += 1;
    const next = works.shift();
    if (next === undefined) return false;
    await goOn(next);
    return true;
  };
  const work = stepped();
  const { runner, lines } = start({ ...work, task: { ...work.task, run } });
  await settle();
  expect(runs).toBe(1);
  short.resolve();
  await settle();
  expect(runs, 'it has ended').toBe(2);
  await vi.advanceTimersByTimeAsync(99);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs, 'it lasts').toBe(3);
  let isStopped = false;
  const stopping = runner.stop().then(() => {
    isStopped = true;
  });
  await settle();
  expect(isStopped).toBe(false);
  long.reject(new Error('no luck'));
  await stopping;
  expect(lines).toMatchObject([{ level: 'error', task: 'work', msg: 'task failed', error: { message: 'no luck' } }]);
});

test('behavior: stopping ends every wait, also the one after an error', async () => {
  const idle = stepped({ name: 'idle' });
  const broken: Task = { ...idle.task, name: 'broken', run: () => Promise.reject(new Error('x')) };
  const { runner, lines } = start(idle, { ...idle, task: broken });
  await idle.started(1);
  idle.end(false);
  await settle();
  expect(lines.length).toBeGreaterThan(0);
  await runner.stop();
  expect(idle.starts()).toBe(1);
});
