import { afterEach, beforeEach } from 'vitest';
import type { StoreOptions } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { type CurrentStore, currentStore } from '../../support/current-store.ts';

/** A store under test, on storage of its own. */
export interface OpenedStore {
  readonly store: Store;
  /** Opens the same storage once more, through connections of its own. */
  openAgain(options?: Pick<StoreOptions, 'floors'>): Promise<Store>;
  /** Closes everything that was opened and removes the storage. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** The store of the test that runs now. */
export type Subject = CurrentStore & Pick<OpenedStore, 'openAgain'>;

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
  return { ...currentStore(() => current().store), openAgain: (options) => current().openAgain(options) };
}
