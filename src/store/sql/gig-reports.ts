import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { GigSums } from '../../domain/gig-report.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createAccountReads } from './accounts.ts';
import { createGigPayoutReads } from './gig-payouts.ts';
import { createGigLookup } from './gigs.ts';
import { createPaymentCompletion } from './payments.ts';
import { equals } from './statements.ts';
import {
  gigs,
  IS_FEE_THAT_STANDS,
  IS_REFUND_THAT_STANDS,
  IS_RETURN_THAT_STANDS,
  payments,
  TIP_VOID,
  tips,
} from './tables.ts';
import { TIP_COLUMNS } from './tips.ts';

const placeholder = sql.placeholder;
const OTHER_KINDS = ['fee', 'refund', 'return'] as const;

/** Finds a gig's payments but for its payouts, of which there may be many: by their own indices, those that failed by their state. */
function createOtherPayments(db: Db): (gigId: number) => GigSums['payments'] {
  const complete = createPaymentCompletion(db);
  const rows = (condition: SQL | undefined) => prepare(db, db.select().from(payments).where(condition));
  const isOfGig = equals(payments.gigId, 'gigId');
  const standing = [
    rows(and(IS_FEE_THAT_STANDS, isOfGig)),
    rows(and(IS_REFUND_THAT_STANDS, isOfGig)),
    // Every return has a place; named, its index is taken.
    rows(and(IS_RETURN_THAT_STANDS, isOfGig, gte(payments.place, 0))),
  ];
  // The plus keeps from the gig's own index, which has its payouts.
  const ofGig = sql`+${payments.gigId} = ${placeholder('gigId')}`;
  const failed = rows(and(equals(payments.kind, 'kind'), eq(payments.state, 'failed'), ofGig));
  return (gigId) => {
    const stand = standing.flatMap((each) => each.all({ gigId }));
    const found = [...stand, ...OTHER_KINDS.flatMap((kind) => failed.all({ gigId, kind }))];
    return found.sort((a, b) => a.id - b.id).map(complete);
  };
}

export function createGigReportReads(db: Db): Pick<SyncReads, 'gigSums' | 'tipsOfGig'> {
  const gigById = createGigLookup(db);
  const { paidByGig } = createGigPayoutReads(db);
  const { account } = createAccountReads(db);
  const otherPayments = createOtherPayments(db);
  const gas = prepare(db, db.select({ used: gigs.gasUsed }).from(gigs).where(equals(gigs.id, 'gigId')));
  const isVoidOfGig = and(TIP_VOID, equals(tips.gigId, 'gigId'));
  const voided = prepare(db, db.select({ amount: tips.amount }).from(tips).where(isVoidOfGig));
  const { awardedBy, voidedAt, voidReason, paymentId } = tips;
  const recipientOf = prepare(
    db,
    db.select({ recipient: payments.recipient }).from(payments).where(equals(payments.id, 'id')),
  );
  const page = prepare(
    db,
    db
      .select({ ...TIP_COLUMNS, awardedBy, voidedAt, voidReason, paymentId })
      .from(tips)
      .where(and(equals(tips.gigId, 'gigId'), lt(tips.number, placeholder('before'))))
      .orderBy(desc(tips.number))
      .limit(placeholder('limit')),
  );
  const gigSums: SyncReads['gigSums'] = (gigId) => {
    const gig = gigById(gigId);
    if (gig === null) return null;
    const parts = paidByGig(gigId)?.parts ?? [];
    return {
      gig,
      paid: parts.reduce((sum, { amount }) => sum + amount, 0n),
      voided: voided.all({ gigId }).reduce((sum, { amount }) => sum + amount, 0n),
      gasUsed: gas.get({ gigId })?.used ?? 0n,
      payments: otherPayments(gigId),
    };
  };
  const tipsOfGig: SyncReads['tipsOfGig'] = (gigId, { limit, before = Number.MAX_SAFE_INTEGER }) =>
    page.all({ gigId, limit, before }).map(({ paymentId: id, ...tip }) => {
      const payment = id === null ? undefined : recipientOf.get({ id });
      return { ...tip, username: account(tip)?.username ?? null, recipient: payment?.recipient ?? null };
    });
  // One snapshot each: sums of two moments would not add up.
  return { gigSums: db.$client.transaction(gigSums), tipsOfGig: db.$client.transaction(tipsOfGig) };
}
