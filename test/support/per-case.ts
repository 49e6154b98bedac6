import { afterEach, beforeEach } from 'vitest';
import { openTestStore, type WrapStore } from './database.ts';

/** Stands for an object that is another one in each test. */
function standIn<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(current(), key),
    set: (_, key, value) => Reflect.set(current(), key, value),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(current(), key);
      // What a proxy tells of must not be fixed unless its own target has it.
      return found && { ...found, configurable: true };
    },
  });
}

const places = new WeakMap<object, { close(): Promise<void>; open(make: () => unknown): Promise<void> }>();

/** What each test of a file gets anew: it is made before the test, and closed after it where it can be closed. */
export function perCase<T extends object>(make: () => T | Promise<T>): T {
  let current: T | undefined;
  const place = {
    async open(by: () => unknown) {
      // `reopen` makes the same type.
      current = (await by()) as T;
    },
    async close() {
      const opened = current;
      current = undefined;
      const end: unknown = opened && Reflect.get(opened, 'close');
      if (typeof end === 'function') await end.call(opened);
    },
  };
  beforeEach(() => place.open(make));
  afterEach(place.close);
  const standing = standIn(() => {
    if (current === undefined) throw new Error('it is there in a case alone');
    return current;
  });
  places.set(standing, place);
  return standing;
}

/** Gives the running test another one of what `perCase` has made for it. */
export async function reopen<T extends object>(standing: T, make: () => T | Promise<T>): Promise<void> {
  const place = places.get(standing);
  if (place === undefined) throw new Error('perCase has not made it');
  await place.close();
  await place.open(make);
}

/** The parts of what `perCase` has made; each is that of the running test as well. */
export function partsOf<T extends Record<K, object>, K extends keyof T>(standing: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, standIn(() => standing[name])])) as Pick<T, K>;
}

/** A store in a database of its own for each test of a file. */
export function storePerCase(options: { clock?: () => number; wrap?: WrapStore } = {}) {
  return partsOf(
    perCase(() => openTestStore(options)),
    ['store', 'database'],
  );
}
