import { and, eq, getTableColumns, isNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { AccountKey, Platform } from '../../../domain/account.ts';
import type { Claim, NewClaim } from '../../../domain/claims/claim.ts';
import type { Tip } from '../../../domain/gigs/tip.ts';
import type { TwoWayPage } from '../../port/page.ts';
import type { Sql, Tables } from '../engine.ts';
import { isPendingTip } from '../gigs/tip-tables.ts';
import { tipColumns } from '../gigs/tips.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, prepareTwoWays, theRow } from '../statements.ts';
import { byClaim, byGigOfPayment, byPost, nothing } from '../subjects.ts';
import { createAccountLookup, createEnsureAccount } from './accounts.ts';
import { CLAIM_PROMISED } from './claim-tables.ts';

const placeholder = sql.placeholder;

function claimColumns({ claims }: Tables) {
  const { promisedTo: _promisedTo, ...columns } = getTableColumns(claims);
  return columns;
}

export function createClaimLookup({ build, prepare, tables }: Sql): (id: number) => Promise<Claim | null> {
  const { claims } = tables;
  const byId = prepare(build.select(claimColumns(tables)).from(claims).where(equals(claims.id, 'id')));
  return async (id) => (await byId.get({ id })) ?? null;
}

function createPromiseReads({ build, prepare, tables }: Sql) {
  const { claims, payments } = tables;
  const toBePaid = build
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.claimId, claims.id), sql.raw("payments.state in ('planned', 'sent')")));
  const kept = prepare(
    build
      .select({
        claimId: claims.id,
        mentionId: sql<number>`${claims.promisedTo}`.mapWith(Number),
        platform: claims.platform,
      })
      .from(claims)
      .where(and(CLAIM_PROMISED, notExists(toBePaid)))
      .orderBy(claims.id),
  );
  return {
    /**
     * Claims whose authors were told that payment is on its way and that have nothing under way any more, oldest first,
     * each with the mention that was told.
     */
    keptPromises: locked(
      nothing,
      (): Promise<{ claimId: number; mentionId: number; platform: Platform }[]> => kept.all(),
    ),
  };
}

function createPromiseWrites(db: Sql) {
  const { claims } = db.tables;
  const ofClaim = equals(claims.id, 'claimId');
  const promise = prepareChange(
    db,
    claims,
    { promisedTo: bound('mentionId') },
    and(ofClaim, isNull(claims.promisedTo)),
  );
  const end = prepareChange(db, claims, { promisedTo: null }, and(ofClaim, equals(claims.promisedTo, 'mentionId')));
  return {
    /** Records that the mention's author was told that the claim is on its way, so that a failure is reported there. */
    promiseOutcome: locked(byClaim, (claimId: number, mentionId: number) => promise({ claimId, mentionId })),
    /** Removes that record; false when there is none. */
    endPromise: locked(byClaim, (claimId: number, mentionId: number) => end({ claimId, mentionId })),
  };
}

/** Clears what tips name of an earlier, failed payment. */
function createTakes(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { payments, tips } = tables;
  const account = createAccountLookup(db);
  const take = (condition: SQL | undefined) =>
    prepare(
      build
        .update(tips)
        .set({
          claimNonce: bound('publicId'),
          claimStartedAt: bound('now'),
          lockTimeout: bound('lockTimeout'),
          userAddress: bound('recipient'),
          paymentId: null,
        })
        .where(and(condition, equals(tips.platformUserId, 'platformUserId'), isNull(tips.claimNonce)))
        .returning(tipColumns(tables)),
    );
  const pending = take(and(isPendingTip(kit), equals(tips.platform, 'platform')));
  const isFree = and(eq(tips.status, 'pending'), eq(tips.isVoid, false));
  const ofPayment = take(and(equals(tips.paymentId, 'failedId'), isFree));
  const isOfClaim = and(equals(payments.id, 'failedId'), equals(payments.claimId, 'claimId'));
  const failed = prepare(
    build
      .select({ id: payments.id })
      .from(payments)
      .where(and(isOfClaim, eq(payments.state, 'failed'))),
  );
  const toTips = async (claim: Claim, rows: readonly Omit<Tip, 'username'>[]): Promise<Tip[]> => {
    const username = (await account(claim))?.username ?? null;
    const own = rows.map((row) => ({ ...row, username }));
    return own.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
  return {
    /**
     * Takes every pending tip of the claim's account that no running claim holds: they get the claim's public id, the
     * start and the timeout, and the recipient as their address. Oldest first.
     */
    takeTips: locked(
      // Whose tips these are its update decides, for each tip: of two claims one gets it.
      nothing,
      async (claim: Claim, time: { now: number; lockTimeout: number }): Promise<Tip[]> =>
        await toTips(claim, await pending.all({ ...claim, ...time })),
    ),
    /**
     * Takes again, for their claim, the tips of a failed payment that are still pending and that no other claim has taken
     * since. Oldest first.
     */
    retakePaymentTips: locked(
      byGigOfPayment,
      async (
        paymentId: number,
        { claim, ...time }: { claim: Claim; now: number; lockTimeout: number },
      ): Promise<Tip[]> => {
        if ((await failed.get({ failedId: paymentId, claimId: claim.id })) === undefined) return [];
        return await toTips(claim, await ofPayment.all({ ...claim, ...time, failedId: paymentId }));
      },
    ),
  };
}

function createClaimInsert(db: Sql) {
  const { build, prepare, tables } = db;
  const { claims } = tables;
  const ensureAccount = createEnsureAccount(db);
  const insert = prepare(
    build
      .insert(claims)
      .values(boundTo(claims, 'publicId', 'platform', 'platformUserId', 'postId', 'recipient', 'createdAt', 'source'))
      .returning(claimColumns(tables)),
  );
  return async (claim: NewClaim): Promise<Claim> => {
    await ensureAccount(claim, claim.createdAt);
    return await theRow(insert.get({ ...claim }));
  };
}

export const claims = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { claims, payments, tips } = tables;
  const columns = claimColumns(tables);
  const ofPlatform = equals(claims.platform, 'platform');
  const isPost = and(ofPlatform, equals(claims.postId, 'postId'));
  const ofPost = prepare(build.select(columns).from(claims).where(isPost));
  const byPublicId = prepare(build.select(columns).from(claims).where(equals(claims.publicId, 'publicId')));
  const paymentOfTip = build.select({ id: tips.paymentId }).from(tips).where(equals(tips.id, 'tipId'));
  const claimOfPayment = build.select({ id: payments.claimId }).from(payments).where(eq(payments.id, paymentOfTip));
  const ofTip = prepare(build.select(columns).from(claims).where(eq(claims.id, claimOfPayment)));
  const list = (condition?: SQL) =>
    prepareTwoWays(claims.id, (isOnSide, order) =>
      prepare(
        build.select(columns).from(claims).where(and(condition, isOnSide)).orderBy(order).limit(placeholder('limit')),
      ),
    );
  const all = list();
  const ofAccount = list(and(ofPlatform, equals(claims.platformUserId, 'platformUserId')));
  return {
    reads: {
      ...createPromiseReads(db),
      claim: locked(
        // All that changes of a claim is whom it was promised to.
        nothing,
        createClaimLookup(db),
      ),
      claimByPost: locked(
        byPost,
        async (platform: Platform, postId: string): Promise<Claim | null> =>
          (await ofPost.get({ platform, postId })) ?? null,
      ),
      /** The claim that a tip's `claimNonce` names. */
      claimByPublicId: locked(
        nothing,
        async (publicId: string): Promise<Claim | null> => (await byPublicId.get({ publicId })) ?? null,
      ),
      /** The claim of the last payment that was planned for a tip, whatever became of it; null when none was. */
      claimOfTip: locked(nothing, async (tipId: number): Promise<Claim | null> => (await ofTip.get({ tipId })) ?? null),
      claims: locked(
        nothing,
        ({ account, ...page }: TwoWayPage & { account?: AccountKey | undefined }): Promise<Claim[]> =>
          account === undefined ? all(page) : ofAccount({ ...account, ...page }),
      ),
    },
    writes: {
      /** A second claim for the same post breaks the store's constraint and throws. */
      insertClaim: locked(({ platform, postId }) => byPost(platform, postId), createClaimInsert(db)),
      ...createTakes(db),
      ...createPromiseWrites(db),
    },
  };
});
