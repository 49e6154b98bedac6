import type { Sender } from '../../store/port/index.ts';
import type { Progress } from './advance-wallet.ts';

/** When a wallet is polled next. */
export interface PollBackoff {
  /** Epoch milliseconds; in the past when it is due. */
  nextPollAt(sender: Sender): number;
  record(sender: Sender, progress: Progress): void;
}

/** A fast chain includes a transaction within this time; until then the wait doubles. */
const EAGER_MS = 800;
const FIRST_WAIT_MS = 50;
const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** After that, each wait is this part of the time waited so far, so that a change is noticed soon after it happens. */
const PART = 1 / 5;

function nextWait(waitedMs: number): number {
  if (waitedMs < EAGER_MS) return Math.max(waitedMs, FIRST_WAIT_MS);
  return Math.min(Math.max(waitedMs * PART, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
}

/**
 * Polls a waiting wallet less and less often: after 50, 50, 100, 200 and 400 ms, up to every 15 seconds, so that a slow
 * chain or an empty gas tank costs few requests. A wallet that moves is polled again at once; kept in memory.
 */
export function createPollBackoff({ clock }: { clock: () => number }): PollBackoff {
  const waits = new Map<string, { since: number; at: number; until: number }>();
  const keyOf = ({ chainId, sender }: Sender) => `${chainId} ${sender}`;
  return {
    nextPollAt: (sender) => {
      const wait = waits.get(keyOf(sender));
      // After the clock was set back, a wait would last too long.
      return wait === undefined || clock() < wait.at ? 0 : wait.until;
    },
    record: (sender, progress) => {
      const key = keyOf(sender);
      if (progress !== 'waiting') {
        waits.delete(key);
        return;
      }
      const now = clock();
      const since = Math.min(waits.get(key)?.since ?? now, now);
      waits.set(key, { since, at: now, until: now + nextWait(now - since) });
    },
  };
}
