import type { Store, StoreTx } from '../../store/port/index.ts';

/** The store of a process that delivers events: each commit with an event calls what releases them. */
export interface WakingStore extends Store {
  readonly isWaking: true;
}

/** The {@link WakingStore} over a store; `wake` is called after the commit. */
export function createWakingStore(store: Store, wake: () => void): WakingStore {
  const transaction: Store['transaction'] = async (run, options) => {
    let hasEvents = false;
    const result = await store.transaction((tx) => {
      hasEvents = false;
      const insertEvents: StoreTx['insertEvents'] = (events) => {
        hasEvents ||= events.length > 0;
        return tx.insertEvents(events);
      };
      // Its methods are called on it: it inherits what the transaction needs of itself.
      return run(Object.assign(Object.create(tx), { insertEvents }));
    }, options);
    if (hasEvents) wake();
    return result;
  };
  return { ...store, transaction, isWaking: true };
}
