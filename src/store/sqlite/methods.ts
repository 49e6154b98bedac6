import type { StoreReads, StoreTx } from '../port.ts';
import { explainFault } from './faults.ts';

/** The port's methods as SQLite has them: better-sqlite3 answers at once. */
export type Sync<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never;
};

export type SyncReads = Sync<StoreReads>;
export type SyncWrites = Sync<Omit<StoreTx, keyof StoreReads>>;

/**
 * Makes methods async, as often as needed, each time behind another `guard`. Each call passes its guard first, and what
 * either throws becomes a rejection; a fault of the database at `path` is told in our words.
 */
export function createAsync<T extends object>(methods: Sync<T>, path: string): (guard: () => void) => T {
  const entries = Object.entries<(...args: unknown[]) => unknown>(methods);
  return (guard) => {
    const guarded: Record<string, (...args: unknown[]) => Promise<unknown>> = {};
    for (const [name, method] of entries) {
      guarded[name] = async (...args) => {
        guard();
        try {
          return method(...args);
        } catch (error) {
          throw explainFault(error, path);
        }
      };
    }
    // The type system does not follow a loop over entries; names and arguments are those of `methods`.
    return guarded as T;
  };
}
