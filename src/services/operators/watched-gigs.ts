import type { EarningState } from '../../domain/earning/earning.ts';
import { FAILURE_PAUSES, type GigWatch, isOverdue } from '../../domain/earning/watch.ts';
import { PLATFORMS } from '../../domain/platforms/platforms.ts';
import type { ReadContext, TimedReads } from '../context.ts';

/** More gigs than are watched at once. */
const MOST_WATCHES = 10_000;

async function findOpen({ store }: ReadContext): Promise<GigWatch[]> {
  const found = await Promise.all(PLATFORMS.map(({ id }) => store.openWatches(id, { limit: MOST_WATCHES })));
  return found.flat();
}

/** The gigs that are watched, and those of them that have had no successful step for a day, although one was due. */
export interface WatchedGigs {
  readonly watched: number;
  /** Their ids, newest first. */
  readonly overdue: readonly number[];
}

/** How the watched gigs stand. */
export async function findWatchedGigs({ store, clock }: TimedReads): Promise<WatchedGigs> {
  const open = await findOpen({ store });
  const now = clock();
  const overdue = open.filter((watch) => isOverdue(watch, { now, pauses: FAILURE_PAUSES }));
  return { watched: open.length, overdue: overdue.map(({ gigId }) => gigId) };
}

/** How many accounts of the gigs that are watched now are in each state. */
export async function countWatchedEarnings({ store }: ReadContext): Promise<Record<EarningState, number>> {
  const ids = (await findOpen({ store })).map(({ gigId }) => gigId);
  const counts: Record<EarningState, number> = { held: 0, eligible: 0, awarded: 0, refused: 0 };
  for (const overview of await store.earningOverviews(ids)) {
    for (const { state, count } of overview.counts) counts[state] += count;
  }
  return counts;
}
