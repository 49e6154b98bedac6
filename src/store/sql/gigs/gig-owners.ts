import { and, sql } from 'drizzle-orm';
import type { Account, AccountKey } from '../../../domain/account.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { TwoWayPage } from '../../port/page.ts';
import { createAccountLookup, createEnsureAccount } from '../claims/accounts.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, distinct, equals, givenRows, prepareTwoWays, readEach } from '../statements.ts';
import { byGig, nothing } from '../subjects.ts';
import { createGigLookup } from './gigs.ts';

function isOwner({ gigOwners }: Tables) {
  const { gigId, platform, platformUserId } = gigOwners;
  return and(equals(gigId, 'gigId'), equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
}

/** Who owns a gig. */
function createOwnerReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { gigOwners } = tables;
  const { gigId, place, platform, platformUserId } = gigOwners;
  const account = createAccountLookup(db);
  const ofGig = equals(gigId, 'gigId');
  const all = prepare(build.select({ platform, platformUserId }).from(gigOwners).where(ofGig).orderBy(place));
  const owner = prepare(build.select({ gigId }).from(gigOwners).where(isOwner(tables)));
  const { rows, given } = givenRows(db, 'accounts', { platform, platformUserId });
  const isGiven = sql`listed.platform = ${given.platform} and listed.platform_user_id = ${given.platformUserId}`;
  const isListed = sql`exists (select 1 from gig_owners as listed where listed.gig_id in (${sql.placeholder('gigId')}) and ${isGiven})`;
  const among = prepare(
    build
      .select({ platform: sql<string>`${given.platform}` })
      .from(rows)
      .where(isListed)
      .limit(1),
  );
  return {
    /** The gig's owners in the order of their addition, with their current handles. */
    gigOwners: locked(
      byGig,
      async (gigId: number): Promise<Account[]> =>
        await readEach(await all.all({ gigId }), async (key) => (await account(key)) ?? { ...key, username: null }),
    ),
    ownsGig: locked(
      byGig,
      async (gigId: number, account: AccountKey): Promise<boolean> =>
        (await owner.get({ gigId, ...account })) !== undefined,
    ),
    /** Whether one of these accounts owns the gig. */
    isOwnedByAny: locked(
      byGig,
      async (gigId: number, accounts: readonly AccountKey[]): Promise<boolean> =>
        accounts.length > 0 && (await among.get({ gigId, accounts })) !== undefined,
    ),
  };
}

function createGigsOfOwner(db: Sql) {
  const { build, prepare, tables } = db;
  const { gigOwners, gigs } = tables;
  const { gigId, platform, platformUserId } = gigOwners;
  const limit = sql.placeholder('limit');
  const isAccounts = and(equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
  const listed = prepareTwoWays(gigId, (isOnSide, order) =>
    prepare(build.select({ gigId }).from(gigOwners).where(and(isAccounts, isOnSide)).orderBy(order).limit(limit)),
  );
  const isClients = equals(gigs.client, 'client');
  const created = prepareTwoWays(gigs.id, (isOnSide, order) =>
    prepare(build.select({ gigId: gigs.id }).from(gigs).where(and(isClients, isOnSide)).orderBy(order).limit(limit)),
  );
  const gigById = createGigLookup(db);
  return {
    /** The gigs of a client and the gigs with one of these accounts as an owner, without repeats. */
    gigsOfOwner: locked(
      nothing,
      async (
        { client, accounts }: { client: string; accounts: readonly AccountKey[] },
        page: TwoWayPage,
      ): Promise<Gig[]> => {
        const lists = [
          created({ client, ...page }),
          ...accounts.map(({ platform, platformUserId }) => listed({ platform, platformUserId, ...page })),
        ];
        const ids = distinct((await Promise.all(lists)).flat().map((row) => row.gigId));
        const sign = page.after === undefined ? -1 : 1;
        const first = ids.sort((a, b) => sign * (a - b)).slice(0, page.limit);
        return (await readEach(first, gigById)).filter((gig) => gig !== null);
      },
    ),
  };
}

export const gigOwners = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { gigOwners, gigs } = tables;
  const ensureAccount = createEnsureAccount(db);
  const added = boundTo(gigOwners, 'gigId', 'platform', 'platformUserId', 'createdAt', 'addedBy');
  const add = prepare(build.insert(gigOwners).values(added).onConflictDoNothing());
  const remove = prepare(build.delete(gigOwners).where(isOwner(tables)));
  const gig = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'gigId')));
  return {
    reads: {
      ...createOwnerReads(db),
      ...createGigsOfOwner(db),
    },
    writes: {
      /** False when the account owns the gig already, or there is no such gig. `addedBy` is the API key that adds it. */
      addGigOwner: locked(
        byGig,
        async (
          gigId: number,
          { platform, platformUserId }: AccountKey,
          now: number,
          addedBy: number | null = null,
        ): Promise<boolean> => {
          if ((await gig.get({ gigId })) === undefined) return false;
          await ensureAccount({ platform, platformUserId }, now);
          return (await add.run({ gigId, platform, platformUserId, createdAt: now, addedBy })) === 1;
        },
      ),
      /** False when the account does not own the gig. */
      removeGigOwner: locked(
        byGig,
        async (gigId: number, { platform, platformUserId }: AccountKey): Promise<boolean> =>
          (await remove.run({ gigId, platform, platformUserId })) === 1,
      ),
    },
  };
});
