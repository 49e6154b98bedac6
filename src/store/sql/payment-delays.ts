import { and, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals } from './statements.ts';
import { gigs, PAYMENT_PLANNED, payments } from './tables.ts';

const placeholder = sql.placeholder;

/** Delays of many planned payments at once. */
export function createPaymentDelays(db: Db): Pick<SyncWrites, 'delayPayments'> {
  const delay = (scope: SQL) =>
    prepare(
      db,
      db
        .update(payments)
        .set({ reason: bound('reason'), dueAt: bound('dueAt'), updatedAt: bound('now') })
        .where(
          and(
            PAYMENT_PLANNED,
            equals(payments.chainId, 'chainId'),
            lte(payments.dueAt, placeholder('now')),
            scope,
            sql`${payments.kind} <> 'mark'`,
            sql`(${payments.dueAt}, ${payments.id}) > (${placeholder('afterDueAt')}, ${placeholder('afterId')})`,
          ),
        ),
    );
  const gigsOfClient = db.select({ id: gigs.id }).from(gigs).where(equals(gigs.client, 'scope'));
  const delays = {
    client: delay(inArray(payments.gigId, gigsOfClient)),
    gig: delay(equals(payments.gigId, 'scope')),
    token: delay(equals(payments.tokenId, 'scope')),
  };
  return {
    delayPayments: ({ chainId, kind, of }, { after, ...change }) =>
      delays[kind].run({ ...change, chainId, scope: of, afterDueAt: after.dueAt, afterId: after.id }).changes,
  };
}
