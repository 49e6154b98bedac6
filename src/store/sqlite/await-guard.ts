import { clearImmediate, setImmediate } from 'node:timers';

export type TurnWatch = ReturnType<typeof createAwaitGuard>;

/** The results of what is started one after the other, unless one needs more than the rest of a turn of the event loop. */
export function createAwaitGuard() {
  let expire: ((error: Error) => void) | null = null;
  const onNextTurn = (): void => {
    watch = setImmediate(onNextTurn);
    expire?.(new TypeError('a transaction must await nothing but its tx'));
  };
  // Set first, so that it also comes before any immediate that what is started may wait for.
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
