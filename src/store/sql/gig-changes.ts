import { and, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type NewGig, START_LEASE_MS } from '../../domain/gig.ts';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { createGigEndWrites } from './gig-ends.ts';
import { createGigLookup } from './gigs.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { FUNDING_TO_CHECK, gigs, gigTransactions } from './tables.ts';

/** SQLite's table of the last id that each AUTOINCREMENT table gave out. */
const sequences = sqliteTable('sqlite_sequence', { name: text('name'), seq: integer('seq').notNull() });

const placeholder = sql.placeholder;
const isCreated = and(equals(gigs.id, 'id'), eq(gigs.status, 'created'), isNull(gigs.cancelledAt));
const noLock = { startLockHolder: null, startLockUntil: null };

/** Copies the terms by name, so that extra properties of the object, such as those of a whole gig, set nothing. */
function termsOf(gig: NewGig): NewGig {
  return {
    tokenId: gig.tokenId,
    rewardAmount: gig.rewardAmount,
    feeAmount: gig.feeAmount,
    startTime: gig.startTime,
    endTime: gig.endTime,
    duration: gig.duration,
    gigType: gig.gigType,
    platform: gig.platform,
    howToEarn: gig.howToEarn,
    earningCriteria: gig.earningCriteria,
    externalUrl: gig.externalUrl,
    verifier: gig.verifier,
    refundAddress: gig.refundAddress,
    awardDays: gig.awardDays,
  };
}

/** Counts gig ids in SQLite's own sequence, so that a reserved id is not given out again unless released. */
function createGigIds(db: Db): Pick<SyncWrites, 'reserveGigId' | 'releaseGigId'> & { last: () => number } {
  const isGigs = eq(sequences.name, 'gigs');
  const newest = prepare(db, db.select({ id: sequences.seq }).from(sequences).where(isGigs));
  const last = () => newest.get()?.id ?? 0;
  const set = prepareChange(db, sequences, { seq: bound('id') }, isGigs);
  const used = prepare(db, db.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'id')));
  return {
    last,
    reserveGigId() {
      const id = last() + 1;
      if (!set({ id })) db.insert(sequences).values({ name: 'gigs', seq: id }).run();
      return id;
    },
    releaseGigId(id) {
      if (last() !== id || used.get({ id }) !== undefined) return false;
      return set({ id: id - 1 });
    },
  };
}

function createGigInsert(db: Db, last: () => number): SyncWrites['insertGig'] {
  const gig = createGigLookup(db);
  return (terms, { now, walletAddress, id: reserved, client = null, createdBy = null }) => {
    // No other transaction can take the id meanwhile: only one writes at a time.
    const id = reserved ?? last() + 1;
    const fresh = {
      id,
      createdAt: now,
      status: 'created',
      production: false,
      walletAddress: walletAddress(id),
      client,
      createdBy,
    } as const;
    db.insert(gigs)
      .values({ ...termsOf(terms), ...fresh })
      .run();
    const inserted = gig(id);
    if (inserted === null) throw new TypeError(`gig ${id} has an unknown token ${terms.tokenId}`);
    return inserted;
  };
}

function createTermChange(db: Db): SyncWrites['changeTerms'] {
  return (id, { terms, now }) => {
    // A lease that ends later than a new one would was made before the clock was set back.
    const isStale = or(lte(gigs.startLockUntil, now), gt(gigs.startLockUntil, now + 2 * START_LEASE_MS));
    const isFree = or(isNull(gigs.startLockHolder), isStale);
    // A start whose lease has expired may still be running with the old terms: without its lock it fails.
    const change = db
      .update(gigs)
      .set({ ...termsOf(terms), ...noLock })
      .where(and(eq(gigs.id, id), eq(gigs.status, 'created'), isNull(gigs.cancelledAt), isFree));
    return change.run().changes === 1;
  };
}

function createStartLock(db: Db): Pick<SyncWrites, 'lockGig' | 'unlockGig' | 'markLive'> {
  const isFree = or(
    isNull(gigs.startLockHolder),
    lte(gigs.startLockUntil, placeholder('now')),
    // Two leases ahead means that it was made before the clock was set back.
    gt(gigs.startLockUntil, placeholder('implausible')),
    equals(gigs.startLockHolder, 'holder'),
    sql`instr(${gigs.startLockHolder}, ${placeholder('takesOver')}) = 1`,
  );
  const isHeld = and(isCreated, equals(gigs.startLockHolder, 'holder'));
  const lock = prepareChange(
    db,
    gigs,
    { startLockHolder: bound('holder'), startLockUntil: bound('until') },
    and(isCreated, isFree),
  );
  const unlock = prepareChange(db, gigs, noLock, isHeld);
  const live = prepareChange(
    db,
    gigs,
    { status: 'live', production: true, startTime: bound('startTime'), endTime: bound('endTime'), ...noLock },
    isHeld,
  );
  return {
    // A prefix of null matches no holder.
    lockGig(id, { takesOver = null, holder, now, until }) {
      const implausible = until + (until - now);
      return lock({ id, takesOver, holder, now, until, implausible });
    },
    unlockGig: (id, holder) => unlock({ id, holder }),
    markLive: (id, change) => live({ id, ...change }),
  };
}

export function createGigWrites(db: Db) {
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
  const { last, ...ids } = createGigIds(db);
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
    ...ids,
    insertGig: createGigInsert(db, last),
    changeTerms: createTermChange(db),
    ...createStartLock(db),
    ...createGigEndWrites(db),
    recordGigTransaction(transaction, now) {
      db.insert(gigTransactions)
        .values({ ...transaction, createdAt: now })
        .run();
    },
    markFundingChecked: (gigId) => checked({ gigId }),
    postponeFundingCheck: (gigId, { from, to }) => postponed({ gigId, from: String(from), to: String(to) }),
    freezeByOperator: (id, reason) => (reason === null ? unfreezeHand({ id }) : freezeHand({ id, reason })),
    assignGig: (id, client) => assign({ id, client }),
    freezeGig(id, { reason }) {
      if (!freeze({ id, reason })) throw new RangeError(`there is no gig ${id} to freeze`);
    },
  } satisfies Partial<SyncWrites>;
}
