import type { Sender } from '../store/port.ts';

/** When a wallet is worth another look. */
export interface Pace {
  isDue(sender: Sender): boolean;
  /** A look at it changed something, or there was nothing to do but wait. */
  looked(sender: Sender, progress: 'moved' | 'waiting'): void;
}

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The next look comes after this part of the time waited so far, so that nothing is noticed much later than it happens. */
const PART = 1 / 5;

/**
 * Looks at a wallet that only waits less and less often, up to every 15 seconds, so that a slow chain or an empty gas
 * tank costs neither requests nor log lines; whatever moves is looked at again at once. It lives in memory.
 */
export function createPace({ clock }: { clock: () => number }): Pace {
  const waits = new Map<string, { since: number; until: number }>();
  const keyOf = ({ chainId, sender }: Sender) => `${chainId} ${sender}`;
  return {
    isDue: (sender) => (waits.get(keyOf(sender))?.until ?? 0) <= clock(),
    looked: (sender, progress) => {
      const key = keyOf(sender);
      if (progress === 'moved') {
        waits.delete(key);
        return;
      }
      const now = clock();
      const since = waits.get(key)?.since ?? now;
      const waitMs = Math.min(Math.max((now - since) * PART, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
      waits.set(key, { since, until: now + waitMs });
    },
  };
}
