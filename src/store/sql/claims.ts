import { and, desc, eq, getTableColumns, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { Claim } from '../../domain/claim.ts';
import type { Tip } from '../../domain/tip.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createAccountReads, createEnsureAccount } from './accounts.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { CLAIM_PROMISED, claims, payments, TIP_PENDING, tips } from './tables.ts';
import { TIP_COLUMNS } from './tips.ts';

const placeholder = sql.placeholder;

const { promisedTo: _promisedTo, ...columns } = getTableColumns(claims);

export function createClaimLookup(db: Db): (id: number) => Claim | null {
  const byId = prepare(db, db.select(columns).from(claims).where(equals(claims.id, 'id')));
  return (id) => byId.get({ id }) ?? null;
}

function createPromiseReads(db: Db): Pick<SyncReads, 'keptPromises'> {
  const toBePaid = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.claimId, claims.id), sql.raw("payments.state in ('planned', 'sent')")));
  const kept = prepare(
    db,
    db
      .select({ claimId: claims.id, mentionId: sql<number>`${claims.promisedTo}`, platform: claims.platform })
      .from(claims)
      .where(and(CLAIM_PROMISED, notExists(toBePaid)))
      .orderBy(claims.id),
  );
  return { keptPromises: () => kept.all() };
}

function createPromiseWrites(db: Db): Pick<SyncWrites, 'promiseOutcome' | 'endPromise'> {
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

export function createClaimReads(db: Db) {
  const ofPlatform = equals(claims.platform, 'platform');
  const isPost = and(ofPlatform, equals(claims.postId, 'postId'));
  const byPost = prepare(db, db.select(columns).from(claims).where(isPost));
  const byPublicId = prepare(db, db.select(columns).from(claims).where(equals(claims.publicId, 'publicId')));
  const paymentOfTip = db.select({ id: tips.paymentId }).from(tips).where(equals(tips.id, 'tipId'));
  const claimOfPayment = db.select({ id: payments.claimId }).from(payments).where(eq(payments.id, paymentOfTip));
  const ofTip = prepare(db, db.select(columns).from(claims).where(eq(claims.id, claimOfPayment)));
  const older = lt(claims.id, placeholder('before'));
  const ofAccount = and(ofPlatform, equals(claims.platformUserId, 'platformUserId'), older);
  const page = (condition: SQL | undefined) =>
    prepare(db, db.select(columns).from(claims).where(condition).orderBy(desc(claims.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestOfAccount = page(ofAccount);
  return {
    ...createPromiseReads(db),
    claim: createClaimLookup(db),
    claimByPost: (platform, postId) => byPost.get({ platform, postId }) ?? null,
    claimByPublicId: (publicId) => byPublicId.get({ publicId }) ?? null,
    claimOfTip: (tipId) => ofTip.get({ tipId }) ?? null,
    claims: ({ limit, before = Number.MAX_SAFE_INTEGER, account }) =>
      account === undefined ? newest.all({ limit, before }) : newestOfAccount.all({ ...account, limit, before }),
  } satisfies Partial<SyncReads>;
}

/** Puts tips under a claim and clears what they name of an earlier, failed payment. */
function createTakes(db: Db): Pick<SyncWrites, 'takeTips' | 'retakePaymentTips'> {
  const { account } = createAccountReads(db);
  const take = (condition: SQL | undefined) =>
    prepare(
      db,
      db
        .update(tips)
        .set({
          claimNonce: bound('publicId'),
          claimStartedAt: bound('now'),
          lockTimeout: bound('lockTimeout'),
          userAddress: bound('recipient'),
          paymentId: null,
        })
        .where(and(condition, equals(tips.platformUserId, 'platformUserId'), isNull(tips.claimNonce)))
        .returning(TIP_COLUMNS),
    );
  const pending = take(and(TIP_PENDING, equals(tips.platform, 'platform')));
  const isFree = and(eq(tips.status, 'pending'), eq(tips.isVoid, false));
  const ofPayment = take(and(equals(tips.paymentId, 'failedId'), isFree));
  const isOfClaim = and(equals(payments.id, 'failedId'), equals(payments.claimId, 'claimId'));
  const failed = prepare(
    db,
    db
      .select({ id: payments.id })
      .from(payments)
      .where(and(isOfClaim, eq(payments.state, 'failed'))),
  );
  const toTips = (claim: Claim, rows: readonly Omit<Tip, 'username'>[]): Tip[] => {
    const username = account(claim)?.username ?? null;
    const own = rows.map((row) => ({ ...row, username }));
    return own.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
  return {
    takeTips: (claim, time) => toTips(claim, pending.all({ ...claim, ...time })),
    retakePaymentTips(paymentId, { claim, ...time }) {
      if (failed.get({ failedId: paymentId, claimId: claim.id }) === undefined) return [];
      return toTips(claim, ofPayment.all({ ...claim, ...time, failedId: paymentId }));
    },
  };
}

export function createClaimWrites(db: Db) {
  const ensureAccount = createEnsureAccount(db);
  const insert = prepare(
    db,
    db
      .insert(claims)
      .values({
        publicId: placeholder('publicId'),
        platform: placeholder('platform'),
        platformUserId: placeholder('platformUserId'),
        postId: placeholder('postId'),
        recipient: placeholder('recipient'),
        createdAt: placeholder('createdAt'),
      })
      .returning(columns),
  );
  return {
    insertClaim(claim) {
      ensureAccount(claim, claim.createdAt);
      return insert.get({ ...claim });
    },
    ...createTakes(db),
    ...createPromiseWrites(db),
  } satisfies Partial<SyncWrites>;
}
