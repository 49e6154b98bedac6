/** A signal that fires when time is up. Disposing of it stops the clock. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Limits some work to `ms`, and to less when `outer` fires before. Unlike `AbortSignal.timeout` and `AbortSignal.any` it
 * leaves nothing behind when it is disposed of: those keep the work's memory until their time is up.
 */
export function limitTime(ms: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const expire = () => controller.abort();
  const timer = setTimeout(expire, ms);
  outer?.addEventListener('abort', expire);
  if (outer?.aborted === true) expire();
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', expire);
    },
  };
}
