import type { StoreReads, StoreTx } from '../port/index.ts';
import { explainFault } from './errors.ts';

/** The port's methods in synchronous form, as better-sqlite3 works. */
export type Sync<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never;
};

export type SyncReads = Sync<StoreReads>;
export type SyncWrites = Sync<Omit<StoreTx, keyof StoreReads>>;

type Method = (...args: unknown[]) => unknown;

/** Calls a method; faults of the database at `path` are explained with its path. */
function run(path: string, method: Method, args: unknown[]): unknown {
  try {
    return method(...args);
  } catch (error) {
    throw explainFault(error, path);
  }
}

/** Makes methods async. Each call runs `guard` first, and errors of either become rejections. */
export function createAsync<T extends object>(methods: Sync<T>, path: string, guard: () => void): T {
  const entries = Object.entries<Method>(methods).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      guard();
      return run(path, method, args);
    },
  ]);
  // TypeScript does not track entries; names and arguments are those of `methods`.
  return Object.fromEntries(entries) as T;
}

const GUARD = Symbol('guard');

/**
 * As {@link createAsync}, for many guards: each object inherits the methods from one prototype, which avoids a hundred
 * closures for each transaction.
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
  // TypeScript does not track the prototype either.
  return (guard) => Object.assign(Object.create(shared), { [GUARD]: guard }) as T;
}
