import type { Store, StoreTx } from '../../src/store/port/index.ts';

/** A store, and ways to change it. */
export interface CurrentStore {
  readonly store: Store;
  /** Runs a transaction. */
  readonly change: <T>(run: (tx: StoreTx) => Promise<T>) => Promise<T>;
  /** `write.lockGig(…)` is a transaction of this one call. */
  readonly write: StoreTx;
}

/** The store of the test that runs now: it can be named before any test has opened one. */
export function currentStore(find: () => Store): CurrentStore {
  const write =
    (name: keyof StoreTx) =>
    (...args: readonly unknown[]) =>
      find().transaction((tx) => Reflect.apply(tx[name], tx, args));
  return {
    store: new Proxy({} as Store, { get: (_, name: keyof Store) => find()[name] }),
    change: (run) => find().transaction(run),
    write: new Proxy({} as StoreTx, { get: (_, name: keyof StoreTx) => write(name) }),
  };
}
