/** Returns a function that runs `run` at most once in `everyMs`, so that callers cannot flood the log. */
export function atMostEvery(everyMs: number, { clock, run }: { clock: () => number; run: () => void }): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    // The absolute difference: a clock that was set back must not silence it.
    if (Math.abs(now - last) < everyMs) return;
    last = now;
    run();
  };
}
