import { and, desc, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import type { Page } from '../port/index.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createPaymentLookup } from './payments.ts';
import { equals } from './statements.ts';
import { claims, IS_ADOPTED_PAYOUT, payments, tips } from './tables.ts';

const placeholder = sql.placeholder;

/** The ids of payments that meet a condition, newest first; `id` is how the statement names them. */
function createIdList(db: Db, { condition, id }: { condition: SQL | undefined; id: SQL }) {
  const found = prepare(
    db,
    db
      .select({ id: payments.id })
      .from(payments)
      .where(and(condition, lt(id, placeholder('before'))))
      .orderBy(desc(id))
      .limit(placeholder('limit')),
  );
  return ({ platform, platformUserId }: AccountKey, { limit, before = Number.MAX_SAFE_INTEGER }: Page) =>
    found.all({ platform, platformUserId, limit, before }).map((row) => row.id);
}

/** Payouts to an account, newest first. */
export function createPayoutReads(db: Db): Pick<SyncReads, 'payoutsTo'> {
  const payment = createPaymentLookup(db);
  const claimsOf = db
    .select({ id: claims.id })
    .from(claims)
    .where(and(equals(claims.platform, 'platform'), equals(claims.platformUserId, 'platformUserId')));
  // The `+` keeps SQLite from walking all payouts: an account has few.
  const isPaid = sql`+${payments.kind} = 'payout' and +${payments.state} = 'confirmed'`;
  const ofClaims = { condition: and(inArray(payments.claimId, claimsOf), isPaid), id: sql`+${payments.id}` };
  const claimed = createIdList(db, ofClaims);
  const isTheirs = sql`exists (select 1 from ${tips} where ${tips.paymentId} = ${payments.id}
    and ${equals(tips.platform, 'platform')} and ${equals(tips.platformUserId, 'platformUserId')})`;
  // What was adopted has no claim; there is little of it.
  const isAdopted = and(IS_ADOPTED_PAYOUT, sql`+${payments.state} = 'confirmed'`, isTheirs);
  const adopted = createIdList(db, { condition: isAdopted, id: sql`${payments.id}` });
  return {
    payoutsTo: db.$client.transaction((account, page) =>
      [...claimed(account, page), ...adopted(account, page)]
        .sort((a, b) => b - a)
        .slice(0, page.limit)
        .map(payment)
        .filter((paid) => paid !== null),
    ),
  };
}
