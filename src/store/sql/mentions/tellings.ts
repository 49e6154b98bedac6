import { and, eq, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { GigEvent, GigFacts, Telling } from '../../../domain/gigs/notice.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byGig, byItsGig, nothing } from '../subjects.ts';
import { TELLING_OPEN } from './telling-tables.ts';

function ofOwner({ gigTellings }: Tables) {
  return and(
    equals(gigTellings.gigId, 'gigId'),
    equals(gigTellings.platform, 'platform'),
    equals(gigTellings.platformUserId, 'platformUserId'),
  );
}

function toTelling<Row extends AccountKey>({ platform, platformUserId, ...row }: Row) {
  return { ...row, owner: { platform, platformUserId } };
}

function createFactsRead(db: Sql) {
  const { build, prepare, tables } = db;
  const { gigTransactions, gigs, payments } = tables;
  const { status, createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt, rewardAmount, awardedAmount } =
    gigs;
  const { start, startUntil } = gigs;
  const times = { createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt };
  const started = build.select({ at: gigTransactions.createdAt }).from(gigTransactions);
  const wentLiveAt = sql<number | null>`(${started.where(eq(gigTransactions.gigId, gigs.id))})`.mapWith(createdAt);
  const facts = { status, ...times, start, startUntil, rewardAmount, awardedAmount, wentLiveAt };
  const factsById = prepare(build.select(facts).from(gigs).where(equals(gigs.id, 'gigId')));
  const isRefund = and(eq(payments.kind, 'refund'), eq(payments.state, 'confirmed'));
  const refund = prepare(
    build
      .select({ id: payments.id })
      .from(payments)
      .where(and(equals(payments.gigId, 'gigId'), isRefund)),
  );
  return {
    /** What decides on the events of a gig, which costs less than the whole gig; null when there is no such gig. */
    gigFacts: locked(byGig, async (gigId: number): Promise<GigFacts | null> => {
      const row = await factsById.get({ gigId });
      if (row === undefined) return null;
      return { ...row, isRefunded: row.settledAt !== null && (await refund.get({ gigId })) !== undefined };
    }),
  };
}

export const tellings = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigTellings } = tables;
  const { gigId, platform, platformUserId, mentionId, asked, state, told } = gigTellings;
  const columns = { gigId, platform, platformUserId, mentionId, asked, state, told };
  const one = prepare(build.select(columns).from(gigTellings).where(ofOwner(tables)));
  const open = prepare(build.select(columns).from(gigTellings).where(TELLING_OPEN).orderBy(gigTellings.id));
  const kept = boundTo(gigTellings, 'mentionId', 'asked', 'state', 'told');
  const keep = prepare(
    build
      .insert(gigTellings)
      .values({ ...boundTo(gigTellings, 'gigId', 'platform', 'platformUserId'), ...kept })
      .onConflictDoUpdate({ target: [gigId, platform, platformUserId], set: kept }),
  );
  const isOpen = and(ofOwner(tables), eq(gigTellings.state, 'open'));
  const tell = prepareChange(db, gigTellings, { told: bound('told') }, and(isOpen, equals(gigTellings.told, 'from')));
  const end = prepareChange(db, gigTellings, { state: 'over' }, isOpen);
  return {
    reads: {
      /** What an owner is told about a gig; null when nothing was ever settled about it. */
      telling: locked(byGig, async (gig: number, { platform, platformUserId }: AccountKey): Promise<Telling | null> => {
        const row = await one.get({ gigId: gig, platform, platformUserId });
        return row === undefined ? null : toTelling(row);
      }),
      /** All tellings that are open, oldest first. */
      openTellings: locked(nothing, async (): Promise<Telling[]> => (await open.all()).map(toTelling)),
      ...createFactsRead(db),
    },
    writes: {
      /** Stores what an owner is told about a gig from now on; replaces what was stored about that owner. */
      storeTelling: locked(
        byItsGig,
        async ({ gigId, owner, mentionId, asked, state, told }: Telling): Promise<void> => {
          await keep.run({ gigId, ...owner, mentionId, asked, state, told });
        },
      ),
      /** Adds to the events that count as told; false when they are no longer `from`, or the telling is not open. */
      markTold: locked(
        byItsGig,
        (
          { gigId, owner }: Pick<Telling, 'gigId' | 'owner'>,
          { from, told }: { from: readonly GigEvent[]; told: readonly GigEvent[] },
        ) => tell({ gigId, ...owner, from: JSON.stringify(from), told: JSON.stringify(told) }),
      ),
      /** Open → over; false when it is not open. */
      endTelling: locked(byItsGig, ({ gigId, owner }: Pick<Telling, 'gigId' | 'owner'>) => end({ gigId, ...owner })),
    },
  };
});
