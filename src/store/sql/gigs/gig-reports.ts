import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { GigSums, ListedTip } from '../../../domain/gigs/gig-report.ts';
import { createAccountLookup } from '../claims/accounts.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { createPayoutLookup } from '../payments/gig-payouts.ts';
import { IS_FEE_THAT_STANDS, IS_REFUND_THAT_STANDS, IS_RETURN_THAT_STANDS } from '../payments/payment-tables.ts';
import { createPaymentCompletion } from '../payments/payments.ts';
import { equals, readEach } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createGigLookup } from './gigs.ts';
import { isVoidTip } from './tip-tables.ts';
import { tipColumns } from './tips.ts';

const placeholder = sql.placeholder;
const OTHER_KINDS = ['fee', 'refund', 'return'] as const;

/** Leaves out payouts, of which there may be many. The others are found by their own indices, failed ones by their state. */
function createOtherPayments(db: Sql): (gigId: number) => Promise<GigSums['payments']> {
  const { build, kit, prepare, tables } = db;
  const { payments } = tables;
  const complete = createPaymentCompletion(db);
  const rows = (condition: SQL | undefined) => prepare(build.select().from(payments).where(condition));
  const isOfGig = equals(payments.gigId, 'gigId');
  const standing = [
    rows(and(IS_FEE_THAT_STANDS, isOfGig)),
    rows(and(IS_REFUND_THAT_STANDS, isOfGig)),
    // Every return has a place; named, its index is taken.
    rows(and(IS_RETURN_THAT_STANDS, isOfGig, gte(payments.place, 0))),
  ];
  // Keeps SQLite from the gig's own index, which has its payouts.
  const ofGig = eq(kit.noWayIn(payments.gigId), placeholder('gigId'));
  const failed = rows(and(equals(payments.kind, 'kind'), eq(payments.state, 'failed'), ofGig));
  return async (gigId) => {
    const stand = await readEach(standing, (each) => each.all({ gigId }));
    const fell = await readEach(OTHER_KINDS, (kind) => failed.all({ gigId, kind }));
    const found = [...stand, ...fell].flat();
    return await complete(found.sort((a, b) => a.id - b.id));
  };
}

export const gigReports = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { gigs, payments, tips } = tables;
  const gigById = createGigLookup(db);
  const paidByGig = createPayoutLookup(db);
  const account = createAccountLookup(db);
  const otherPayments = createOtherPayments(db);
  const gas = prepare(build.select({ used: gigs.gasUsed }).from(gigs).where(equals(gigs.id, 'gigId')));
  const isVoidOfGig = and(isVoidTip(kit), equals(tips.gigId, 'gigId'));
  const voided = prepare(build.select({ amount: tips.amount }).from(tips).where(isVoidOfGig));
  const { awardedBy, voidedAt, voidReason, paymentId } = tips;
  const recipientOf = prepare(
    build.select({ recipient: payments.recipient }).from(payments).where(equals(payments.id, 'id')),
  );
  const page = prepare(
    build
      .select({ ...tipColumns(tables), awardedBy, voidedAt, voidReason, paymentId })
      .from(tips)
      .where(and(equals(tips.gigId, 'gigId'), lt(tips.number, placeholder('before'))))
      .orderBy(desc(tips.number))
      .limit(placeholder('limit')),
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
          voided: (await voided.all({ gigId })).reduce((sum, { amount }) => sum + amount, 0n),
          gasUsed: (await gas.get({ gigId }))?.used ?? 0n,
          payments: await otherPayments(gigId),
        };
      }),
      /** Tips of a gig, void ones too, the highest number first; `before` is a number. */
      tipsOfGig: locked(
        nothing,
        async (
          gigId: number,
          { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number | undefined },
        ): Promise<ListedTip[]> => {
          return await readEach(await page.all({ gigId, limit, before }), async ({ paymentId: id, ...tip }) => {
            const payment = id === null ? undefined : await recipientOf.get({ id });
            return { ...tip, username: (await account(tip))?.username ?? null, recipient: payment?.recipient ?? null };
          });
        },
      ),
    },
    writes: {},
  };
});
