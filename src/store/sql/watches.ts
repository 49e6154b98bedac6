import { and, desc, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { Sweep, Watch } from '../../domain/earning/watch.ts';
import type { LeaseRequest } from '../port/mentions.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { WATCH_OPEN, watches } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs } from './tables.ts';
import { readTarget, toTargetRow } from './targets.ts';

const placeholder = sql.placeholder;
const ofGig = equals(watches.gigId, 'gigId');
const onPlatform = equals(watches.platform, 'platform');

type WatchRow = typeof watches.$inferSelect;

function readSweep({ sweepBegunAt, sweepKind, sweepCursor, sweepPages }: WatchRow): Sweep | null {
  if (sweepBegunAt === null || sweepKind === null || sweepPages === null) return null;
  return { begunAt: sweepBegunAt, kind: sweepKind, cursor: sweepCursor, pages: sweepPages };
}

function readWatch(row: WatchRow): Watch {
  const { gigId, nextAt, lookedAt, sweptAt, sweptPages, goneAt, overAt, stoppedAt, failures } = row;
  const target = readTarget(row);
  const sweep = readSweep(row);
  return { gigId, target, nextAt, lookedAt, sweep, sweptAt, sweptPages, goneAt, overAt, stoppedAt, failures };
}

export function createWatchReads(db: Db): Pick<SyncReads, 'watch' | 'openWatches' | 'earnedAmount'> {
  const byGig = prepare(db, db.select().from(watches).where(ofGig));
  const open = prepare(
    db,
    db
      .select()
      .from(watches)
      .where(and(WATCH_OPEN, onPlatform))
      .orderBy(desc(watches.gigId))
      .limit(placeholder('limit')),
  );
  return {
    watch(gigId) {
      const row = byGig.get({ gigId });
      return row === undefined ? null : readWatch(row);
    },
    openWatches: (platform, { limit }) => open.all({ platform, limit }).map(readWatch),
    earnedAmount: (gigId) => byGig.get({ gigId })?.earned ?? 0n,
  };
}

/** Adds an award to what a gig's earnings have been awarded. */
export function createEarnedSum(db: Db): (gigId: number, amount: bigint) => void {
  const { earned } = watches;
  const kept = prepare(db, db.select({ earned }).from(watches).where(ofGig));
  const keep = prepareChange(db, watches, { earned: bound('earned') }, ofGig);
  return (gigId, amount) => {
    const row = kept.get({ gigId });
    if (row === undefined) throw new RangeError(`gig ${gigId} is not watched`);
    keep({ gigId, earned: String(row.earned + amount) });
  };
}

function createWatchLeases(db: Db): Pick<SyncWrites, 'leaseWatch' | 'leaseWatchOf' | 'keepWatch'> {
  const isFree = or(isNull(watches.lease), lte(watches.leaseUntil, placeholder('now')));
  const isDue = and(WATCH_OPEN, onPlatform, lte(watches.nextAt, placeholder('now')), isFree);
  const due = prepare(db, db.select().from(watches).where(isDue).orderBy(watches.nextAt, watches.gigId));
  const free = prepare(
    db,
    db
      .select()
      .from(watches)
      .where(and(WATCH_OPEN, ofGig, isFree)),
  );
  const hold = prepareChange(db, watches, { lease: bound('lease'), leaseUntil: bound('until') }, ofGig);
  // A stop in the meantime is unknown to the step that ends now: the next one follows at once.
  const state = {
    nextAt: sql`iif(${watches.stoppedAt} is ${placeholder('stoppedAt')}, ${placeholder('nextAt')}, ${watches.stoppedAt})`,
    lookedAt: bound('lookedAt'),
    sweepBegunAt: bound('begunAt'),
    sweepKind: bound('kind'),
    sweepCursor: bound('cursor'),
    sweepPages: bound('pages'),
    sweptAt: bound('sweptAt'),
    sweptPages: bound('sweptPages'),
    goneAt: bound('goneAt'),
    overAt: bound('overAt'),
    failures: bound('failures'),
  };
  const isHeld = and(ofGig, equals(watches.lease, 'lease'));
  const keep = prepareChange(db, watches, state, isHeld);
  const release = prepareChange(db, watches, { ...state, lease: null, leaseUntil: null }, isHeld);
  const take = (row: WatchRow | undefined, { lease, until }: LeaseRequest): Watch | null => {
    if (row === undefined) return null;
    hold({ gigId: row.gigId, lease, until });
    return readWatch(row);
  };
  return {
    leaseWatch: (platform, request) => take(due.get({ platform, now: request.now }), request),
    leaseWatchOf: (gigId, request) => take(free.get({ gigId, now: request.now }), request),
    keepWatch({ target: _stays, sweep, ...rest }, change) {
      const { begunAt = null, kind = null, cursor = null, pages = null } = sweep ?? {};
      return (change.release ? release : keep)({ ...rest, begunAt, kind, cursor, pages, lease: change.lease });
    },
  };
}

type WatchChanges = 'openWatch' | 'leaseWatch' | 'leaseWatchOf' | 'keepWatch';

export function createWatchWrites(db: Db): Pick<SyncWrites, WatchChanges> {
  const isLive = and(equals(gigs.id, 'gigId'), eq(gigs.status, 'live'));
  const live = prepare(db, db.select({ platform: gigs.platform }).from(gigs).where(isLive));
  return {
    openWatch(gigId, { target, nextAt }) {
      const gig = live.get({ gigId });
      if (gig === undefined) return false;
      const row = { gigId, platform: gig.platform, nextAt, ...toTargetRow(target) };
      return db.insert(watches).values(row).onConflictDoNothing().run().changes === 1;
    },
    ...createWatchLeases(db),
  };
}
