/**
 * Shares one request among all callers within `ms` of its start. A request that fails is repeated for the next caller.
 */
export function shareFor<T>(ask: () => Promise<T>, { ms, clock }: { ms: number; clock: () => number }) {
  let shared: { readonly askedAt: number; readonly answer: Promise<T> } | null = null;
  return (): Promise<T> => {
    const now = clock();
    // A clock that was set back must not keep an answer for longer.
    const isFresh = shared !== null && now >= shared.askedAt && now - shared.askedAt < ms;
    if (shared !== null && isFresh) return shared.answer;
    const asked = { askedAt: now, answer: ask() };
    shared = asked;
    asked.answer.catch(() => {
      if (shared === asked) shared = null;
    });
    return asked.answer;
  };
}
