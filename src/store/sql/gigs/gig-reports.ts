import { and, sql } from 'drizzle-orm';
import type { GigSums, ListedTip } from '../../../domain/gigs/gig-report.ts';
import type { TwoWayPage } from '../../port/page.ts';
import { createAccountLookup } from '../claims/accounts.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { createPayoutLookup } from '../payments/gig-payouts.ts';
import { createOtherPayments } from '../payments/payments.ts';
import { equals, prepareTwoWays, readEach, theRow } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createGigLookup } from './gigs.ts';
import { tipColumns } from './tips.ts';

const placeholder = sql.placeholder;
export const gigReports = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigs, payments, tips } = tables;
  const gigById = createGigLookup(db);
  const paidByGig = createPayoutLookup(db);
  const account = createAccountLookup(db);
  const otherPayments = createOtherPayments(db);
  const { voidedAmount: voided, gasUsed } = gigs;
  const kept = prepare(build.select({ voided, gasUsed }).from(gigs).where(equals(gigs.id, 'gigId')));
  const { awardedBy, voidedAt, voidReason, paymentId } = tips;
  const recipientOf = prepare(
    build.select({ recipient: payments.recipient }).from(payments).where(equals(payments.id, 'id')),
  );
  const list = prepareTwoWays(tips.number, (isOnSide, order) =>
    prepare(
      build
        .select({ ...tipColumns(tables), awardedBy, voidedAt, voidReason, paymentId })
        .from(tips)
        .where(and(equals(tips.gigId, 'gigId'), isOnSide))
        .orderBy(order)
        .limit(placeholder('limit')),
    ),
  );
  return {
    reads: {
      /** The sums of a gig and its payments but for the payouts, at one moment; null when there is no such gig. */
      gigSums: locked(nothing, async (gigId: number): Promise<GigSums | null> => {
        const gig = await gigById(gigId);
        if (gig === null) return null;
        const parts = (await paidByGig(gigId))?.parts ?? [];
        return {
          gig,
          paid: parts.reduce((sum, { amount }) => sum + amount, 0n),
          ...(await theRow(kept.get({ gigId }))),
          payments: (await otherPayments(gigId)).filter(({ kind }) => kind !== 'mark'),
        };
      }),
      /** Tips of a gig, void ones too, by their numbers, which `before` and `after` are. */
      tipsOfGig: locked(
        nothing,
        async (gigId: number, page: TwoWayPage): Promise<ListedTip[]> =>
          await readEach(await list({ gigId, ...page }), async ({ paymentId: id, ...tip }) => {
            const payment = id === null ? undefined : await recipientOf.get({ id });
            return { ...tip, username: (await account(tip))?.username ?? null, recipient: payment?.recipient ?? null };
          }),
      ),
    },
    writes: {},
  };
});
