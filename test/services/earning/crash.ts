import type { Store, StoreTx } from '../../../src/store/port/index.ts';

/** The end of a process, as its own code sees it. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** A store whose process dies at a transaction, counted from 1: nothing that it does afterwards reaches the store. */
export function crashing(
  store: Store,
  stop: { readonly at: number; readonly when: 'before' | 'after' } | null,
): Store & { transactions(): number } {
  let count = 0;
  let isDead = false;
  const dieIf = (isTime: boolean) => {
    if (isTime) isDead = true;
    if (isDead) throw new Crash('the process has ended');
  };
  return {
    ...store,
    transactions: () => count,
    async transaction<T>(run: (tx: StoreTx) => Promise<T>): Promise<T> {
      dieIf(false);
      count += 1;
      const isLast = count === stop?.at;
      const result = await store.transaction(async (tx) => {
        const value = await run(tx);
        dieIf(isLast && stop?.when === 'before');
        return value;
      });
      dieIf(isLast && stop?.when === 'after');
      return result;
    },
  };
}
