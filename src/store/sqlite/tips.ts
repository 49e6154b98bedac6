import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Account } from '../../domain/account.ts';
import type { Tip } from '../../domain/tip.ts';
import type { Address, Token } from '../../domain/token.ts';
import { createAccountKeeper, createAccountReads, createHandleLookup } from './accounts.ts';
import type { Db } from './connection.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { gigs, PENDING_FARCASTER, PENDING_TWITTER, tips } from './schema.ts';
import { createTokenLookup } from './tokens.ts';

const { transferId: _transfer, ...ownColumns } = getTableColumns(tips);

/** What a row holds of its tip; the label comes from its account. */
export const TIP_COLUMNS = ownColumns;

const columns = {
  id: tips.id,
  createdAt: tips.createdAt,
  gigId: tips.gigId,
  tokenId: tips.tokenId,
  amount: tips.amount,
  userAddress: tips.userAddress,
  txHash: tips.txHash,
  claimNonce: tips.claimNonce,
  claimStartedAt: tips.claimStartedAt,
  lockTimeout: tips.lockTimeout,
};

/** A row as SQLite gives it, in the order of `columns`. */
type PendingRow = readonly [
  id: number,
  createdAt: number,
  gigId: number,
  tokenId: number,
  amount: string,
  userAddress: Address | null,
  txHash: string | null,
  claimNonce: string | null,
  claimStartedAt: number | null,
  lockTimeout: number | null,
];

function toPendingTip(row: PendingRow, { platform, platformUserId, username }: Account): Tip {
  return {
    id: row[0],
    createdAt: row[1],
    gigId: row[2],
    tokenId: row[3],
    amount: BigInt(row[4]),
    status: 'pending',
    platform,
    platformUserId,
    username,
    userAddress: row[5],
    txHash: row[6],
    claimedAt: null,
    claimNonce: row[7],
    claimStartedAt: row[8],
    lockTimeout: row[9],
  };
}

/**
 * Finds the pending tips of an account. One statement for each platform, because SQLite uses a partial index only for a
 * query that says its condition literally.
 */
function createPendingLookup(db: Db): (account: Account) => Tip[] {
  const ofAccount = (condition: SQL) =>
    db
      .select(columns)
      .from(tips)
      .where(and(condition, eq(tips.platformUserId, sql.placeholder('platformUserId'))))
      .prepare();
  const pending = { farcaster: ofAccount(PENDING_FARCASTER), twitter: ofAccount(PENDING_TWITTER) };
  return (account) => {
    const { platform, platformUserId } = account;
    // `values` is untyped; the rows have the shape of `columns`.
    const rows = pending[platform].values({ platformUserId }) as unknown as PendingRow[];
    return rows.map((row) => toPendingTip(row, account));
  };
}

export function createTipReads(db: Db): Pick<SyncReads, 'pendingTips' | 'hasTip'> {
  const { account } = createAccountReads(db);
  const holder = createHandleLookup(db);
  const pending = createPendingLookup(db);
  const token = createTokenLookup(db);
  const fromGig = db
    .select({ gigId: tips.gigId })
    .from(tips)
    .where(
      and(
        eq(tips.gigId, sql.placeholder('gigId')),
        eq(tips.platform, sql.placeholder('platform')),
        eq(tips.platformUserId, sql.placeholder('platformUserId')),
      ),
    )
    .prepare();
  return {
    hasTip: (gigId, { platform, platformUserId }) => fromGig.get({ gigId, platform, platformUserId }) !== undefined,
    pendingTips(identifiers) {
      // A handle and an id may name the same account.
      const found = new Map<number, Tip>();
      for (const identifier of identifiers) {
        const who = 'handle' in identifier ? holder(identifier) : account(identifier);
        // Every tip refers to an account, so nobody's tips need no look.
        for (const tip of who === null ? [] : pending(who)) found.set(tip.id, tip);
      }
      const tokens = new Map<number, Token>();
      for (const { tokenId } of found.values()) {
        if (tokens.has(tokenId)) continue;
        const known = token(tokenId);
        if (known !== undefined) tokens.set(tokenId, known);
      }
      return { tips: [...found.values()].sort((a, b) => a.createdAt - b.createdAt || a.id - b.id), tokens };
    },
  };
}

/** Adds tips to what their gigs have awarded: one change for each gig, however many tips. */
function createAwardCount(db: Db): (added: readonly Pick<Tip, 'gigId' | 'amount'>[]) => void {
  const isGig = eq(gigs.id, sql.placeholder('gigId'));
  const awarded = db.select({ soFar: gigs.awardedAmount }).from(gigs).where(isGig).prepare();
  const count = db
    .update(gigs)
    .set({ awardedAmount: sql`${sql.placeholder('sum')}` })
    .where(isGig)
    .prepare();
  return (added) => {
    for (const [gigId, ofGig] of Map.groupBy(added, (tip) => tip.gigId)) {
      const soFar = awarded.get({ gigId })?.soFar ?? 0n;
      count.run({ gigId, sum: String(ofGig.reduce((sum, { amount }) => sum + amount, soFar)) });
    }
  };
}

export function createTipWrites(db: Db): Pick<SyncWrites, 'insertTips'> {
  const ensureAccount = createAccountKeeper(db);
  const countAwards = createAwardCount(db);
  const { account } = createAccountReads(db);
  const insert = db
    .insert(tips)
    .values({
      createdAt: sql.placeholder('createdAt'),
      gigId: sql.placeholder('gigId'),
      tokenId: sql.placeholder('tokenId'),
      amount: sql.placeholder('amount'),
      status: 'pending',
      platform: sql.placeholder('platform'),
      platformUserId: sql.placeholder('platformUserId'),
      userAddress: sql.placeholder('userAddress'),
    })
    .returning(TIP_COLUMNS)
    .prepare();
  return {
    insertTips(added, now) {
      const inserted = added.map((tip) => {
        const known = account(tip);
        if (known === null) ensureAccount(tip, now);
        return { ...insert.get({ ...tip, createdAt: now }), username: known?.username ?? null };
      });
      countAwards(inserted);
      return inserted;
    },
  };
}
