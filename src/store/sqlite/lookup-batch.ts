import type { Database } from 'better-sqlite3';
import { explainFault } from './errors.ts';

interface Lookup<Q, R> extends PromiseWithResolvers<R> {
  readonly query: Q;
}

/**
 * Runs the look-ups of one event-loop turn in one read transaction, because opening and closing a snapshot costs more
 * than a look-up. A failed look-up does not affect the others.
 */
export function createLookupBatch<Q, R>(
  connection: Database,
  options: { path: string; find: (query: Q) => R },
): (query: Q) => Promise<R> {
  const { path, find } = options;
  let waiting: Lookup<Q, R>[] = [];

  function answer({ query, resolve, reject }: Lookup<Q, R>): void {
    try {
      resolve(find(query));
    } catch (error) {
      reject(explainFault(error, path));
    }
  }

  const answerAll = connection.transaction((lookups: readonly Lookup<Q, R>[]) => {
    for (const lookup of lookups) answer(lookup);
  });

  function flush(): void {
    const lookups = waiting;
    waiting = [];
    try {
      answerAll(lookups);
    } catch (error) {
      for (const { reject } of lookups) reject(explainFault(error, path));
    }
  }

  return (query) => {
    const settle = Promise.withResolvers<R>();
    if (waiting.push({ query, ...settle }) === 1) queueMicrotask(flush);
    return settle.promise;
  };
}
