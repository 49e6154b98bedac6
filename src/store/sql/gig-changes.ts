import { and, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type NewGig, START_LEASE_MS } from '../../domain/gig.ts';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { createGigLookup } from './gigs.ts';
import { FUNDING_TO_CHECK, gigs, gigTransactions } from './tables.ts';

/** SQLite's table of the last id that each AUTOINCREMENT table gave out. */
const sequences = sqliteTable('sqlite_sequence', { name: text('name'), seq: integer('seq').notNull() });

const placeholder = sql.placeholder;
const isCreated = and(eq(gigs.id, placeholder('id')), eq(gigs.status, 'created'));
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
  };
}

/** Counts gig ids in SQLite's own sequence, so that a reserved id is not given out again unless released. */
function createGigIds(db: Db): Pick<SyncWrites, 'reserveGigId' | 'releaseGigId'> & { last: () => number } {
  const isGigs = eq(sequences.name, 'gigs');
  const newest = prepare(db, db.select({ id: sequences.seq }).from(sequences).where(isGigs));
  const last = () => newest.get()?.id ?? 0;
  const set = prepare(
    db,
    db
      .update(sequences)
      .set({ seq: sql`${placeholder('id')}` })
      .where(isGigs),
  );
  const used = prepare(
    db,
    db
      .select({ id: gigs.id })
      .from(gigs)
      .where(eq(gigs.id, placeholder('id'))),
  );
  return {
    last,
    reserveGigId() {
      const id = last() + 1;
      if (set.run({ id }).changes === 0) db.insert(sequences).values({ name: 'gigs', seq: id }).run();
      return id;
    },
    releaseGigId(id) {
      if (last() !== id || used.get({ id }) !== undefined) return false;
      return set.run({ id: id - 1 }).changes === 1;
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
    // A lease that ends later than one taken now was taken before the clock was set back.
    const isStale = or(lte(gigs.startLockUntil, now), gt(gigs.startLockUntil, now + 2 * START_LEASE_MS));
    const isFree = or(isNull(gigs.startLockHolder), isStale);
    // A start whose lease has expired may still be running with the old terms: without its lock it fails.
    const change = db
      .update(gigs)
      .set({ ...termsOf(terms), ...noLock })
      .where(and(eq(gigs.id, id), eq(gigs.status, 'created'), isFree));
    return change.run().changes === 1;
  };
}

function createStartLock(db: Db): Pick<SyncWrites, 'lockGig' | 'unlockGig' | 'markLive'> {
  const isFree = or(
    isNull(gigs.startLockHolder),
    lte(gigs.startLockUntil, placeholder('now')),
    // Two leases ahead means that it was taken before the clock was set back.
    gt(gigs.startLockUntil, placeholder('implausible')),
    eq(gigs.startLockHolder, placeholder('holder')),
    sql`instr(${gigs.startLockHolder}, ${placeholder('takesOver')}) = 1`,
  );
  const isHeld = and(isCreated, eq(gigs.startLockHolder, placeholder('holder')));
  const lock = prepare(
    db,
    db
      .update(gigs)
      .set({ startLockHolder: sql`${placeholder('holder')}`, startLockUntil: sql`${placeholder('until')}` })
      .where(and(isCreated, isFree)),
  );
  const unlock = prepare(db, db.update(gigs).set(noLock).where(isHeld));
  const live = prepare(
    db,
    db
      .update(gigs)
      .set({
        status: 'live',
        production: true,
        startTime: sql`${placeholder('startTime')}`,
        endTime: sql`${placeholder('endTime')}`,
        ...noLock,
      })
      .where(isHeld),
  );
  return {
    // A prefix of null matches no holder.
    lockGig(id, { takesOver = null, holder, now, until }) {
      const implausible = until + (until - now);
      return lock.run({ id, takesOver, holder, now, until, implausible }).changes === 1;
    },
    unlockGig: (id, holder) => unlock.run({ id, holder }).changes === 1,
    markLive: (id, change) => live.run({ id, ...change }).changes === 1,
  };
}

export function createGigWrites(
  db: Db,
): Pick<
  SyncWrites,
  | 'reserveGigId'
  | 'releaseGigId'
  | 'insertGig'
  | 'changeTerms'
  | 'lockGig'
  | 'unlockGig'
  | 'markLive'
  | 'recordGigTransaction'
  | 'markFundingChecked'
  | 'postponeFundingCheck'
  | 'freezeGig'
  | 'freezeByOperator'
  | 'assignGig'
> {
  const freeze = prepare(
    db,
    db
      .update(gigs)
      .set({ frozenReason: sql`${placeholder('reason')}` })
      .where(eq(gigs.id, placeholder('id'))),
  );
  const checked = prepare(
    db,
    db
      .update(gigTransactions)
      .set({ checkBlock: null })
      .where(and(FUNDING_TO_CHECK, eq(gigTransactions.gigId, placeholder('gigId')))),
  );
  const postponed = prepare(
    db,
    db
      .update(gigTransactions)
      .set({ checkBlock: sql`${placeholder('to')}` })
      .where(and(eq(gigTransactions.gigId, placeholder('gigId')), eq(gigTransactions.checkBlock, placeholder('from')))),
  );
  const { last, ...ids } = createGigIds(db);
  const isGig = eq(gigs.id, placeholder('id'));
  const freezeHand = prepare(
    db,
    db
      .update(gigs)
      .set({ operatorFreeze: sql`${placeholder('reason')}` })
      .where(and(isGig, isNull(gigs.operatorFreeze))),
  );
  const unfreezeHand = prepare(
    db,
    db
      .update(gigs)
      .set({ operatorFreeze: null })
      .where(and(isGig, isNotNull(gigs.operatorFreeze))),
  );
  const assign = prepare(
    db,
    db
      .update(gigs)
      .set({ client: sql`${placeholder('client')}` })
      .where(and(isGig, isNull(gigs.client))),
  );
  return {
    ...ids,
    insertGig: createGigInsert(db, last),
    changeTerms: createTermChange(db),
    ...createStartLock(db),
    recordGigTransaction(transaction, now) {
      db.insert(gigTransactions)
        .values({ ...transaction, createdAt: now })
        .run();
    },
    markFundingChecked: (gigId) => checked.run({ gigId }).changes === 1,
    postponeFundingCheck: (gigId, { from, to }) =>
      postponed.run({ gigId, from: String(from), to: String(to) }).changes === 1,
    freezeByOperator: (id, reason) =>
      (reason === null ? unfreezeHand.run({ id }) : freezeHand.run({ id, reason })).changes === 1,
    assignGig: (id, client) => assign.run({ id, client }).changes === 1,
    freezeGig(id, { reason }) {
      if (freeze.run({ id, reason }).changes !== 1) throw new RangeError(`there is no gig ${id} to freeze`);
    },
  };
}
