import { and, eq, exists, getTableColumns, gt, gte, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { NamedGig } from '../../../domain/earning/words/gig-name.ts';
import type { FundingCheck, Gig, GigTransaction } from '../../../domain/gigs/gig.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import type { GigFilter } from '../../port/gigs.ts';
import type { TwoWayPage } from '../../port/page.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { equals, prepareTwoWays, readEach } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { FUNDING_TO_CHECK, GIG_FROZEN, GIG_WENT_LIVE } from './gig-tables.ts';
import { tokenColumns } from './tokens.ts';

const placeholder = sql.placeholder;

/** The reason of an audit or a payment takes precedence over the operator's. */
function whyFrozen({ gigs }: Tables) {
  return sql<string | null>`coalesce(${gigs.frozenReason}, ${gigs.operatorFreeze})`;
}

/** Finds a gig by its id, with its token and its start record; null when there is none. */
export function createGigLookup(db: Sql): (id: number) => Promise<Gig | null> {
  const { build, prepare, tables } = db;
  const { gigs, gigTransactions, tokens } = tables;
  const byId = prepare(
    build
      .select({
        row: getTableColumns(gigs),
        token: tokenColumns(tables),
        start: { id: gigTransactions.id, at: gigTransactions.createdAt },
      })
      .from(gigs)
      .innerJoin(tokens, eq(tokens.id, gigs.tokenId))
      // A gig has one at most.
      .leftJoin(gigTransactions, eq(gigTransactions.gigId, gigs.id))
      .where(equals(gigs.id, 'id')),
  );
  return async (id) => {
    const found = await byId.get({ id });
    if (found === undefined) return null;
    const { row, token, start } = found;
    const { tokenId: _, startLockHolder: _holder, startLockUntil: _until, voidedAmount: _voided, ...rest } = row;
    const { frozenReason: _found, operatorFreeze: _said, nextTipNumber: _next, gasUsed: _gas, ...shown } = rest;
    const { startTryAt: _tryAt, fundingHash: _hash, ...gig } = shown;
    const endTime = gig.stoppedAt ?? gig.endTime;
    // One that was stopped before its window has an empty window, at the stop.
    const startTime = Math.min(gig.startTime, endTime);
    return { ...gig, startTime, endTime, token, transactionId: start?.id ?? null, wentLiveAt: start?.at ?? null };
  };
}

interface Part extends TwoWayPage {
  readonly platform: Platform;
  readonly now: number;
}

/**
 * Finds the ids of a platform's gigs, newest or oldest first. An index per status gives that order, so only one page is read;
 * active gigs are few, so an index of their windows finds those that are not over and the result is sorted.
 */
function createIdLists({ build, kit, prepare, tables }: Sql) {
  const { gigs, gigTransactions } = tables;
  const list = (condition: SQL | undefined, id: Parameters<typeof prepareTwoWays>[0] = gigs.id) =>
    prepareTwoWays(id, (isOnSide, order) =>
      prepare(
        build
          .select({ id: gigs.id })
          .from(gigs)
          .where(and(condition, isOnSide))
          .orderBy(order)
          .limit(placeholder('limit')),
      ),
    );
  const ofPlatform = equals(gigs.platform, 'platform');
  const now = placeholder('now');
  const inStatus = and(ofPlatform, equals(gigs.status, 'status'));
  const all = list(inStatus);
  const over = list(and(inStatus, or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt))));
  const notOver = and(GIG_WENT_LIVE, ofPlatform, gt(gigs.endTime, now), isNull(gigs.stoppedAt));
  // Keeps SQLite from using the id, so that it takes the index of the windows.
  const id = kit.noWayIn(gigs.id);
  const live = list(notOver, id);
  const begunAtStart = build
    .select({ one: sql`1` })
    .from(gigTransactions)
    .where(and(eq(gigTransactions.gigId, gigs.id), gte(gigTransactions.createdAt, gigs.startTime)));
  // The same as hasBegun.
  const hasBegun = or(lte(gigs.startTime, now), exists(begunAtStart));
  const active = list(and(notOver, hasBegun), id);
  const waiting = list(and(inStatus, isNull(gigs.cancelledAt)));
  const cancelled = list(and(inStatus, isNotNull(gigs.cancelledAt)));
  return {
    created: (part: Part) => waiting({ ...part, status: 'created' }),
    cancelled: (part: Part) => cancelled({ ...part, status: 'created' }),
    neverLive: (part: Part) => all({ ...part, status: 'created' }),
    wentLive: (part: Part) => all({ ...part, status: 'live' }),
    live: (part: Part) => live({ ...part }),
    active: (part: Part) => active({ ...part }),
    ended: (part: Part) => over({ ...part, status: 'live' }),
  };
}

function createGigList(db: Sql) {
  const lists = createIdLists(db);
  const gig = createGigLookup(db);
  return async ({
    phase,
    now,
    platforms = PLATFORMS.map(({ id }) => id),
    ...within
  }: TwoWayPage & GigFilter): Promise<Gig[]> => {
    const phases = phase === 'all' ? (['neverLive', 'wentLive'] as const) : [phase];
    const parts = [...new Set(platforms)].flatMap((platform) => phases.map((list) => ({ list, platform })));
    const found = await readEach(parts, ({ list, platform }) => lists[list]({ ...within, platform, now }));
    // Each once: a gig that another process makes live meanwhile may be in two parts.
    const ids = new Set(found.flat().map(({ id }) => id));
    const sign = within.after === undefined ? -1 : 1;
    const page = [...ids].sort((a, b) => sign * (a - b)).slice(0, within.limit);
    return (await readEach(page, gig)).filter((each) => each !== null);
  };
}

export const gigs = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigTransactions, gigs, tokens } = tables;
  const reason = whyFrozen(tables);
  const { id: _id, createdAt: _at, ...booked } = getTableColumns(gigTransactions);
  const transactions = prepare(
    build.select(booked).from(gigTransactions).where(equals(gigTransactions.gigId, 'gigId')),
  );
  const { id, title, gigType, platform, howToEarn, externalUrl } = gigs;
  const names = prepare(
    build.select({ id, title, gigType, platform, howToEarn, externalUrl }).from(gigs).where(db.kit.isAmong(id, 'ids')),
  );
  const toCheck = prepare(
    build
      .select({
        gigId: gigTransactions.gigId,
        blockNumber: gigTransactions.blockNumber,
        checkBlock: sql<bigint>`${gigTransactions.checkBlock}`.mapWith(BigInt),
      })
      .from(gigTransactions)
      .where(and(FUNDING_TO_CHECK, equals(gigTransactions.chainId, 'chainId')))
      .orderBy(gigTransactions.id),
  );
  const freeze = prepare(build.select({ reason }).from(gigs).where(equals(gigs.id, 'gigId')));
  const why = {
    gigId: gigs.id,
    reason: sql<string>`${reason}`,
    isByOperator: sql<boolean>`${isNull(gigs.frozenReason)}`.mapWith(Boolean),
  };
  const frozen = prepare(build.select(why).from(gigs).where(GIG_FROZEN).orderBy(gigs.id));
  const wallet = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.walletAddress, 'address')));
  const token = prepare(build.select({ id: tokens.id }).from(tokens).where(equals(tokens.address, 'address')));
  return {
    reads: {
      gig: locked(byGig, createGigLookup(db)),
      /** What gigs are named by, in any order; ids of no gig are left out. */
      gigsNamed: locked(nothing, (ids: readonly number[]): Promise<NamedGig[]> => names.all({ ids })),
      /** `now` decides the phase of a live gig. */
      gigs: locked(nothing, createGigList(db)),
      /** Whether an address is a stored token's or a gig's wallet: such a recipient is refused. */
      isOwnAddress: locked(
        nothing,
        async (address: Address): Promise<boolean> =>
          (await wallet.get({ address })) !== undefined || (await token.get({ address })) !== undefined,
      ),
      /** Why a gig is frozen, or null; the reason of an audit or a payment precedes the operator's. */
      gigFreeze: locked(
        byGig,
        async (gigId: number): Promise<string | null> => (await freeze.get({ gigId }))?.reason ?? null,
      ),
      /** Every frozen gig with its reason, by id; `isByOperator` when that is the operator's, which no audit undoes. */
      frozenGigs: locked(
        nothing,
        (): Promise<{ gigId: number; reason: string; isByOperator: boolean }[]> => frozen.all(),
      ),
      /**
       * The started gigs of a chain whose funding must be checked again, each with the block in which it was seen and the
       * block that must have settled.
       */
      fundingsToCheck: locked(nothing, (chainId: number): Promise<FundingCheck[]> => toCheck.all({ chainId })),
      gigTransactions: locked(byGig, (gigId: number): Promise<GigTransaction[]> => transactions.all({ gigId })),
    },
    writes: {},
  };
});
