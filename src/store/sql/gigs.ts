import { and, desc, getTableColumns, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../domain/account.ts';
import type { Gig } from '../../domain/gig.ts';
import { PLATFORMS } from '../../domain/platforms.ts';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { FUNDING_TO_CHECK, GIG_FROZEN, GIG_WENT_LIVE, gigs, gigTransactions, tokens } from './tables.ts';
import { createTokenLookup } from './tokens.ts';

const placeholder = sql.placeholder;

/** The reason of an audit or a payment takes precedence over the operator's. */
const WHY_FROZEN = sql<string | null>`coalesce(${gigs.frozenReason}, ${gigs.operatorFreeze})`;

/** Finds a gig by its id, with its token and its start record; null when there is none. */
export function createGigLookup(db: Db): (id: number) => Gig | null {
  const byId = prepare(db, db.select().from(gigs).where(equals(gigs.id, 'id')));
  const tokenById = createTokenLookup(db);
  const transaction = prepare(
    db,
    db.select({ id: gigTransactions.id }).from(gigTransactions).where(equals(gigTransactions.gigId, 'id')),
  );
  return (id) => {
    const row = byId.get({ id });
    const token = row && tokenById(row.tokenId);
    if (row === undefined || token === undefined) return null;
    const { tokenId: _, startLockHolder: _holder, startLockUntil: _until, ...rest } = row;
    const { frozenReason: _found, operatorFreeze: _said, nextTipNumber: _next, gasUsed: _gas, ...gig } = rest;
    const endTime = gig.stoppedAt ?? gig.endTime;
    return { ...gig, endTime, token, transactionId: transaction.get({ id })?.id ?? null };
  };
}

/** One platform's part of a list. */
interface Part {
  readonly platform: Platform;
  readonly now: number;
  readonly limit: number;
  readonly before: number;
}

/**
 * Finds the ids of a platform's gigs, newest first. An index per status gives that order, so only one page is read;
 * active gigs are few, so an index of their windows finds those that are not over and the result is sorted.
 */
function createIdLists(db: Db) {
  const list = (where: SQL | undefined, order: SQL) =>
    prepare(db, db.select({ id: gigs.id }).from(gigs).where(where).orderBy(order).limit(placeholder('limit')));
  const ofPlatform = equals(gigs.platform, 'platform');
  const now = placeholder('now');
  const inStatus = and(ofPlatform, equals(gigs.status, 'status'), lt(gigs.id, placeholder('before')));
  const newest = list(inStatus, desc(gigs.id));
  const over = list(and(inStatus, or(lte(gigs.endTime, now), isNotNull(gigs.stoppedAt))), desc(gigs.id));
  const notOver = and(GIG_WENT_LIVE, ofPlatform, gt(gigs.endTime, now), isNull(gigs.stoppedAt));
  // The plus keeps SQLite from using the id, so that it takes the index of the windows.
  const id = sql`+${gigs.id}`;
  const older = lt(id, placeholder('before'));
  const live = list(and(notOver, older), desc(id));
  const active = list(and(notOver, lte(gigs.startTime, now), older), desc(id));
  const waiting = list(and(inStatus, isNull(gigs.cancelledAt)), desc(gigs.id));
  const cancelled = list(and(inStatus, isNotNull(gigs.cancelledAt)), desc(gigs.id));
  return {
    created: (part: Part) => waiting.all({ ...part, status: 'created' }),
    cancelled: (part: Part) => cancelled.all({ ...part, status: 'created' }),
    neverLive: (part: Part) => newest.all({ ...part, status: 'created' }),
    wentLive: (part: Part) => newest.all({ ...part, status: 'live' }),
    live: (part: Part) => live.all({ ...part }),
    active: (part: Part) => active.all({ ...part }),
    ended: (part: Part) => over.all({ ...part, status: 'live' }),
  };
}

function createGigList(db: Db): SyncReads['gigs'] {
  const lists = createIdLists(db);
  const gig = createGigLookup(db);
  const find: SyncReads['gigs'] = ({
    phase,
    now,
    platforms = PLATFORMS.map(({ id }) => id),
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }) => {
    const phases = phase === 'all' ? (['neverLive', 'wentLive'] as const) : [phase];
    const parts = [...new Set(platforms)].map((platform) => ({ platform, now, limit, before }));
    const found = parts.flatMap((part) => phases.flatMap((each) => lists[each](part)));
    const page = found.sort((a, b) => b.id - a.id).slice(0, limit);
    return page.flatMap(({ id }) => gig(id) ?? []);
  };
  // One snapshot: otherwise a gig that another process makes live meanwhile would appear in two parts.
  return db.$client.transaction(find);
}

export function createGigReads(db: Db) {
  const { id: _id, createdAt: _at, ...booked } = getTableColumns(gigTransactions);
  const transactions = prepare(
    db,
    db.select(booked).from(gigTransactions).where(equals(gigTransactions.gigId, 'gigId')),
  );
  const toCheck = prepare(
    db,
    db
      .select({
        gigId: gigTransactions.gigId,
        blockNumber: gigTransactions.blockNumber,
        checkBlock: sql<bigint>`${gigTransactions.checkBlock}`.mapWith(BigInt),
      })
      .from(gigTransactions)
      .where(and(FUNDING_TO_CHECK, equals(gigTransactions.chainId, 'chainId'))),
  );
  const freeze = prepare(db, db.select({ reason: WHY_FROZEN }).from(gigs).where(equals(gigs.id, 'gigId')));
  const why = {
    gigId: gigs.id,
    reason: sql<string>`${WHY_FROZEN}`,
    isByOperator: sql<boolean>`${isNull(gigs.frozenReason)}`.mapWith(Boolean),
  };
  const frozen = prepare(db, db.select(why).from(gigs).where(GIG_FROZEN).orderBy(gigs.id));
  const wallet = prepare(db, db.select({ id: gigs.id }).from(gigs).where(equals(gigs.walletAddress, 'address')));
  const token = prepare(db, db.select({ id: tokens.id }).from(tokens).where(equals(tokens.address, 'address')));
  return {
    gig: createGigLookup(db),
    gigs: createGigList(db),
    isOwnAddress: (address) => wallet.get({ address }) !== undefined || token.get({ address }) !== undefined,
    gigFreeze: (gigId) => freeze.get({ gigId })?.reason ?? null,
    frozenGigs: () => frozen.all(),
    fundingsToCheck: (chainId) => toCheck.all({ chainId }),
    gigTransactions: (gigId) => transactions.all({ gigId }),
  } satisfies Partial<SyncReads>;
}
