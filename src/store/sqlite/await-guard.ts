import { clearImmediate, setImmediate } from 'node:timers';

export type TurnWatch = ReturnType<typeof createAwaitGuard>;

/** Runs async work in sequence and rejects work that does not settle before the event loop turns. */
export function createAwaitGuard() {
  let expire: ((error: Error) => void) | null = null;
  const onNextTurn = (): void => {
    watch = setImmediate(onNextTurn);
    expire?.(new TypeError('a transaction must await nothing but its tx'));
  };
  // Set first, so that it fires before any immediate that the work awaits.
  let watch = setImmediate(onNextTurn);
  return {
    within: <T>(start: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        expire = reject;
        start().then(resolve, reject);
      }),
    end: () => clearImmediate(watch),
  };
}
