import type { StoreReads, StoreTx } from '../port/index.ts';
import { explainFault } from './errors.ts';

/** The port's methods as SQLite has them: better-sqlite3 answers at once. */
export type Sync<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never;
};

export type SyncReads = Sync<StoreReads>;
export type SyncWrites = Sync<Omit<StoreTx, keyof StoreReads>>;

type Method = (...args: unknown[]) => unknown;

/** What a method answers; a fault of the database at `path` is told in our words. */
function run(path: string, method: Method, args: unknown[]): unknown {
  try {
    return method(...args);
  } catch (error) {
    throw explainFault(error, path);
  }
}

/** Makes methods async. Each call passes `guard` first, and what either throws becomes a rejection. */
export function createAsync<T extends object>(methods: Sync<T>, path: string, guard: () => void): T {
  const entries = Object.entries<Method>(methods).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      guard();
      return run(path, method, args);
    },
  ]);
  // The type system does not follow entries; names and arguments are those of `methods`.
  return Object.fromEntries(entries) as T;
}

const GUARD = Symbol('guard');

/**
 * As {@link createAsync}, again and again behind another guard: each time a new object that inherits the methods, so they
 * are called on it instead of a hundred closures for each transaction.
 */
export function createGuardedAsync<T extends object>(methods: Sync<T>, path: string): (guard: () => void) => T {
  interface Guarded {
    readonly [GUARD]: () => void;
  }
  const shared: Record<string, (this: Guarded, ...args: unknown[]) => Promise<unknown>> = {};
  for (const [name, method] of Object.entries<Method>(methods)) {
    shared[name] = async function (...args) {
      this[GUARD]();
      return run(path, method, args);
    };
  }
  // As above.
  return (guard) => Object.assign(Object.create(shared), { [GUARD]: guard }) as T;
}
