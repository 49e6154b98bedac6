/** Signals within this time are one signal, milliseconds: npm hands on what a terminal sends to all. */
const ONE_SIGNAL_MS = 1_000;

/** Waits for a signal that ends the sandbox. */
export interface Stopping {
  /** Resolves with the first signal. Before it is called, the first one ends the process at once. */
  asked(): Promise<void>;
}

/**
 * Has signals end this process in every moment of it with its `exit` handlers, which end all other processes: Node would run none.
 * A second signal, at least a second after the first, ends it at once.
 */
export function createStopping(): Stopping {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAwaited = false;
  let since: number | null = null;
  const onSignal = () => {
    if (since !== null && performance.now() - since < ONE_SIGNAL_MS) return;
    if (since !== null) process.exit(1);
    since = performance.now();
    if (!isAwaited) process.exit(0);
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    asked: () => {
      isAwaited = true;
      return promise;
    },
  };
}
