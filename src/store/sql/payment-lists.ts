import { and, count, desc, eq, gt, lt, lte, min, type SQL, sql } from 'drizzle-orm';
import { PAYMENT_KINDS, PAYMENT_STATES } from '../../domain/payment.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { createNumberLookup, createPaymentCompletion } from './payments.ts';
import { equals } from './statements.ts';
import {
  FUNDING_TO_CHECK,
  gigs,
  gigTransactions,
  PAYMENT_PLANNED,
  PAYMENT_SENT,
  payments,
  TANK_OPEN,
  tankTransactions,
  tokens,
} from './tables.ts';

const placeholder = sql.placeholder;

/** Builds pages from one index, which orders the payments of each kind and state; those of one gig have their own index. */
function createPaymentPages(db: Db): SyncReads['payments'] {
  const complete = createPaymentCompletion(db);
  const older = lt(payments.id, placeholder('before'));
  const page = (condition: SQL | undefined) =>
    prepare(db, db.select().from(payments).where(condition).orderBy(desc(payments.id)).limit(placeholder('limit')));
  const newest = page(older);
  const part = page(and(equals(payments.state, 'state'), equals(payments.kind, 'kind'), older));
  const isOrAny = (column: typeof payments.state | typeof payments.kind, name: string) =>
    sql`coalesce(${placeholder(name)}, ${column}) = ${column}`;
  const ofGig = page(
    and(equals(payments.gigId, 'gigId'), older, isOrAny(payments.state, 'state'), isOrAny(payments.kind, 'kind')),
  );
  const find: SyncReads['payments'] = ({ state, kind, gigId, limit, before = Number.MAX_SAFE_INTEGER }) => {
    if (gigId !== undefined) {
      return ofGig.all({ gigId, limit, before, state: state ?? null, kind: kind ?? null }).map(complete);
    }
    if (state === undefined && kind === undefined) return newest.all({ limit, before }).map(complete);
    const states = state === undefined ? PAYMENT_STATES : [state];
    const kinds = kind === undefined ? PAYMENT_KINDS : [kind];
    const found = states.flatMap((state) => kinds.flatMap((kind) => part.all({ state, kind, limit, before })));
    return found
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map(complete);
  };
  // One snapshot: otherwise a payment that another process changes meanwhile would appear in two parts.
  return db.$client.transaction(find);
}

/** Lists chains by stepping through two indices, which hold only what is not over; each step finds the next chain. */
function createBusyChains(db: Db): SyncReads['chainsWithPayments'] {
  const planned = prepare(
    db,
    db
      .select({ next: min(payments.chainId) })
      .from(payments)
      .where(and(PAYMENT_PLANNED, gt(payments.chainId, placeholder('chainId')))),
  );
  const open = prepare(
    db,
    db
      .select({ next: min(tankTransactions.chainId) })
      .from(tankTransactions)
      .where(and(TANK_OPEN, gt(tankTransactions.chainId, placeholder('chainId')))),
  );
  // One snapshot: another process may send a payment meanwhile.
  return db.$client.transaction(() => {
    const chains = new Set<number>();
    for (const step of [planned, open]) {
      let chainId = step.get({ chainId: -1 })?.next ?? null;
      while (chainId !== null) {
        chains.add(chainId);
        chainId = step.get({ chainId })?.next ?? null;
      }
    }
    return [...chains].sort((a, b) => a - b);
  });
}

/** What decides whether a gig's payments in a token may be sent. */
function createConditions(db: Db) {
  const gig = prepare(
    db,
    db
      .select({
        client: gigs.client,
        freeze: sql<string | null>`coalesce(${gigs.frozenReason}, ${gigs.operatorFreeze})`,
      })
      .from(gigs)
      .where(equals(gigs.id, 'gigId')),
  );
  const funding = prepare(
    db,
    db
      .select({ id: gigTransactions.id })
      .from(gigTransactions)
      .where(and(FUNDING_TO_CHECK, equals(gigTransactions.gigId, 'gigId'))),
  );
  const token = prepare(db, db.select({ allowed: tokens.allowed }).from(tokens).where(equals(tokens.id, 'tokenId')));
  return ({ gigId, tokenId }: { gigId: number; tokenId: number }) => {
    const { client = null, freeze = null } = gig.get({ gigId }) ?? {};
    const awaitsFunding = funding.get({ gigId }) !== undefined;
    return { client, freeze, awaitsFunding, isAllowed: token.get({ tokenId })?.allowed ?? false };
  };
}

function createCandidates(db: Db): Pick<SyncReads, 'paymentCandidates' | 'nextPaymentDue'> {
  const complete = createPaymentCompletion(db);
  const numbersOf = createNumberLookup(db);
  const conditionsOf = createConditions(db);
  const isPlanned = and(PAYMENT_PLANNED, equals(payments.chainId, 'chainId'));
  const waitsForMark = sql.raw(
    "exists (select 1 from payments m where m.kind = 'mark' and (m.state = 'planned' or m.state = 'sent') and m.gig_id = payments.gig_id)",
  );
  const due = prepare(
    db,
    db
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
    db,
    db
      .select({ at: min(payments.dueAt) })
      .from(payments)
      .where(isPlanned),
  );
  return {
    paymentCandidates: db.$client.transaction((chainId, { now, limit }) =>
      due
        .all({ chainId, now, limit })
        .map((row) => ({ ...complete(row), numbers: numbersOf(row), ...conditionsOf(row) })),
    ),
    nextPaymentDue: (chainId) => next.get({ chainId })?.at ?? null,
  };
}

/** Walks the indices that hold only what is planned or sent. */
function createLatePayments(db: Db): SyncReads['latePayments'] {
  const { chainId, gigId, reason, createdAt } = payments;
  const inState = (condition: SQL) =>
    prepare(
      db,
      db
        .select({ chainId, gigId, reason, payments: count() })
        .from(payments)
        .where(and(condition, lte(createdAt, placeholder('plannedBy'))))
        .groupBy(chainId, gigId, reason),
    );
  const planned = inState(PAYMENT_PLANNED);
  const sent = inState(PAYMENT_SENT);
  return (query) => [
    ...planned.all(query).map((group) => ({ ...group, state: 'planned' as const })),
    ...sent.all(query).map((group) => ({ ...group, state: 'sent' as const })),
  ];
}

type Lists = 'payments' | 'chainsWithPayments' | 'paymentCandidates' | 'nextPaymentDue' | 'latePayments';

export function createPaymentLists(db: Db): Pick<SyncReads, Lists> {
  return {
    latePayments: createLatePayments(db),
    payments: createPaymentPages(db),
    chainsWithPayments: createBusyChains(db),
    ...createCandidates(db),
  };
}
