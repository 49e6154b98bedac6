import type { Store } from '../../src/store/port/index.ts';

/** A store with these methods alone; what asks for another fails, and names it. */
export function partStore(methods: Partial<Store>): Store {
  const known: Record<PropertyKey, unknown> = { ...methods };
  return new Proxy(methods as Store, {
    get(_, name) {
      if (!(name in known)) throw new TypeError(`this store has no ${String(name)}`);
      return known[name];
    },
  });
}
