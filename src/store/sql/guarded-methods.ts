type Method = (...args: unknown[]) => Promise<unknown>;

/** Makes of an error of the engine one that names the database; gives other errors back as they are. */
export type Explain = (error: unknown) => unknown;

export interface MethodCall {
  readonly method: object;
  readonly args: readonly unknown[];
}

export type Run = <T>(method: () => Promise<T>, call: MethodCall) => Promise<T>;

async function call(explain: Explain, method: Method, args: unknown[]): Promise<unknown> {
  try {
    return await method(...args);
  } catch (error) {
    throw explain(error);
  }
}

/** The methods, each of which calls `enter` first; errors of either become rejections. */
export function guardMethods<T extends object>(
  methods: T,
  { explain, enter }: { explain: Explain; enter: () => void },
): T {
  const entries = Object.entries<Method>(methods as Record<string, Method>).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      enter();
      return await call(explain, method, args);
    },
  ]);
  // TypeScript does not track entries; names and arguments are those of `methods`.
  return Object.fromEntries(entries) as T;
}

/** The methods, each of which is called by `run`. */
export function runMethods<T extends object>(methods: T, run: Run): T {
  const entries = Object.entries<Method>(methods as Record<string, Method>).map(([name, method]) => [
    name,
    (...args: unknown[]) => run(() => method(...args), { method, args }),
  ]);
  // TypeScript does not track entries; names and arguments are those of `methods`.
  return Object.fromEntries(entries) as T;
}

const RUN = Symbol('run');

/**
 * The methods for many callers, each of which runs them in its own way: the objects inherit from one prototype, which
 * avoids a hundred closures for each transaction.
 */
export function shareMethods<T extends object>(methods: T, explain: Explain): (run: Run) => T {
  interface Shared {
    readonly [RUN]: Run;
  }
  const shared: Record<string, (this: Shared, ...args: unknown[]) => Promise<unknown>> = {};
  for (const [name, method] of Object.entries<Method>(methods as Record<string, Method>)) {
    shared[name] = function (...args) {
      return this[RUN](() => call(explain, method, args), { method, args });
    };
  }
  // TypeScript does not track the prototype either.
  return (run) => Object.assign(Object.create(shared), { [RUN]: run }) as T;
}
