import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { ACTS_OF, type ActKind, type Target } from '../src/domain/earning/act.ts';
import { createReads } from '../src/store/sqlite/store.ts';

/** A gig that the service watches, or will once it is live. */
export interface WatchedTarget {
  readonly gigId: number;
  readonly target: Target;
  /** The acts that count for it. */
  readonly counts: readonly ActKind[];
}

const NEWEST = { limit: 300, phase: 'all', now: 0 } as const;

/** The gigs with rules, oldest first, from the database of the running sandbox's service. */
export function readWatchedTargets(databasePath: string): WatchedTarget[] {
  const connection = new SqliteDatabase(databasePath, { readonly: true, fileMustExist: true });
  try {
    const reads = createReads(drizzle({ client: connection }));
    return reads
      .gigs(NEWEST)
      .toReversed()
      .flatMap(({ id, gigType }) => {
        const rules = reads.earningRules(id);
        return rules === null ? [] : [{ gigId: id, target: rules.target, counts: ACTS_OF[gigType] }];
      });
  } finally {
    connection.close();
  }
}
