import type { Store } from '../../src/store/port/index.ts';

/** Undoes a transaction. */
class Undone extends Error {
  override readonly name = 'Undone';
}

/**
 * A store on which each transaction is undone once after it has run, and then runs again: as an engine does that has met a
 * conflict. What a `run` changes beside its `tx` shows as if it had happened twice.
 */
export function runTwice(store: Store): Store {
  return {
    ...store,
    async transaction(run, options) {
      const undone = store.transaction(async (tx) => {
        await run(tx);
        throw new Undone();
      }, options);
      await undone.catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
      return await store.transaction(run, options);
    },
  };
}
