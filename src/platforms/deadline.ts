import { limitTime } from '../time-limit.ts';

/** How long a platform may take for one answer, in milliseconds. Neither SDK has a limit of its own. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Gives up on `work` after `ms`, when its signal fires as well. The SDKs' own timeouts watch only for a silent socket: an
 * answer that trickles, or a connection that ends where they do not look, would hold a call for ever.
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
