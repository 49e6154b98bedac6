import type { JobContext } from '../context.ts';
import { NARROW } from '../narrow.ts';

/** Events that get their place in one transaction, and those that one transaction looks at for each endpoint. */
const TOGETHER = 100;
/** The release of a process that has died is taken over after so long, in milliseconds. */
const HELD_MS = 10_000;

export interface ReleaseContext extends JobContext {
  /** Names this process. */
  readonly holder: string;
  readonly wakeDeliveries: () => void;
}

/**
 * Gives committed events their places, and queues them for endpoints. One process at a time does so.
 * @returns whether there may be more
 */
export async function releaseEvents({ store, clock, holder, wakeDeliveries }: ReleaseContext): Promise<boolean> {
  // Without a transaction, because there is nothing most of the time.
  if (!(await store.isReleaseDue())) return false;
  const now = clock();
  const request = { holder, now, until: now + HELD_MS, limit: TOGETHER };
  const release = await store.transaction((tx) => tx.releaseEvents(request), NARROW);
  if (release === null) return false;
  if (release.queued > 0) wakeDeliveries();
  return release.isMore;
}
