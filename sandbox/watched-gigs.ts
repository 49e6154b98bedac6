import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { ACTS_OF, type ActKind, type Target } from '../src/domain/earning/act.ts';
import { createReads } from '../src/store/sqlite/store.ts';

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
export function readTargets(databasePath: string): (WatchedTarget | UnwatchedGig)[] {
  const connection = new SqliteDatabase(databasePath, { readonly: true, fileMustExist: true });
  try {
    const reads = createReads(drizzle({ client: connection }));
    return reads
      .gigs(NEWEST)
      .toReversed()
      .map(({ id, gigType, status }) => {
        const gig = { gigId: id, isStarted: status === 'live' };
        const rules = reads.earningRules(id);
        return Object.assign(
          gig,
          rules === null ? { target: null } : { target: rules.target, counts: ACTS_OF[gigType] },
        );
      });
  } finally {
    connection.close();
  }
}
