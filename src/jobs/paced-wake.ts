/**
 * Makes of a call one that calls at most once in `ms` milliseconds: at once after a pause, else when the pause is over, once for
 * all that were made meanwhile.
 */
export function createPacedWake(wake: () => void, ms: number): () => void {
  let isPause = false;
  let isAsked = false;

  function call(): void {
    isPause = true;
    isAsked = false;
    // A process that has ended its work does not stay for it.
    setTimeout(() => {
      isPause = false;
      if (isAsked) call();
    }, ms).unref();
    wake();
  }

  return () => {
    if (isPause) isAsked = true;
    else call();
  };
}
