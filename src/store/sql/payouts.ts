import { and, desc, inArray, lt, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { claims, transfers } from './tables.ts';
import { createTransferLookup } from './transfers.ts';

const placeholder = sql.placeholder;

/** Payments to an account, newest first. */
export function createPaymentReads(db: Db): Pick<SyncReads, 'paidTo'> {
  const transfer = createTransferLookup(db);
  // The `+` keeps SQLite from scanning all payouts: an account has few of them.
  const isPaid = sql`+${transfers.kind} = 'payout' and +${transfers.state} = 'confirmed'`;
  const id = sql`+${transfers.id}`;
  const claimsOf = db
    .select({ id: claims.id })
    .from(claims)
    .where(and(equals(claims.platform, 'platform'), equals(claims.platformUserId, 'platformUserId')));
  const toAccount = prepare(
    db,
    db
      .select({ id: transfers.id })
      .from(transfers)
      .where(and(inArray(transfers.claimId, claimsOf), isPaid, lt(id, placeholder('before'))))
      .orderBy(desc(id))
      .limit(placeholder('limit')),
  );
  return {
    paidTo: ({ platform, platformUserId }, { limit, before = Number.MAX_SAFE_INTEGER }) =>
      toAccount
        .all({ platform, platformUserId, limit, before })
        .map(({ id }) => transfer(id))
        .filter((paid) => paid !== null),
  };
}
