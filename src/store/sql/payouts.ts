import { and, desc, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import type { Page } from '../port/index.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createPaymentLookup } from './payments.ts';
import { equals } from './statements.ts';
import { claims, IS_ADOPTED_PAYOUT, payments, tips, transfers } from './tables.ts';
import { createTransferLookup } from './transfers.ts';

const placeholder = sql.placeholder;

/** The ids of what meets a condition, newest first; `id` is how the statement names them. */
function createIdList(
  db: Db,
  table: typeof transfers | typeof payments,
  list: { condition: SQL | undefined; id: SQL },
) {
  const { condition, id } = list;
  const found = prepare(
    db,
    db
      .select({ id: table.id })
      .from(table)
      .where(and(condition, lt(id, placeholder('before'))))
      .orderBy(desc(id))
      .limit(placeholder('limit')),
  );
  return ({ platform, platformUserId }: AccountKey, { limit, before = Number.MAX_SAFE_INTEGER }: Page) =>
    found.all({ platform, platformUserId, limit, before }).map((row) => row.id);
}

/** Payouts to an account, newest first. */
export function createPayoutReads(db: Db): Pick<SyncReads, 'paidTo' | 'payoutsTo'> {
  const transfer = createTransferLookup(db);
  const payment = createPaymentLookup(db);
  const claimsOf = db
    .select({ id: claims.id })
    .from(claims)
    .where(and(equals(claims.platform, 'platform'), equals(claims.platformUserId, 'platformUserId')));
  // The `+` keeps SQLite from walking all payouts: an account has few.
  const ofClaims = (table: typeof transfers | typeof payments) => {
    const isPaid = sql`+${table.kind} = 'payout' and +${table.state} = 'confirmed'`;
    return createIdList(db, table, { condition: and(inArray(table.claimId, claimsOf), isPaid), id: sql`+${table.id}` });
  };
  const transferred = ofClaims(transfers);
  const claimed = ofClaims(payments);
  const isTheirs = sql`exists (select 1 from ${tips} where ${tips.paymentId} = ${payments.id}
    and ${equals(tips.platform, 'platform')} and ${equals(tips.platformUserId, 'platformUserId')})`;
  // What was adopted has no claim; there is little of it.
  const isAdopted = and(IS_ADOPTED_PAYOUT, sql`+${payments.state} = 'confirmed'`, isTheirs);
  const adopted = createIdList(db, payments, { condition: isAdopted, id: sql`${payments.id}` });
  return {
    paidTo: (account, page) =>
      transferred(account, page)
        .map(transfer)
        .filter((paid) => paid !== null),
    payoutsTo: db.$client.transaction((account, page) =>
      [...claimed(account, page), ...adopted(account, page)]
        .sort((a, b) => b - a)
        .slice(0, page.limit)
        .map(payment)
        .filter((paid) => paid !== null),
    ),
  };
}
