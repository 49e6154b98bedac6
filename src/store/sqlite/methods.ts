import type { Database } from 'better-sqlite3';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createSharedReads, createSharedWrites } from '../sql/methods.ts';
import { type CountedGigIds, createCountedGigIds, createLastGigId, type GigIdOptions } from './gig-ids.ts';
import { createPendingLookup } from './pending-tips.ts';
import { createSql } from './sql.ts';

interface OnConnection {
  /** Prepares each statement at once, so that tests can read all query plans. */
  readonly isEager?: boolean;
}

/** Every read of the port, on one connection. */
export function createReads(connection: Database, options: OnConnection = {}): StoreReads {
  const db = createSql(connection, options);
  const pendingTips = createPendingLookup(connection, db);
  return {
    ...createSharedReads(db),
    pendingTips: async (identifiers) => pendingTips(identifiers),
    // A file is on no server that could be another one.
    paymentStop: async () => null,
    lastGigId: createLastGigId(db),
  };
}

/** Everything that a transaction can do, on the connection that writes. */
export function createTxMethods(
  connection: Database,
  { ids, ...options }: OnConnection & { readonly ids: GigIdOptions },
): StoreTx & Pick<CountedGigIds, 'agree'> {
  const db = createSql(connection, options);
  const gigIds = createCountedGigIds(db, ids);
  return {
    agree: gigIds.agree,
    ...createReads(connection, options),
    allowPayments: async () => false,
    ...createSharedWrites(db, { gigIds }),
  };
}
