import { and, inArray, lte, not, type SQL, sql } from 'drizzle-orm';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { PaymentScope } from '../../port/payments.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { IS_OPERATORS_GIG } from './payment-budgets.ts';
import { PAYMENT_PLANNED } from './payment-tables.ts';

const placeholder = sql.placeholder;

export const paymentDelays = noun((db: Sql) => {
  const { build, prepare, tables } = db;
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
    reads: {},
    writes: {
      /**
       * Notes why all planned payments of a scope wait that are due and, as candidates, listed after this one; marks are left
       * out. How many there were.
       */
      delayPayments: locked(
        nothing,
        (
          { chainId, kind, of }: PaymentScope,
          { after, ...change }: { reason: string; dueAt: number; now: number; after: Pick<Payment, 'dueAt' | 'id'> },
        ): Promise<number> =>
          delays[kind].run({ ...change, chainId, scope: of, afterDueAt: after.dueAt, afterId: after.id }),
      ),
    },
  };
});
