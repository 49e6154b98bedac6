import { and, inArray, lte, not, type SQL, sql } from 'drizzle-orm';
import type { StoreTx } from '../port/index.ts';
import type { Sql } from './engine.ts';
import { IS_OPERATORS_GIG } from './payment-budgets.ts';
import { PAYMENT_PLANNED } from './payment-tables.ts';
import { bound, equals } from './statements.ts';

const placeholder = sql.placeholder;

/** Delays of many planned payments at once. */
export function createPaymentDelays({ build, prepare, tables }: Sql): Pick<StoreTx, 'delayPayments'> {
  const { gigs, payments } = tables;
  const delay = (scope: SQL) =>
    prepare(
      build
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
  const gigsOfClient = build
    .select({ id: gigs.id })
    .from(gigs)
    .where(and(equals(gigs.client, 'scope'), not(IS_OPERATORS_GIG)));
  const delays = {
    client: delay(inArray(payments.gigId, gigsOfClient)),
    gig: delay(equals(payments.gigId, 'scope')),
    token: delay(equals(payments.tokenId, 'scope')),
  };
  return {
    delayPayments: ({ chainId, kind, of }, { after, ...change }) =>
      delays[kind].run({ ...change, chainId, scope: of, afterDueAt: after.dueAt, afterId: after.id }),
  };
}
