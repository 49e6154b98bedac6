/** Lets calls in until it is closed. */
export interface Gate {
  /** Runs a call; its errors are explained. @throws Error when the gate is closed */
  pass<T>(call: () => Promise<T>, explain: (error: unknown) => unknown): Promise<T>;
  /** Lets no call in any more, and runs `end` when none is under way. Closing it again waits for the same. */
  close(end: () => Promise<void>): Promise<void>;
}

export function createGate(database: string): Gate {
  let closed = false;
  let underWay = 0;
  let ended: Promise<void> | null = null;
  const { promise: empty, resolve: setEmpty } = Promise.withResolvers<void>();
  return {
    async pass(call, explain) {
      if (closed) throw new Error(`database ${database}: it is closed`);
      underWay += 1;
      try {
        return await call();
      } catch (error) {
        throw explain(error);
      } finally {
        underWay -= 1;
        if (closed && underWay === 0) setEmpty();
      }
    },
    close(end) {
      closed = true;
      if (underWay === 0) setEmpty();
      ended ??= empty.then(end);
      return ended;
    },
  };
}
