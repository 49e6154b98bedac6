import { and } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createAccountLookup, createEnsureAccount } from './accounts.ts';
import type { Sql, Tables } from './engine.ts';
import { equals, readEach } from './statements.ts';

function isOwner({ gigOwners }: Tables) {
  const { gigId, platform, platformUserId } = gigOwners;
  return and(equals(gigId, 'gigId'), equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
}

export function createOwnerReads(db: Sql): Pick<StoreReads, 'gigOwners' | 'ownsGig'> {
  const { build, prepare, tables } = db;
  const { gigOwners } = tables;
  const { gigId, place, platform, platformUserId } = gigOwners;
  const account = createAccountLookup(db);
  const ofGig = equals(gigId, 'gigId');
  const all = prepare(build.select({ platform, platformUserId }).from(gigOwners).where(ofGig).orderBy(place));
  const owner = prepare(build.select({ gigId }).from(gigOwners).where(isOwner(tables)));
  return {
    gigOwners: async (gigId) =>
      await readEach(await all.all({ gigId }), async (key) => (await account(key)) ?? { ...key, username: null }),
    ownsGig: async (gigId, account) => (await owner.get({ gigId, ...account })) !== undefined,
  };
}

export function createOwnerWrites(db: Sql): Pick<StoreTx, 'addGigOwner' | 'removeGigOwner'> {
  const { build, prepare, tables } = db;
  const { gigOwners, gigs } = tables;
  const ensureAccount = createEnsureAccount(db);
  const remove = prepare(build.delete(gigOwners).where(isOwner(tables)));
  const gig = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'gigId')));
  return {
    async addGigOwner(gigId, { platform, platformUserId }, now, addedBy = null) {
      if ((await gig.get({ gigId })) === undefined) return false;
      await ensureAccount({ platform, platformUserId }, now);
      const owner = { gigId, platform, platformUserId, createdAt: now, addedBy };
      return (await prepare(build.insert(gigOwners).values(owner).onConflictDoNothing()).run()) === 1;
    },
    removeGigOwner: async (gigId, { platform, platformUserId }) =>
      (await remove.run({ gigId, platform, platformUserId })) === 1,
  };
}
