import { and, desc, eq, getTableColumns, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { Claim } from '../../domain/claim.ts';
import type { Tip } from '../../domain/tip.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createAccountReads, createEnsureAccount } from './accounts.ts';
import { CLAIM_PROMISED, claims, TIP_PENDING, tips, transfers } from './tables.ts';
import { TIP_COLUMNS } from './tips.ts';

const placeholder = sql.placeholder;

const { promisedTo: _promisedTo, ...columns } = getTableColumns(claims);

export function createClaimLookup(db: Db): (id: number) => Claim | null {
  const byId = prepare(
    db,
    db
      .select(columns)
      .from(claims)
      .where(eq(claims.id, placeholder('id'))),
  );
  return (id) => byId.get({ id }) ?? null;
}

function createPromiseReads(db: Db): Pick<SyncReads, 'keptPromises'> {
  const underWay = db
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.claimId, claims.id), sql.raw("transfers.state in ('planned', 'signed', 'broadcast')")));
  const kept = prepare(
    db,
    db
      .select({ claimId: claims.id, mentionId: sql<number>`${claims.promisedTo}`, platform: claims.platform })
      .from(claims)
      .where(and(CLAIM_PROMISED, notExists(underWay)))
      .orderBy(claims.id),
  );
  return { keptPromises: () => kept.all() };
}

function createPromiseWrites(db: Db): Pick<SyncWrites, 'promiseOutcome' | 'endPromise'> {
  const ofClaim = eq(claims.id, placeholder('claimId'));
  const promise = prepare(
    db,
    db
      .update(claims)
      .set({ promisedTo: sql`${placeholder('mentionId')}` })
      .where(and(ofClaim, isNull(claims.promisedTo))),
  );
  const end = prepare(
    db,
    db
      .update(claims)
      .set({ promisedTo: null })
      .where(and(ofClaim, eq(claims.promisedTo, placeholder('mentionId')))),
  );
  return {
    promiseOutcome: (claimId, mentionId) => promise.run({ claimId, mentionId }).changes === 1,
    endPromise: (claimId, mentionId) => end.run({ claimId, mentionId }).changes === 1,
  };
}

export function createClaimReads(
  db: Db,
): Pick<SyncReads, 'claim' | 'claimByPost' | 'claimByPublicId' | 'claims' | 'keptPromises'> {
  const ofPlatform = eq(claims.platform, placeholder('platform'));
  const byPost = prepare(
    db,
    db
      .select(columns)
      .from(claims)
      .where(and(ofPlatform, eq(claims.postId, placeholder('postId')))),
  );
  const byPublicId = prepare(
    db,
    db
      .select(columns)
      .from(claims)
      .where(eq(claims.publicId, placeholder('publicId'))),
  );
  const older = lt(claims.id, placeholder('before'));
  const ofAccount = and(ofPlatform, eq(claims.platformUserId, placeholder('platformUserId')), older);
  const page = (condition: SQL | undefined) =>
    prepare(db, db.select(columns).from(claims).where(condition).orderBy(desc(claims.id)).limit(placeholder('limit')));
  const newest = page(older);
  const newestOfAccount = page(ofAccount);
  return {
    ...createPromiseReads(db),
    claim: createClaimLookup(db),
    claimByPost: (platform, postId) => byPost.get({ platform, postId }) ?? null,
    claimByPublicId: (publicId) => byPublicId.get({ publicId }) ?? null,
    claims: ({ limit, before = Number.MAX_SAFE_INTEGER, account }) =>
      account === undefined ? newest.all({ limit, before }) : newestOfAccount.all({ ...account, limit, before }),
  };
}

/** Puts tips under a claim and clears what they name of an earlier, failed payment. */
function createTakes(db: Db): Pick<SyncWrites, 'takeTips' | 'retakeTips'> {
  const { account } = createAccountReads(db);
  const take = (condition: SQL | undefined) =>
    prepare(
      db,
      db
        .update(tips)
        .set({
          claimNonce: sql`${placeholder('publicId')}`,
          claimStartedAt: sql`${placeholder('now')}`,
          lockTimeout: sql`${placeholder('lockTimeout')}`,
          userAddress: sql`${placeholder('recipient')}`,
          transferId: null,
        })
        .where(and(condition, eq(tips.platformUserId, placeholder('platformUserId')), isNull(tips.claimNonce)))
        .returning(TIP_COLUMNS),
    );
  const pending = take(and(TIP_PENDING, eq(tips.platform, placeholder('platform'))));
  const named = take(
    and(eq(tips.transferId, placeholder('failedId')), eq(tips.status, 'pending'), eq(tips.isVoid, false)),
  );
  const failed = prepare(
    db,
    db
      .select({ id: transfers.id })
      .from(transfers)
      .where(
        and(
          eq(transfers.id, placeholder('transferId')),
          eq(transfers.claimId, placeholder('claimId')),
          eq(transfers.state, 'failed'),
        ),
      ),
  );
  const toTips = (claim: Claim, rows: readonly Omit<Tip, 'username'>[]): Tip[] => {
    const username = account(claim)?.username ?? null;
    const taken = rows.map((row) => ({ ...row, username }));
    return taken.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  };
  return {
    takeTips: (claim, time) => toTips(claim, pending.all({ ...claim, ...time })),
    retakeTips(transferId, { claim, ...time }) {
      if (failed.get({ transferId, claimId: claim.id }) === undefined) return [];
      return toTips(claim, named.all({ ...claim, ...time, failedId: transferId }));
    },
  };
}

export function createClaimWrites(
  db: Db,
): Pick<SyncWrites, 'insertClaim' | 'takeTips' | 'retakeTips' | 'promiseOutcome' | 'endPromise'> {
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
  };
}
