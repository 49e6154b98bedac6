import { and, count, eq, exists, gt, lte, min, type SQL, sql } from 'drizzle-orm';
import {
  type NumberedPayment,
  PAYMENT_KINDS,
  PAYMENT_STATES,
  type Payment,
  type PaymentCandidate,
} from '../../../domain/payments/payment.ts';
import type { TwoWayPage } from '../../port/page.ts';
import type { LatePayments, PaymentFilter, PaymentSums, PaymentsToSum } from '../../port/payments.ts';
import type { PreparedStatement, Sql } from '../engine.ts';
import { FUNDING_TO_CHECK } from '../gigs/gig-tables.ts';
import { createTokenLookups } from '../gigs/tokens.ts';
import { locked, noun } from '../noun.ts';
import { distinct, equals, prepareTwoWays, readEach } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { isOpenTransaction } from './chain-tables.ts';
import { IS_OPERATORS_GIG } from './payment-budgets.ts';
import { PAYMENT_PLANNED, PAYMENT_SENT } from './payment-tables.ts';
import { createNumbering, createPaymentCompletion } from './payments.ts';

const placeholder = sql.placeholder;

/** One index orders the payments of each kind and state, another one those of each gig. */
function createRowPages<Row extends { readonly id: number }>(
  { tables: { payments } }: Sql,
  prepareRows: (where: SQL | undefined, order: SQL) => PreparedStatement<Row>,
): (query: TwoWayPage & PaymentFilter) => Promise<Row[]> {
  const list = (condition?: SQL) =>
    prepareTwoWays(payments.id, (isOnSide, order) => prepareRows(and(condition, isOnSide), order));
  const isPart = and(equals(payments.state, 'state'), equals(payments.kind, 'kind'));
  const all = list();
  const part = list(isPart);
  const partOfGig = list(and(equals(payments.gigId, 'gigId'), isPart));
  return async ({ state, kind, gigId, ...page }) => {
    const isAny = state === undefined && kind === undefined && gigId === undefined;
    if (isAny) return await all(page);
    const states = state === undefined ? PAYMENT_STATES : [state];
    const kinds = kind === undefined ? PAYMENT_KINDS : [kind];
    const parts = states.flatMap((state) => kinds.map((kind) => ({ ...page, state, kind })));
    const read = (values: (typeof parts)[number]) =>
      gigId === undefined ? part(values) : partOfGig({ ...values, gigId });
    const found = (await readEach(parts, read)).flat();
    const sign = page.after === undefined ? -1 : 1;
    return found.sort((a, b) => sign * (a.id - b.id)).slice(0, page.limit);
  };
}

function createPaymentPages(db: Sql) {
  const { build, prepare, tables } = db;
  const complete = createPaymentCompletion(db);
  const rows = createRowPages(db, (where, order) =>
    prepare(build.select().from(tables.payments).where(where).orderBy(order).limit(placeholder('limit'))),
  );
  return async (query: TwoWayPage & PaymentFilter): Promise<Payment[]> => await complete(await rows(query));
}

function createPaymentSums(db: Sql) {
  const { build, prepare, tables } = db;
  const { amount, id, tokenId } = tables.payments;
  const findTokens = createTokenLookups(db);
  const rows = createRowPages(db, (where, order) =>
    prepare(
      build
        .select({ id, tokenId, amount })
        .from(tables.payments)
        .where(where)
        .orderBy(order)
        .limit(placeholder('limit')),
    ),
  );
  return async ({ limit, from, ...query }: PaymentsToSum): Promise<PaymentSums> => {
    const found = (await rows({ ...query, limit: limit + 1 })).filter((row) => row.id >= from);
    const summed = found.slice(0, limit);
    const tokens = await findTokens(distinct(summed.map((row) => row.tokenId)));
    const inOrder = [...tokens.values()].sort((a, b) => a.id - b.id);
    const sums = inOrder.map((token) => {
      const own = summed.filter((row) => row.tokenId === token.id);
      return { token, count: own.length, amount: own.reduce((sum, row) => sum + row.amount, 0n) };
    });
    return { sums, isWhole: found.length <= limit };
  };
}

/** Steps through two indices, which hold only what is not over; each step finds the next chain. */
function createBusyChains({ build, kit, prepare, tables }: Sql) {
  const { payments, tankTransactions } = tables;
  const planned = prepare(
    build
      .select({ next: min(payments.chainId) })
      .from(payments)
      .where(and(PAYMENT_PLANNED, gt(payments.chainId, placeholder('chainId')))),
  );
  const open = prepare(
    build
      .select({ next: min(tankTransactions.chainId) })
      .from(tankTransactions)
      .where(and(isOpenTransaction(kit), gt(tankTransactions.chainId, placeholder('chainId')))),
  );
  return async (): Promise<number[]> => {
    const chains = new Set<number>();
    for (const step of [planned, open]) {
      let chainId = (await step.get({ chainId: -1 }))?.next ?? null;
      while (chainId !== null) {
        chains.add(chainId);
        chainId = (await step.get({ chainId }))?.next ?? null;
      }
    }
    return [...chains].sort((a, b) => a - b);
  };
}

function createConditions({ build, kit, prepare, tables }: Sql) {
  const { gigs, gigTransactions, tokens } = tables;
  const toCheck = build
    .select({ id: gigTransactions.id })
    .from(gigTransactions)
    .where(and(FUNDING_TO_CHECK, eq(gigTransactions.gigId, gigs.id)));
  const ofGigs = prepare(
    build
      .select({
        id: gigs.id,
        client: sql<string | null>`case when ${IS_OPERATORS_GIG} then null else ${gigs.client} end`,
        freeze: sql<string | null>`coalesce(${gigs.frozenReason}, ${gigs.operatorFreeze})`,
        awaitsFunding: sql<boolean>`${exists(toCheck)}`.mapWith(Boolean),
      })
      .from(gigs)
      .where(kit.isAmong(gigs.id, 'ids')),
  );
  const allowed = prepare(
    build
      .select({ id: tokens.id })
      .from(tokens)
      .where(and(kit.isAmong(tokens.id, 'ids'), eq(tokens.allowed, true))),
  );
  return async (payments: readonly NumberedPayment[]): Promise<PaymentCandidate[]> => {
    if (payments.length === 0) return [];
    const [found, areAllowed] = await Promise.all([
      ofGigs.all({ ids: distinct(payments.map(({ gigId }) => gigId)) }),
      allowed.all({ ids: distinct(payments.map(({ token }) => token.id)) }),
    ]);
    const gigOf = new Map(found.map(({ id, ...conditions }) => [id, conditions]));
    const tokens = new Set(areAllowed.map(({ id }) => id));
    return payments.map((payment) => {
      const conditions = gigOf.get(payment.gigId);
      if (conditions === undefined) throw new TypeError(`payment ${payment.id} of an unknown gig ${payment.gigId}`);
      return { ...payment, ...conditions, isAllowed: tokens.has(payment.token.id) };
    });
  };
}

function createCandidates(db: Sql) {
  const { build, prepare, tables } = db;
  const { payments } = tables;
  const number = createNumbering(db);
  const withConditions = createConditions(db);
  const isPlanned = and(PAYMENT_PLANNED, equals(payments.chainId, 'chainId'));
  const waitsForMark = sql.raw(
    "exists (select 1 from payments m where m.kind = 'mark' and (m.state = 'planned' or m.state = 'sent') and m.gig_id = payments.gig_id)",
  );
  const due = prepare(
    build
      .select()
      .from(payments)
      .where(
        and(
          isPlanned,
          lte(payments.dueAt, placeholder('now')),
          sql`(${eq(payments.kind, 'mark')} or not ${waitsForMark})`,
        ),
      )
      .orderBy(payments.dueAt, payments.id)
      .limit(placeholder('limit')),
  );
  const next = prepare(
    build
      .select({ at: min(payments.dueAt) })
      .from(payments)
      .where(isPlanned),
  );
  return {
    /**
     * Planned payments of a chain that are due, longest first. Of a gig with a planned or sent `mark` only that one is
     * listed: what was paid before has to be marked first.
     */
    paymentCandidates: locked(
      nothing,
      async (chainId: number, { now, limit }: { now: number; limit: number }): Promise<PaymentCandidate[]> =>
        await withConditions(await number(await due.all({ chainId, now, limit }))),
    ),
    /** When the next planned payment of a chain is due, epoch milliseconds; null when none is planned. */
    nextPaymentDue: locked(
      nothing,
      async (chainId: number): Promise<number | null> => (await next.get({ chainId }))?.at ?? null,
    ),
  };
}

/** Walks the indices that hold only what is planned or sent. */
function createLatePayments({ build, prepare, tables }: Sql) {
  const { payments } = tables;
  const { chainId, gigId, reason, createdAt } = payments;
  const inState = (condition: SQL) =>
    prepare(
      build
        .select({ chainId, gigId, reason, payments: count() })
        .from(payments)
        .where(and(condition, lte(createdAt, placeholder('plannedBy'))))
        .groupBy(chainId, gigId, reason)
        .orderBy(chainId, gigId, reason),
    );
  const planned = inState(PAYMENT_PLANNED);
  const sent = inState(PAYMENT_SENT);
  return async (query: { plannedBy: number }): Promise<LatePayments[]> => [
    ...(await planned.all(query)).map((group) => ({ ...group, state: 'planned' as const })),
    ...(await sent.all(query)).map((group) => ({ ...group, state: 'sent' as const })),
  ];
}

export const paymentLists = noun((db: Sql) => ({
  reads: {
    /** Payments that are planned or sent and were planned at `plannedBy` or before, in groups. */
    latePayments: locked(nothing, createLatePayments(db)),
    /** Newest first. */
    payments: locked(nothing, createPaymentPages(db)),
    /** The sums of payments for each token: of those from an id on and below `before`, the newest when they are more than `limit`. */
    paymentSums: locked(nothing, createPaymentSums(db)),
    /** Chains with a planned payment, or with a transaction of the gas tank that is not over. */
    chainsWithPayments: locked(nothing, createBusyChains(db)),
    ...createCandidates(db),
  },
  writes: {},
}));
