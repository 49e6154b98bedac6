import { and, desc, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { Target } from '../../../domain/earning/act.ts';
import type { GigWatch, Sweep } from '../../../domain/earning/watch.ts';
import type { LeaseRequest } from '../../port/mentions.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, typed } from '../statements.ts';
import { byGig, byItsGig, nothing } from '../subjects.ts';
import { readTarget, toTargetRow } from './earning-rules.ts';
import { WATCH_OPEN } from './watch-tables.ts';

const placeholder = sql.placeholder;

function ofGig({ watches }: Tables) {
  return equals(watches.gigId, 'gigId');
}

function onPlatform({ watches }: Tables) {
  return equals(watches.platform, 'platform');
}

type WatchRow = Tables['watches']['$inferSelect'];

function readSweep({
  sweepBegunAt,
  sweepKind,
  sweepCursor,
  sweepPages,
  sweepDoubtful: isDoubtful,
}: WatchRow): Sweep | null {
  if (sweepBegunAt === null || sweepKind === null || sweepPages === null) return null;
  return { begunAt: sweepBegunAt, kind: sweepKind, cursor: sweepCursor, pages: sweepPages, isDoubtful };
}

function readWatch(row: WatchRow): GigWatch {
  const { gigId, nextAt, lookedAt, sweptAt, sweptPages, goneAt, overAt, stoppedAt, failures } = row;
  const target = readTarget(row);
  const sweep = readSweep(row);
  return { gigId, target, nextAt, lookedAt, sweep, sweptAt, sweptPages, goneAt, overAt, stoppedAt, failures };
}

/** Adds an award to what a gig's earnings have been awarded. */
export function createEarnedSum(db: Sql): (gigId: number, amount: bigint) => Promise<void> {
  const { build, prepare, tables } = db;
  const { watches } = tables;
  const { earned } = watches;
  const kept = prepare(build.select({ earned }).from(watches).where(ofGig(tables)));
  const keep = prepareChange(db, watches, { earned: bound('earned') }, ofGig(tables));
  return async (gigId, amount) => {
    const row = await kept.get({ gigId });
    if (row === undefined) throw new RangeError(`gig ${gigId} is not watched`);
    await keep({ gigId, earned: String(row.earned + amount) });
  };
}

function isFreeWatch({ watches }: Tables) {
  return or(isNull(watches.lease), lte(watches.leaseUntil, placeholder('now')));
}

function selectDueWatch({ build, tables }: Sql) {
  const { watches } = tables;
  const isDue = and(WATCH_OPEN, onPlatform(tables), lte(watches.nextAt, placeholder('now')), isFreeWatch(tables));
  return build.select().from(watches).where(isDue).orderBy(watches.nextAt, watches.gigId);
}

function createWatchLeases(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { watches } = tables;
  const due = prepare(kit.claiming(selectDueWatch(db), watches));
  const isOfThis = and(WATCH_OPEN, ofGig(tables), isFreeWatch(tables));
  const free = prepare(kit.claiming(build.select().from(watches).where(isOfThis), watches));
  const hold = prepareChange(db, watches, { lease: bound('lease'), leaseUntil: bound('until') }, ofGig(tables));
  // A stop in the meantime is unknown to the step that ends now: the next one follows at once.
  const state = {
    nextAt: kit.ifElse(
      kit.isSame(watches.stoppedAt, placeholder('stoppedAt')),
      placeholder('nextAt'),
      watches.stoppedAt,
    ),
    lookedAt: bound('lookedAt'),
    sweepBegunAt: bound('begunAt'),
    sweepKind: bound('kind'),
    sweepCursor: bound('cursor'),
    sweepPages: bound('pages'),
    sweepDoubtful: sql`${typed(watches.sweepDoubtful, 'isDoubtful')}`,
    sweptAt: bound('sweptAt'),
    sweptPages: bound('sweptPages'),
    goneAt: bound('goneAt'),
    overAt: bound('overAt'),
    failures: bound('failures'),
  };
  const isHeld = and(ofGig(tables), equals(watches.lease, 'lease'));
  const keep = prepareChange(db, watches, state, isHeld);
  const release = prepareChange(db, watches, { ...state, lease: null, leaseUntil: null }, isHeld);
  const take = async (row: WatchRow | undefined, { lease, until }: LeaseRequest): Promise<GigWatch | null> => {
    if (row === undefined) return null;
    await hold({ gigId: row.gigId, lease, until });
    return readWatch(row);
  };
  return {
    /** Leases the watch of a platform that is due longest, unless it is over. */
    leaseWatch: locked(
      nothing,
      async (platform: Platform, request: LeaseRequest): Promise<GigWatch | null> =>
        await take(await due.get({ platform, now: request.now }), request),
    ),
    /** Leases the watch of a gig, due or not; null when it is over or leased, or there is none. */
    leaseWatchOf: locked(
      byGig,
      async (gigId: number, request: LeaseRequest): Promise<GigWatch | null> =>
        await take(await free.get({ gigId, now: request.now }), request),
    ),
    /** Stores a watch's new state and, with `release`, ends the lease. Only under the lease. */
    storeWatch: locked(
      // Before the watch's row: an award changes it as well.
      byItsGig,
      async (
        { target: _stays, sweep, ...rest }: GigWatch,
        change: { lease: string; release: boolean },
      ): Promise<boolean> => {
        const { begunAt = null, kind = null, cursor = null, pages = null, isDoubtful = false } = sweep ?? {};
        const row = { ...rest, begunAt, kind, cursor, pages, isDoubtful, lease: change.lease };
        return await (change.release ? release : keep)(row);
      },
    ),
  };
}

function createWatchReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { watches } = tables;
  const due = prepare(kit.first(selectDueWatch(db)));
  const watchOf = prepare(build.select().from(watches).where(ofGig(tables)));
  const open = prepare(
    build
      .select()
      .from(watches)
      .where(and(WATCH_OPEN, onPlatform(tables)))
      .orderBy(desc(watches.gigId))
      .limit(placeholder('limit')),
  );
  return {
    watch: locked(byGig, async (gigId: number): Promise<GigWatch | null> => {
      const row = await watchOf.get({ gigId });
      return row === undefined ? null : readWatch(row);
    }),
    /** Whether `leaseWatch` would find one now. */
    isWatchDue: locked(
      nothing,
      async (platform: Platform, now: number): Promise<boolean> => (await due.get({ platform, now })) !== undefined,
    ),
    /** Watched gigs of a platform that are not over, newest first. */
    openWatches: locked(
      nothing,
      async (platform: Platform, { limit }: { limit: number }): Promise<GigWatch[]> =>
        (await open.all({ platform, limit })).map(readWatch),
    ),
    /** The secret of the draws of a gig that accounts enter; null for others. */
    entrySecret: locked(
      byGig,
      async (gigId: number): Promise<string | null> => (await watchOf.get({ gigId }))?.entrySecret ?? null,
    ),
    /** What the gig's earnings have been awarded, in base units; tips by request are not in it. */
    earnedAmount: locked(byGig, async (gigId: number): Promise<bigint> => (await watchOf.get({ gigId }))?.earned ?? 0n),
  };
}

export const watches = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigs, watches } = tables;
  const begun = boundTo(
    watches,
    'gigId',
    'platform',
    'nextAt',
    'targetKind',
    'targetId',
    'targetAuthor',
    'entrySecret',
  );
  const watch = prepare(build.insert(watches).values(begun).onConflictDoNothing());
  const isLive = and(equals(gigs.id, 'gigId'), eq(gigs.status, 'live'));
  const live = prepare(build.select({ platform: gigs.platform }).from(gigs).where(isLive));
  return {
    reads: createWatchReads(db),
    writes: {
      /** Begins to watch a live gig, with the secret of its draws where accounts enter; false when it is not live, or watched already. */
      openWatch: locked(
        byGig,
        async (
          gigId: number,
          { target, nextAt, entrySecret = null }: { target: Target; nextAt: number; entrySecret?: string | null },
        ): Promise<boolean> => {
          const gig = await live.get({ gigId });
          if (gig === undefined) return false;
          return (
            (await watch.run({ gigId, platform: gig.platform, nextAt, entrySecret, ...toTargetRow(target) })) === 1
          );
        },
      ),
      ...createWatchLeases(db),
    },
  };
});
