import { and, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createAccountReads, createEnsureAccount } from './accounts.ts';
import { equals } from './statements.ts';
import { gigOwners, gigs } from './tables.ts';

const ofGig = equals(gigOwners.gigId, 'gigId');
const isOwner = and(ofGig, equals(gigOwners.platform, 'platform'), equals(gigOwners.platformUserId, 'platformUserId'));

export function createOwnerReads(db: Db): Pick<SyncReads, 'gigOwners' | 'ownsGig'> {
  const { gigId, platform, platformUserId } = gigOwners;
  const { account } = createAccountReads(db);
  // Sorted by rowid, because times repeat and clocks can go back.
  const all = prepare(db, db.select({ platform, platformUserId }).from(gigOwners).where(ofGig).orderBy(sql`rowid`));
  const owner = prepare(db, db.select({ gigId }).from(gigOwners).where(isOwner));
  return {
    gigOwners: (gigId) => all.all({ gigId }).map((key) => account(key) ?? { ...key, username: null }),
    ownsGig: (gigId, account) => owner.get({ gigId, ...account }) !== undefined,
  };
}

export function createOwnerWrites(db: Db): Pick<SyncWrites, 'addGigOwner' | 'removeGigOwner'> {
  const ensureAccount = createEnsureAccount(db);
  const remove = prepare(db, db.delete(gigOwners).where(isOwner));
  const gig = prepare(db, db.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'gigId')));
  return {
    addGigOwner(gigId, { platform, platformUserId }, now, addedBy = null) {
      if (gig.get({ gigId }) === undefined) return false;
      ensureAccount({ platform, platformUserId }, now);
      const owner = { gigId, platform, platformUserId, createdAt: now, addedBy };
      return db.insert(gigOwners).values(owner).onConflictDoNothing().run().changes === 1;
    },
    removeGigOwner: (gigId, { platform, platformUserId }) =>
      remove.run({ gigId, platform, platformUserId }).changes === 1,
  };
}
