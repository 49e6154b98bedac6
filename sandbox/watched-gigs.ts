import { ACTS_OF, type ActKind, type Target } from '../src/domain/earning/act.ts';
import { openDatabaseReader } from './database.ts';

/** A gig, and whether it is started. */
interface SomeGig {
  readonly gigId: number;
  readonly isStarted: boolean;
}

/** A gig that the service watches, or will once it is live. */
export interface WatchedTarget extends SomeGig {
  readonly target: Target;
  /** The acts that count for it. */
  readonly counts: readonly ActKind[];
}

/** A gig that the service does not watch. */
interface UnwatchedGig extends SomeGig {
  readonly target: null;
}

const NEWEST = { limit: 300, phase: 'all', now: 0 } as const;

/** The newest gigs, oldest first, from the database of the running sandbox's service. */
export async function readTargets(database: string): Promise<(WatchedTarget | UnwatchedGig)[]> {
  const store = await openDatabaseReader(database);
  try {
    const gigs = (await store.gigs(NEWEST)).toReversed();
    return await Promise.all(
      gigs.map(async ({ id, gigType, status }) => {
        const gig = { gigId: id, isStarted: status === 'live' };
        const rules = await store.earningRules(id);
        if (rules === null) return { ...gig, target: null };
        return { ...gig, target: rules.target, counts: ACTS_OF[gigType] };
      }),
    );
  } finally {
    await store.close();
  }
}
