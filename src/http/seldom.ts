/** Makes what runs `run` when it is called, but only once in `everyMs`, so that callers cannot fill the log. */
export function atMostEvery(everyMs: number, { clock, run }: { clock: () => number; run: () => void }): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    // Either way: a clock that was set back must not silence it.
    if (Math.abs(now - last) < everyMs) return;
    last = now;
    run();
  };
}
