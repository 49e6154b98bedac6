import { and, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { type Gig, type GigTransaction, type NewGig, START_LEASE_MS, START_LOOK_MS } from '../../../domain/gigs/gig.ts';
import { STORED_TERMS } from '../../../domain/gigs/terms.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { NounSql, Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byGig, byItsGig, nothing } from '../subjects.ts';
import { FUNDING_TO_CHECK } from './gig-tables.ts';
import { createGigLookup } from './gigs.ts';

const placeholder = sql.placeholder;
const noLock = { startLockHolder: null, startLockUntil: null };

/** The other properties of a whole gig set nothing. */
function termsOf({ gigs }: Tables) {
  return {
    ...boundTo(gigs, ...STORED_TERMS),
    ...boundTo(gigs, 'tokenId', 'rewardAmount', 'feeAmount', 'endTime', 'externalUrl', 'earningCriteria', 'awardDays'),
    ...boundTo(gigs, 'refundName'),
  };
}

/** No look for the funding, and nothing that one has found. */
export const NO_START = { startUntil: null, startTryAt: null, startRefusal: null };

/** Until when a gig with these terms is looked at to start it. */
function startUntilOf({ start }: NewGig, now: number): number | null {
  return start === 'when_funded' ? now + START_LOOK_MS : null;
}

function createGigInsert(db: NounSql) {
  const { build, gigIds, prepare, tables } = db;
  const { gigs } = tables;
  const gig = createGigLookup(db);
  const fresh = boundTo(gigs, 'id', 'createdAt', 'createdBlock', 'walletAddress', 'client', 'createdBy', 'startUntil');
  const insert = prepare(
    build.insert(gigs).values({ ...termsOf(tables), ...fresh, status: 'created', production: false }),
  );
  return async (
    terms: NewGig,
    {
      now,
      walletAddress,
      id: reserved,
      createdBlock = null,
      client = null,
      createdBy = null,
    }: {
      now: number;
      walletAddress: (id: number) => Address;
      id?: number | undefined;
      /** The newest block of its chain now; not noted when absent. */
      createdBlock?: bigint | null;
      /** The owning client; none when absent. */
      client?: string | null;
      /** The API key that creates it; none when absent. */
      createdBy?: number | null;
    },
  ): Promise<Gig> => {
    if (reserved !== undefined) await gigIds.passGigId(reserved);
    const id = reserved ?? (await gigIds.reserveGigId());
    await insert.run({
      refundName: null,
      ...terms,
      id,
      createdAt: now,
      createdBlock,
      walletAddress: walletAddress(id),
      client,
      createdBy,
      startUntil: startUntilOf(terms, now),
    });
    const inserted = await gig(id);
    if (inserted === null) throw new TypeError(`gig ${id} has an unknown token ${terms.tokenId}`);
    return inserted;
  };
}

function createTermChange(db: Sql) {
  const { gigs } = db.tables;
  const until = gigs.startLockUntil;
  // A lease that ends later than a new one would was made before the clock was set back.
  const isStale = or(lte(until, placeholder('now')), gt(until, placeholder('implausible')));
  const isFree = or(isNull(gigs.startLockHolder), isStale);
  // A start whose lease has expired may still be running with the old terms: without its lock it fails.
  const anew = { ...noLock, ...NO_START, startUntil: bound('startUntil') };
  const change = prepareChange(db, gigs, { ...termsOf(db.tables), ...anew }, and(isCreated(db.tables), isFree));
  return (id: number, { terms, now }: { terms: NewGig; now: number }) =>
    change({
      refundName: null,
      ...terms,
      id,
      now,
      startUntil: startUntilOf(terms, now),
      implausible: now + 2 * START_LEASE_MS,
    });
}

function isCreated({ gigs }: Tables) {
  return and(equals(gigs.id, 'id'), eq(gigs.status, 'created'), isNull(gigs.cancelledAt));
}

function createStartLock(db: Sql) {
  const { gigs } = db.tables;
  const isFree = or(
    isNull(gigs.startLockHolder),
    lte(gigs.startLockUntil, placeholder('now')),
    // Two leases ahead means that it was made before the clock was set back.
    gt(gigs.startLockUntil, placeholder('implausible')),
    equals(gigs.startLockHolder, 'holder'),
    db.kit.startsWith(gigs.startLockHolder, 'takesOver'),
  );
  const isHeld = and(isCreated(db.tables), equals(gigs.startLockHolder, 'holder'));
  const lock = prepareChange(
    db,
    gigs,
    { startLockHolder: bound('holder'), startLockUntil: bound('until') },
    and(isCreated(db.tables), isFree),
  );
  const unlock = prepareChange(db, gigs, noLock, isHeld);
  const live = prepareChange(
    db,
    gigs,
    {
      status: 'live',
      production: true,
      startTime: bound('startTime'),
      endTime: bound('endTime'),
      ...noLock,
      ...NO_START,
    },
    isHeld,
  );
  return {
    /**
     * Takes the start lock; `holder` may take it again, and takes it over from every holder whose name begins with
     * `takesOver`. False while another holder's lease runs, or when not `created`.
     */
    lockGig: locked(
      byGig,
      (
        id: number,
        {
          takesOver,
          holder,
          now,
          until,
        }: { holder: string; takesOver?: string | undefined; now: number; until: number },
      ): Promise<boolean> => {
        const implausible = until + (until - now);
        // A prefix of null matches no holder.
        return lock({ id, takesOver: takesOver ?? null, holder, now, until, implausible });
      },
    ),
    /** Releases the lock; false when `holder` no longer had it. */
    unlockGig: locked(byGig, (id: number, holder: string) => unlock({ id, holder })),
    /** Created → live, production, lock released. Only while `holder` has the lock. */
    markLive: locked(byGig, (id: number, change: { holder: string; startTime: number; endTime: number }) =>
      live({ id, ...change }),
    ),
  };
}

export const gigChanges = noun((db: NounSql) => {
  const { build, prepare, tables } = db;
  const { gigTransactions, gigs } = tables;
  const freeze = prepareChange(db, gigs, { frozenReason: bound('reason') }, equals(gigs.id, 'id'));
  const checked = prepareChange(
    db,
    gigTransactions,
    { checkBlock: null },
    and(FUNDING_TO_CHECK, equals(gigTransactions.gigId, 'gigId')),
  );
  const postponed = prepareChange(
    db,
    gigTransactions,
    { checkBlock: bound('to') },
    and(equals(gigTransactions.gigId, 'gigId'), equals(gigTransactions.checkBlock, 'from')),
  );
  const recorded = {
    ...boundTo(gigTransactions, 'gigId', 'tokenId', 'chainId', 'amount', 'commissionAmount'),
    ...boundTo(gigTransactions, 'blockNumber', 'checkBlock', 'createdAt'),
  };
  const record = prepare(build.insert(gigTransactions).values(recorded));
  const isGig = equals(gigs.id, 'id');
  const freezeHand = prepareChange(
    db,
    gigs,
    { operatorFreeze: bound('reason') },
    and(isGig, isNull(gigs.operatorFreeze)),
  );
  const unfreezeHand = prepareChange(db, gigs, { operatorFreeze: null }, and(isGig, isNotNull(gigs.operatorFreeze)));
  const assign = prepareChange(db, gigs, { client: bound('client') }, and(isGig, isNull(gigs.client)));
  return {
    reads: {},
    writes: {
      /**
       * Inserts a gig under the reserved `id`, or else the next one. Ids are never reused, because the wallet derives from
       * them.
       */
      insertGig: locked(
        // Nothing knows the gig before it is committed.
        nothing,
        createGigInsert(db),
      ),
      /** Replaces the terms of a gig that is `created` and whose start is not locked at `now`; false otherwise. */
      changeTerms: locked(byGig, createTermChange(db)),
      ...createStartLock(db),
      recordGigTransaction: locked(byItsGig, async (transaction: GigTransaction, now: number): Promise<void> => {
        await record.run({ ...transaction, createdAt: now });
      }),
      /** Marks the gig's funding as checked again; false when no check was due. */
      markFundingChecked: locked(byGig, (gigId: number) => checked({ gigId })),
      /** Moves the funding check from block `from` to block `to`; false when it is no longer due at `from`. */
      postponeFundingCheck: locked(byGig, (gigId: number, { from, to }: { from: bigint; to: bigint }) =>
        postponed({ gigId, from: String(from), to: String(to) }),
      ),
      /**
       * Freezes a gig for the operator, or clears that with null; another reason stays. False when that changes nothing, or
       * there is no such gig.
       */
      freezeByOperator: locked(byGig, (id: number, reason: string | null) =>
        reason === null ? unfreezeHand({ id }) : freezeHand({ id, reason }),
      ),
      /** Assigns a gig without a client; false when it has one, or there is no such gig. */
      assignGig: locked(byGig, (id: number, client: string) => assign({ id, client })),
      /**
       * Freezes a gig for what an audit or a payment found, or clears that with null; an operator's freeze stays. Throws
       * when there is no such gig.
       */
      freezeGig: locked(
        byGig,
        async (id: number, { reason }: { reason: string | null; now: number }): Promise<void> => {
          if (!(await freeze({ id, reason }))) throw new RangeError(`there is no gig ${id} to freeze`);
        },
      ),
    },
  };
});
