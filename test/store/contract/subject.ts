import { afterEach, beforeEach } from 'vitest';
import type { StoreOptions } from '../../../src/store/open.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { writesOf } from '../../support/writes.ts';

/** A store under test, on storage of its own. */
export interface OpenedStore {
  readonly store: Store;
  /** Opens the same storage once more, through connections of its own. */
  openAgain(options?: Pick<StoreOptions, 'floors'>): Promise<Store>;
  /** Closes everything that was opened and removes the storage. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** The store of the test that runs now; what is taken from it before stands for that of each test. */
export interface Subject extends Pick<OpenedStore, 'store' | 'openAgain'> {
  /** Runs a transaction. */
  readonly change: <T>(run: (tx: StoreTx) => Promise<T>) => Promise<T>;
  /** `write.lockGig(…)` is a transaction of this one call. */
  readonly write: StoreTx;
}

/** Gives every test a new store and closes it afterwards. */
export function useStore(open: OpenStore): Subject {
  let opened: OpenedStore | undefined;
  const current = () => {
    if (opened === undefined) throw new Error('no test runs now');
    return opened;
  };
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await current().close();
    opened = undefined;
  });
  const store = new Proxy({} as Store, { get: (_, name: keyof Store) => current().store[name] });
  return {
    store,
    openAgain: (options) => current().openAgain(options),
    change: (run) => store.transaction(run),
    write: writesOf(store),
  };
}
