import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { Account } from '../../domain/account.ts';
import type { Tip, TipRecord } from '../../domain/tip.ts';
import type { Address, Token } from '../../domain/token.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createAccountReads, createEnsureAccount, createHandleLookup } from './accounts.ts';
import { bound, equals } from './statements.ts';
import { TIP_PENDING, tips } from './tables.ts';
import { createBatchCount, createGigCount } from './tip-numbers.ts';
import { createTokenLookup } from './tokens.ts';

const {
  paymentId: _payment,
  awardedBy: _awardedBy,
  isVoid: _isVoid,
  voidedAt: _voidedAt,
  voidReason: _voidReason,
  ...ownColumns
} = getTableColumns(tips);

/** The columns that a tip has itself; its label comes from its account. */
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
  number: tips.number,
};

const isTheirs = and(equals(tips.platform, 'platform'), equals(tips.platformUserId, 'platformUserId'));

/** A row as SQLite returns it, in the order of `columns`. */
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
  number: number,
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
    number: row[10],
  };
}

/**
 * Finds the pending tips of an account. A raw statement: with Drizzle's mapping and a query per token, the store's part
 * of a look-up took 12 µs instead of 5.5 µs.
 */
function createPendingLookup(db: Db): (account: Account) => Tip[] {
  const query = db.select(columns).from(tips).where(and(TIP_PENDING, isTheirs)).toSQL();
  const pending = db.$client.prepare<[string, string], PendingRow>(query.sql).raw();
  return (account) => pending.all(account.platform, account.platformUserId).map((row) => toPendingTip(row, account));
}

/** Oldest first. */
function byAge(a: Tip, b: Tip): number {
  return a.createdAt - b.createdAt || a.id - b.id;
}

/** The tips of all these accounts, each once: a handle and an id may name the same account. */
function collectPending(accounts: readonly (Account | null)[], pending: (account: Account) => Tip[]): Tip[] {
  // Every tip refers to a stored account, so unknown accounts have none.
  const known = accounts.filter((account) => account !== null);
  if (known.length === 1) return known.flatMap(pending).sort(byAge);
  const found = new Map(known.flatMap(pending).map((tip) => [tip.id, tip]));
  return [...found.values()].sort(byAge);
}

export function createTipReads(db: Db): Pick<SyncReads, 'pendingTips' | 'hasTip' | 'tip'> {
  const { account } = createAccountReads(db);
  const holder = createHandleLookup(db);
  const pending = createPendingLookup(db);
  const token = createTokenLookup(db, { committed: db.$client.readonly });
  const counts = and(equals(tips.gigId, 'gigId'), isTheirs, eq(tips.isVoid, false));
  const fromGig = prepare(db, db.select({ gigId: tips.gigId }).from(tips).where(counts));
  const { paymentId: _paid, isVoid: _void, ...recorded } = getTableColumns(tips);
  const byId = prepare(db, db.select(recorded).from(tips).where(equals(tips.id, 'id')));
  return {
    tip(id): TipRecord | null {
      const row = byId.get({ id });
      return row === undefined ? null : { ...row, username: account(row)?.username ?? null };
    },
    hasTip: (gigId, { platform, platformUserId }) => fromGig.get({ gigId, platform, platformUserId }) !== undefined,
    pendingTips(identifiers) {
      const accounts = identifiers.map((who) => ('handle' in who ? holder(who) : account(who)));
      const found = collectPending(accounts, pending);
      const tokens = new Map<number, Token>();
      for (const { tokenId } of found) {
        if (tokens.has(tokenId)) continue;
        const known = token(tokenId);
        if (known !== undefined) tokens.set(tokenId, known);
      }
      return { tips: found, tokens };
    },
  };
}

export function createTipWrites(db: Db): Pick<SyncWrites, 'insertTips' | 'voidTip'> {
  const ensureAccount = createEnsureAccount(db);
  const count = createGigCount(db);
  const countAll = createBatchCount(count);
  const { account } = createAccountReads(db);
  const insert = prepare(
    db,
    db
      .insert(tips)
      .values({
        createdAt: sql.placeholder('createdAt'),
        gigId: sql.placeholder('gigId'),
        number: sql.placeholder('number'),
        tokenId: sql.placeholder('tokenId'),
        amount: sql.placeholder('amount'),
        status: 'pending',
        platform: sql.placeholder('platform'),
        platformUserId: sql.placeholder('platformUserId'),
        userAddress: sql.placeholder('userAddress'),
        awardedBy: sql.placeholder('awardedBy'),
      })
      .returning(TIP_COLUMNS),
  );
  // A tip without a running claim may still name the payment that failed.
  const take = prepare(
    db,
    db
      .update(tips)
      .set({
        isVoid: true,
        voidedAt: bound('now'),
        voidReason: bound('reason'),
        paymentId: null,
      })
      .where(and(equals(tips.id, 'id'), eq(tips.status, 'pending'), isNull(tips.claimNonce), eq(tips.isVoid, false)))
      .returning({ gigId: tips.gigId, amount: tips.amount }),
  );
  const insertTips: SyncWrites['insertTips'] = (added, now, awardedBy = null) => {
    const next = countAll(added);
    return added.map((tip) => {
      const known = account(tip);
      if (known === null) ensureAccount(tip, now);
      const number = next(tip.gigId);
      return { ...insert.get({ ...tip, number, createdAt: now, awardedBy }), username: known?.username ?? null };
    });
  };
  return {
    insertTips: db.$client.transaction(insertTips),
    voidTip: db.$client.transaction((id, { reason, now }) => {
      // Drizzle types the row as present, but it is undefined when no such tip was changed.
      const tip: { gigId: number; amount: bigint } | undefined = take.get({ id, reason, now });
      if (tip === undefined) return false;
      count(tip.gigId, { amount: -tip.amount, numbers: 0 });
      return true;
    }),
  };
}
