import type { WrapStore } from './database.ts';

/** Counts the transactions of the stores that it wraps. */
export function countTransactions(): { wrap: WrapStore; count: () => number } {
  let count = 0;
  return {
    wrap: (store) => ({
      ...store,
      transaction: (run, options) => {
        count += 1;
        return store.transaction(run, options);
      },
    }),
    count: () => count,
  };
}
