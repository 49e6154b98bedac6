import { and, asc, desc, eq, getTableColumns, gte, lte, sql } from 'drizzle-orm';
import type { Deposit } from '../../../domain/x402/deposit.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { DEPOSIT_OPEN } from './x402-tables.ts';

const placeholder = sql.placeholder;

/** How many deposits are looked at in one round: more than gigs may wait for payment. */
const MOST_OPEN = 500;

/** Authorizations that were taken to pay for gigs. */
export const deposits = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { deposits } = tables;
  const { chainId, createdAt, dueAt, gasUsed, gigId, id, settler, state, transactionId } = deposits;
  const columns = getTableColumns(deposits);
  const ofGig = prepare(
    kit.first(build.select(columns).from(deposits).where(equals(gigId, 'gigId')).orderBy(desc(id))),
  );
  const byTransaction = prepare(build.select(columns).from(deposits).where(equals(transactionId, 'transactionId')));
  const open = prepare(
    build
      .select(columns)
      .from(deposits)
      .where(and(DEPOSIT_OPEN, equals(chainId, 'chainId')))
      .orderBy(asc(dueAt), asc(id))
      .limit(MOST_OPEN),
  );
  const isToSend = and(DEPOSIT_OPEN, equals(chainId, 'chainId'), eq(state, 'kept'), eq(settler, 'tank'));
  const next = prepare(kit.first(build.select(columns).from(deposits).where(isToSend).orderBy(asc(dueAt), asc(id))));
  const late = prepare(
    build
      .select(columns)
      .from(deposits)
      .where(and(DEPOSIT_OPEN, lte(createdAt, placeholder('before'))))
      .orderBy(asc(createdAt), asc(id))
      .limit(MOST_OPEN),
  );
  const gas = prepare(
    build
      .select({ sum: sql<bigint>`coalesce(sum(${gasUsed}), 0)`.mapWith(BigInt) })
      .from(deposits)
      .where(gte(createdAt, placeholder('since'))),
  );
  return {
    reads: {
      /** The last deposit of a gig: the one that is not unused, if there is one. */
      depositOf: locked(byGig, async (gigId: number): Promise<Deposit | null> => (await ofGig.get({ gigId })) ?? null),
      /** The deposit that a transaction of the gas tank holds, or held last. */
      depositIn: locked(
        nothing,
        async (transactionId: number): Promise<Deposit | null> => (await byTransaction.get({ transactionId })) ?? null,
      ),
      /** The deposits of a chain that are neither settled nor unused. */
      openDeposits: locked(nothing, (chainId: number): Promise<Deposit[]> => open.all({ chainId })),
      /** The deposit that the gas tank has to send next; null when there is none. */
      nextDeposit: locked(
        nothing,
        async (chainId: number): Promise<Deposit | null> => (await next.get({ chainId })) ?? null,
      ),
      /** Deposits that were kept by a time and are neither settled nor unused. */
      lateDeposits: locked(nothing, (before: number): Promise<Deposit[]> => late.all({ before })),
      /** The gas that deposits which were kept since then may use. */
      gasOfDeposits: locked(nothing, async (since: number): Promise<bigint> => (await gas.get({ since }))?.sum ?? 0n),
    },
    writes: {},
  };
});
