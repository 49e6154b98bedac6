import { and, eq, isNull, lte, or, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Gig } from '../../domain/gig.ts';
import { createAccountKeeper } from './accounts.ts';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { gigOwners, gigs, gigTransactions } from './schema.ts';
import { createTokenLookup } from './tokens.ts';

/** Where SQLite keeps the last id that an AUTOINCREMENT table ever gave out. */
const sequences = sqliteTable('sqlite_sequence', { name: text('name'), seq: integer('seq').notNull() });

const isGig = eq(gigs.id, sql.placeholder('id'));

function createGigLookup(db: Db): (id: number) => Gig | null {
  const byId = db.select().from(gigs).where(isGig).prepare();
  const tokenById = createTokenLookup(db);
  return (id) => {
    const row = byId.get({ id });
    const token = row && tokenById(row.tokenId);
    if (row === undefined || token === undefined) return null;
    const { tokenId: _, startLockHolder: _holder, startLockUntil: _until, ...gig } = row;
    return { ...gig, token };
  };
}

export function createGigReads(db: Db): Pick<SyncReads, 'gig' | 'gigTransactions' | 'ownsGig'> {
  const { gigId, tokenId, chainId, amount, commissionAmount, blockNumber } = gigTransactions;
  const transactions = db
    .select({ gigId, tokenId, chainId, amount, commissionAmount, blockNumber })
    .from(gigTransactions)
    .where(eq(gigTransactions.gigId, sql.placeholder('gigId')))
    .prepare();
  const owner = db
    .select({ gigId: gigOwners.gigId })
    .from(gigOwners)
    .where(
      and(
        eq(gigOwners.gigId, sql.placeholder('gigId')),
        eq(gigOwners.platform, sql.placeholder('platform')),
        eq(gigOwners.platformUserId, sql.placeholder('platformUserId')),
      ),
    )
    .prepare();
  return {
    gig: createGigLookup(db),
    gigTransactions: (gigId) => transactions.all({ gigId }),
    ownsGig: (gigId, account) => owner.get({ gigId, ...account }) !== undefined,
  };
}

function createGigInsert(db: Db): SyncWrites['insertGig'] {
  const gig = createGigLookup(db);
  const last = db.select({ id: sequences.seq }).from(sequences).where(eq(sequences.name, 'gigs')).prepare();
  return (terms, { now, walletAddress }) => {
    // Nobody else can take the id meanwhile: a transaction that writes is the only one that does.
    const id = (last.get()?.id ?? 0) + 1;
    db.insert(gigs)
      .values({ ...terms, id, createdAt: now, status: 'created', production: false, walletAddress: walletAddress(id) })
      .run();
    const inserted = gig(id);
    if (inserted === null) throw new TypeError(`gig ${id} has an unknown token ${terms.tokenId}`);
    return inserted;
  };
}

function createStartLock(db: Db): Pick<SyncWrites, 'lockGig' | 'unlockGig' | 'markLive'> {
  const placeholder = sql.placeholder;
  const isFree = or(
    isNull(gigs.startLockHolder),
    lte(gigs.startLockUntil, placeholder('now')),
    eq(gigs.startLockHolder, placeholder('holder')),
  );
  const isHeld = and(isGig, eq(gigs.status, 'created'), eq(gigs.startLockHolder, placeholder('holder')));
  const lock = db
    .update(gigs)
    .set({ startLockHolder: sql`${placeholder('holder')}`, startLockUntil: sql`${placeholder('until')}` })
    .where(and(isGig, eq(gigs.status, 'created'), isFree))
    .prepare();
  const unlock = db.update(gigs).set({ startLockHolder: null, startLockUntil: null }).where(isHeld).prepare();
  const live = db
    .update(gigs)
    .set({
      status: 'live',
      production: true,
      startTime: sql`${placeholder('startTime')}`,
      endTime: sql`${placeholder('endTime')}`,
      startLockHolder: null,
      startLockUntil: null,
    })
    .where(isHeld)
    .prepare();
  return {
    lockGig: (id, request) => lock.run({ id, ...request }).changes === 1,
    unlockGig: (id, holder) => unlock.run({ id, holder }).changes === 1,
    markLive: (id, change) => live.run({ id, ...change }).changes === 1,
  };
}

export function createGigWrites(
  db: Db,
): Pick<SyncWrites, 'insertGig' | 'addGigOwner' | 'lockGig' | 'unlockGig' | 'markLive' | 'recordGigTransaction'> {
  const ensureAccount = createAccountKeeper(db);
  const exists = db.select({ id: gigs.id }).from(gigs).where(isGig).prepare();
  return {
    insertGig: createGigInsert(db),
    ...createStartLock(db),
    addGigOwner(gigId, { platform, platformUserId }, now) {
      if (exists.get({ id: gigId }) === undefined) return false;
      ensureAccount({ platform, platformUserId }, now);
      const owner = { gigId, platform, platformUserId, createdAt: now };
      return db.insert(gigOwners).values(owner).onConflictDoNothing().run().changes === 1;
    },
    recordGigTransaction(transaction, now) {
      db.insert(gigTransactions)
        .values({ ...transaction, createdAt: now })
        .run();
    },
  };
}
