import { and, eq, sql } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { TELLING_OPEN } from './telling-tables.ts';

function ofOwner({ gigTellings }: Tables) {
  return and(
    equals(gigTellings.gigId, 'gigId'),
    equals(gigTellings.platform, 'platform'),
    equals(gigTellings.platformUserId, 'platformUserId'),
  );
}

/** A telling's row, with the owner's two columns as one account. */
function toTelling<Row extends AccountKey>({ platform, platformUserId, ...row }: Row) {
  return { ...row, owner: { platform, platformUserId } };
}

export function createTellingReads({
  build,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'telling' | 'openTellings' | 'gigFacts'> {
  const { gigs, gigTellings, gigTransactions, payments } = tables;
  const { gigId, platform, platformUserId, mentionId, asked, state, told } = gigTellings;
  const columns = { gigId, platform, platformUserId, mentionId, asked, state, told };
  const one = prepare(build.select(columns).from(gigTellings).where(ofOwner(tables)));
  const { status, createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt, rewardAmount, awardedAmount } =
    gigs;
  const times = { createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt };
  const started = build.select({ at: gigTransactions.createdAt }).from(gigTransactions);
  const wentLiveAt = sql<number | null>`(${started.where(eq(gigTransactions.gigId, gigs.id))})`.mapWith(createdAt);
  const facts = { status, ...times, rewardAmount, awardedAmount, wentLiveAt };
  const factsById = prepare(build.select(facts).from(gigs).where(equals(gigs.id, 'gigId')));
  const isRefund = and(eq(payments.kind, 'refund'), eq(payments.state, 'confirmed'));
  const refund = prepare(
    build
      .select({ id: payments.id })
      .from(payments)
      .where(and(equals(payments.gigId, 'gigId'), isRefund)),
  );
  const open = prepare(build.select(columns).from(gigTellings).where(TELLING_OPEN).orderBy(gigTellings.id));
  return {
    async telling(gig, { platform, platformUserId }) {
      const row = await one.get({ gigId: gig, platform, platformUserId });
      return row === undefined ? null : toTelling(row);
    },
    openTellings: async () => (await open.all()).map(toTelling),
    async gigFacts(gigId) {
      const row = await factsById.get({ gigId });
      if (row === undefined) return null;
      return { ...row, isRefunded: row.settledAt !== null && (await refund.get({ gigId })) !== undefined };
    },
  };
}

export function createTellingWrites(db: Sql): Pick<StoreTx, 'keepTelling' | 'markTold' | 'endTelling'> {
  const { build, prepare, tables } = db;
  const { gigTellings } = tables;
  const isOpen = and(ofOwner(tables), eq(gigTellings.state, 'open'));
  const tell = prepareChange(db, gigTellings, { told: bound('told') }, and(isOpen, equals(gigTellings.told, 'from')));
  const end = prepareChange(db, gigTellings, { state: 'over' }, isOpen);
  return {
    async keepTelling({ gigId, owner, mentionId, asked, state, told }) {
      const kept = { mentionId, asked, state, told };
      const target = [gigTellings.gigId, gigTellings.platform, gigTellings.platformUserId];
      const insert = build.insert(gigTellings).values({ gigId, ...owner, ...kept });
      await prepare(insert.onConflictDoUpdate({ target, set: kept })).run();
    },
    markTold: ({ gigId, owner }, { from, told }) =>
      tell({ gigId, ...owner, from: JSON.stringify(from), told: JSON.stringify(told) }),
    endTelling: ({ gigId, owner }) => end({ gigId, ...owner }),
  };
}
