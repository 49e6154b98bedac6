import { and, eq } from 'drizzle-orm';
import type { AccountKey } from '../../domain/account.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs, payments } from './tables.ts';
import { gigTellings, TELLING_OPEN } from './telling-tables.ts';

const ofOwner = and(
  equals(gigTellings.gigId, 'gigId'),
  equals(gigTellings.platform, 'platform'),
  equals(gigTellings.platformUserId, 'platformUserId'),
);

/** A telling's row, with the owner's two columns as one account. */
function toTelling<Row extends AccountKey>({ platform, platformUserId, ...row }: Row) {
  return { ...row, owner: { platform, platformUserId } };
}

export function createTellingReads(db: Db): Pick<SyncReads, 'telling' | 'openTellings' | 'gigFacts'> {
  const { gigId, platform, platformUserId, mentionId, asked, state, told } = gigTellings;
  const columns = { gigId, platform, platformUserId, mentionId, asked, state, told };
  const one = prepare(db, db.select(columns).from(gigTellings).where(ofOwner));
  const { status, createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt, rewardAmount, awardedAmount } =
    gigs;
  const times = { createdAt, startTime, endTime, stoppedAt, cancelledAt, settledAt };
  const facts = { status, ...times, rewardAmount, awardedAmount };
  const factsById = prepare(db, db.select(facts).from(gigs).where(equals(gigs.id, 'gigId')));
  const isRefund = and(eq(payments.kind, 'refund'), eq(payments.state, 'confirmed'));
  const refund = prepare(
    db,
    db
      .select({ id: payments.id })
      .from(payments)
      .where(and(equals(payments.gigId, 'gigId'), isRefund)),
  );
  const open = prepare(db, db.select(columns).from(gigTellings).where(TELLING_OPEN).orderBy(gigTellings.id));
  return {
    telling(gig, { platform, platformUserId }) {
      const row = one.get({ gigId: gig, platform, platformUserId });
      return row === undefined ? null : toTelling(row);
    },
    openTellings: () => open.all().map(toTelling),
    gigFacts(gigId) {
      const row = factsById.get({ gigId });
      if (row === undefined) return null;
      return { ...row, isRefunded: row.settledAt !== null && refund.get({ gigId }) !== undefined };
    },
  };
}

export function createTellingWrites(db: Db): Pick<SyncWrites, 'keepTelling' | 'markTold' | 'endTelling'> {
  const isOpen = and(ofOwner, eq(gigTellings.state, 'open'));
  const tell = prepareChange(db, gigTellings, { told: bound('told') }, and(isOpen, equals(gigTellings.told, 'from')));
  const end = prepareChange(db, gigTellings, { state: 'over' }, isOpen);
  return {
    keepTelling({ gigId, owner, mentionId, asked, state, told }) {
      const kept = { mentionId, asked, state, told };
      db.insert(gigTellings)
        .values({ gigId, ...owner, ...kept })
        .onConflictDoUpdate({
          target: [gigTellings.gigId, gigTellings.platform, gigTellings.platformUserId],
          set: kept,
        })
        .run();
    },
    markTold: ({ gigId, owner }, { from, told }) =>
      tell({ gigId, ...owner, from: JSON.stringify(from), told: JSON.stringify(told) }),
    endTelling: ({ gigId, owner }) => end({ gigId, ...owner }),
  };
}
