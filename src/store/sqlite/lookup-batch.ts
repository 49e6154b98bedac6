import type { Database } from 'better-sqlite3';
import { explainFault } from './errors.ts';

interface Lookup<Q, R> extends PromiseWithResolvers<R> {
  readonly query: Q;
}

/**
 * Collects the look-ups that are asked for at once and runs them in one read transaction: opening and closing a snapshot
 * costs more than the look-up itself. They run before the event loop turns again. A look-up that fails fails alone.
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
