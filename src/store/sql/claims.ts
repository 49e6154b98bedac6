import { and, desc, eq, getTableColumns, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { Claim } from '../../domain/claim.ts';
import type { Tip } from '../../domain/tip.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createAccountLookup, createEnsureAccount } from './accounts.ts';
import { CLAIM_PROMISED } from './claim-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange, theRow } from './statements.ts';
import { isPendingTip } from './tip-tables.ts';
import { tipColumns } from './tips.ts';

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

function createPromiseReads({ build, prepare, tables }: Sql): Pick<StoreReads, 'keptPromises'> {
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
  return { keptPromises: () => kept.all() };
}

function createPromiseWrites(db: Sql): Pick<StoreTx, 'promiseOutcome' | 'endPromise'> {
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
    promiseOutcome: (claimId, mentionId) => promise({ claimId, mentionId }),
    endPromise: (claimId, mentionId) => end({ claimId, mentionId }),
  };
}

export function createClaimReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { claims, payments, tips } = tables;
  const columns = claimColumns(tables);
  const ofPlatform = equals(claims.platform, 'platform');
  const isPost = and(ofPlatform, equals(claims.postId, 'postId'));
  const byPost = prepare(build.select(columns).from(claims).where(isPost));
  const byPublicId = prepare(build.select(columns).from(claims).where(equals(claims.publicId, 'publicId')));
  const paymentOfTip = build.select({ id: tips.paymentId }).from(tips).where(equals(tips.id, 'tipId'));
  const claimOfPayment = build.select({ id: payments.claimId }).from(payments).where(eq(payments.id, paymentOfTip));
  const ofTip = prepare(build.select(columns).from(claims).where(eq(claims.id, claimOfPayment)));
  const older = lt(claims.id, placeholder('before'));
  const ofAccount = and(ofPlatform, equals(claims.platformUserId, 'platformUserId'), older);
  const page = (condition: SQL | undefined) =>
    prepare(build.select(columns).from(claims).where(condition).orderBy(desc(claims.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestOfAccount = page(ofAccount);
  return {
    ...createPromiseReads(db),
    claim: createClaimLookup(db),
    claimByPost: async (platform, postId) => (await byPost.get({ platform, postId })) ?? null,
    claimByPublicId: async (publicId) => (await byPublicId.get({ publicId })) ?? null,
    claimOfTip: async (tipId) => (await ofTip.get({ tipId })) ?? null,
    claims: ({ limit, before = Number.MAX_SAFE_INTEGER, account }) =>
      account === undefined ? newest.all({ limit, before }) : newestOfAccount.all({ ...account, limit, before }),
  } satisfies Partial<StoreReads>;
}

/** Puts tips under a claim and clears what they name of an earlier, failed payment. */
function createTakes(db: Sql): Pick<StoreTx, 'takeTips' | 'retakePaymentTips'> {
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
    takeTips: async (claim, time) => await toTips(claim, await pending.all({ ...claim, ...time })),
    async retakePaymentTips(paymentId, { claim, ...time }) {
      if ((await failed.get({ failedId: paymentId, claimId: claim.id })) === undefined) return [];
      return await toTips(claim, await ofPayment.all({ ...claim, ...time, failedId: paymentId }));
    },
  };
}

export function createClaimWrites(db: Sql) {
  const { build, prepare, tables } = db;
  const { claims } = tables;
  const ensureAccount = createEnsureAccount(db);
  const insert = prepare(
    build
      .insert(claims)
      .values({
        publicId: placeholder('publicId'),
        platform: placeholder('platform'),
        platformUserId: placeholder('platformUserId'),
        postId: placeholder('postId'),
        recipient: placeholder('recipient'),
        createdAt: placeholder('createdAt'),
      })
      .returning(claimColumns(tables)),
  );
  return {
    async insertClaim(claim) {
      await ensureAccount(claim, claim.createdAt);
      return await theRow(insert.get({ ...claim }));
    },
    ...createTakes(db),
    ...createPromiseWrites(db),
  } satisfies Partial<StoreTx>;
}
