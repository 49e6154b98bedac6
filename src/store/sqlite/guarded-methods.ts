import { explainFault } from './errors.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

/** Calls a method; faults of the database at `path` are explained with its path. */
async function call(path: string, method: Method, args: unknown[]): Promise<unknown> {
  try {
    return await method(...args);
  } catch (error) {
    throw explainFault(error, path);
  }
}

/** The methods, each of which calls `enter` first; errors of either become rejections. */
export function guardMethods<T extends object>(methods: T, { path, enter }: { path: string; enter: () => void }): T {
  const entries = Object.entries<Method>(methods as Record<string, Method>).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      enter();
      return await call(path, method, args);
    },
  ]);
  // TypeScript does not track entries; names and arguments are those of `methods`.
  return Object.fromEntries(entries) as T;
}

const RUN = Symbol('run');

/** How one transaction runs its methods. */
export type RunMethod = <T>(method: () => Promise<T>) => Promise<T>;

/**
 * The methods for many transactions, each of which runs them in its own way: the objects inherit from one prototype,
 * which avoids a hundred closures for each transaction.
 */
export function shareMethods<T extends object>(methods: T, path: string): (run: RunMethod) => T {
  interface Shared {
    readonly [RUN]: RunMethod;
  }
  const shared: Record<string, (this: Shared, ...args: unknown[]) => Promise<unknown>> = {};
  for (const [name, method] of Object.entries<Method>(methods as Record<string, Method>)) {
    shared[name] = function (...args) {
      return this[RUN](() => call(path, method, args));
    };
  }
  // TypeScript does not track the prototype either.
  return (run) => Object.assign(Object.create(shared), { [RUN]: run }) as T;
}
