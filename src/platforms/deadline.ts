import { limitTime } from '../time-limit.ts';

/** How long a platform may take for one answer, in milliseconds. Neither SDK has a limit of its own. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Rejects after `ms` and aborts the signal. The SDKs' own timeouts only detect a silent socket: a trickling answer, or
 * a connection that closes unnoticed, would block a call for ever.
 */
export async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using limit = limitTime(ms);
  const expired = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () =>
      reject(Object.assign(new Error(`no answer after ${ms} ms`), { code: 'DEADLINE' })),
    );
  });
  return await Promise.race([work(limit.signal), expired]);
}
