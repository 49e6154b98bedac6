import { and, desc, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { Page } from '../../port/page.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { IS_ADOPTED_PAYOUT } from '../payments/payment-tables.ts';
import { createPaymentLookups } from '../payments/payments.ts';
import { equals } from '../statements.ts';
import { nothing } from '../subjects.ts';

const placeholder = sql.placeholder;

/** The ids of payments that meet a condition, newest first; `id` is how the statement names them. */
function createIdList({ build, prepare, tables }: Sql, { condition, id }: { condition: SQL | undefined; id: SQL }) {
  const { payments } = tables;
  const found = prepare(
    build
      .select({ id: payments.id })
      .from(payments)
      .where(and(condition, lt(id, placeholder('before'))))
      .orderBy(desc(id))
      .limit(placeholder('limit')),
  );
  return async ({ platform, platformUserId }: AccountKey, { limit, before = Number.MAX_SAFE_INTEGER }: Page) =>
    (await found.all({ platform, platformUserId, limit, before })).map((row) => row.id);
}

/** Payouts to an account, newest first. */
export const payouts = noun((db: Sql) => {
  const { build, kit, tables } = db;
  const { claims, payments, tips } = tables;
  const find = createPaymentLookups(db);
  const claimsOf = build
    .select({ id: claims.id })
    .from(claims)
    .where(and(equals(claims.platform, 'platform'), equals(claims.platformUserId, 'platformUserId')));
  // Keeps SQLite from walking all payouts: an account has few.
  const isConfirmed = sql`${kit.noWayIn(payments.state)} = 'confirmed'`;
  const isPayout = sql`${kit.noWayIn(payments.kind)} = 'payout'`;
  const isPaid = sql`${isPayout} and ${isConfirmed}`;
  const ofClaims = { condition: and(inArray(payments.claimId, claimsOf), isPaid), id: kit.noWayIn(payments.id) };
  const claimed = createIdList(db, ofClaims);
  const planned = createIdList(db, { ...ofClaims, condition: and(inArray(payments.claimId, claimsOf), isPayout) });
  const isTheirs = sql`exists (select 1 from ${tips} where ${tips.paymentId} = ${payments.id}
    and ${equals(tips.platform, 'platform')} and ${equals(tips.platformUserId, 'platformUserId')})`;
  // What was adopted has no claim; there is little of it.
  const isAdopted = and(IS_ADOPTED_PAYOUT, isConfirmed, isTheirs);
  const adopted = createIdList(db, { condition: isAdopted, id: sql`${payments.id}` });
  return {
    reads: {
      payoutsTo: locked(nothing, async (account: AccountKey, page: Page): Promise<Payment[]> => {
        const ids = [...(await claimed(account, page)), ...(await adopted(account, page))];
        const shown = ids.sort((a, b) => b - a).slice(0, page.limit);
        return (await find(shown)).sort((a, b) => b.id - a.id);
      }),
      /** In every state, also those that failed and were planned again; newest first. */
      allPayoutsTo: locked(nothing, async (account: AccountKey, page: Page): Promise<Payment[]> => {
        const ids = [...(await planned(account, page)), ...(await adopted(account, page))];
        const shown = ids.sort((a, b) => b - a).slice(0, page.limit);
        return (await find(shown)).sort((a, b) => b.id - a.id);
      }),
    },
    writes: {},
  };
});
