import type { Store, StoreTx } from '../../src/store/port/index.ts';

/** `writesOf(store).lockGig(…)` is a transaction of this one call. */
export function writesOf(store: Pick<Store, 'transaction'>): StoreTx {
  return new Proxy({} as StoreTx, {
    get:
      (_, name: keyof StoreTx) =>
      (...args: readonly unknown[]) =>
        store.transaction((tx) => Reflect.apply(tx[name], tx, args)),
  });
}
