import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from './chance.ts';

/** What came of a stream of arrivals. */
export interface Offered {
  readonly arrivals: number;
  /** Those that found too much of their own stream under way and were turned away by their own side. */
  readonly shed: number;
  /** Settles when the last one is done. @throws AggregateError of whatever was thrown */
  settled(): Promise<void>;
}

/**
 * So many of one stream may be under way; more mean that the service or the whole machine has fallen behind. All streams
 * together must stay below the 511 connections that may wait for a server, or its clients wait for seconds.
 */
const MOST_UNDER_WAY = 64;

/**
 * Begins work as it arrives, whatever became of the work before: a Poisson stream of so many a second, until `until`,
 * epoch milliseconds.
 */
export async function offer(options: {
  perSecond: number;
  until: number;
  chance: Chance;
  work: () => Promise<unknown>;
}): Promise<Offered> {
  const { perSecond, until, chance, work } = options;
  const underway = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  function begin(): void {
    const begun = work()
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underway.delete(begun));
    underway.add(begun);
  }
  let due = Date.now() + chance.gap(perSecond);
  let arrivals = 0;
  let shed = 0;
  while (due < until) {
    if (due > Date.now()) {
      await wait(Math.max(1, due - Date.now()));
      continue;
    }
    arrivals += 1;
    if (underway.size < MOST_UNDER_WAY) begin();
    else shed += 1;
    due += chance.gap(perSecond);
  }
  return {
    arrivals,
    shed,
    settled: async () => {
      while (underway.size > 0) await Promise.all(underway);
      if (failures.length > 0) throw new AggregateError(failures, 'work of the soak failed');
    },
  };
}

/** How often a second so many workers, each of which begins anew as soon as it is done, get some work done. */
export async function measure(options: {
  workers: number;
  seconds: number;
  work: () => Promise<unknown>;
}): Promise<number> {
  const { workers, seconds, work } = options;
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return done / ((performance.now() - startedAt) / 1_000);
}
