import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { TipRecord } from '../../domain/tip.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createAccountLookup, createEnsureAccount } from './accounts.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, readEach, sendEach, theRow } from './statements.ts';
import { lastFloor } from './tip-floors.ts';
import { createBatchCount, createGigCount } from './tip-numbers.ts';

/** The columns that a tip has itself; its label comes from its account. */
export function tipColumns({ tips }: Tables) {
  const { paymentId: _payment, isVoid: _isVoid, awardedBy: _awardedBy, ...rest } = getTableColumns(tips);
  const { voidedAt: _voidedAt, voidReason: _voidReason, ...columns } = rest;
  return columns;
}

export function createTipReads(db: Sql): Pick<StoreReads, 'hasTip' | 'tip'> {
  const { build, kit, prepare, tables } = db;
  const { tips } = tables;
  const account = createAccountLookup(db);
  const isTheirs = and(equals(tips.platform, 'platform'), equals(tips.platformUserId, 'platformUserId'));
  const counts = and(equals(tips.gigId, 'gigId'), isTheirs, eq(tips.isVoid, false));
  const fromGig = prepare(kit.first(build.select({ gigId: tips.gigId }).from(tips).where(counts)));
  const { paymentId: _paid, isVoid: _void, ...recorded } = getTableColumns(tips);
  const byId = prepare(build.select(recorded).from(tips).where(equals(tips.id, 'id')));
  return {
    async tip(id): Promise<TipRecord | null> {
      const row = await byId.get({ id });
      return row === undefined ? null : { ...row, username: (await account(row))?.username ?? null };
    },
    hasTip: async (gigId, { platform, platformUserId }) =>
      (await fromGig.get({ gigId, platform, platformUserId })) !== undefined,
  };
}

/** @param beforeNumbers runs before gigs give numbers, in the same transaction */
export function createTipWrites(db: Sql, beforeNumbers: () => Promise<void>): Pick<StoreTx, 'insertTips' | 'voidTip'> {
  const { build, prepare, tables } = db;
  const { tips } = tables;
  const ensureAccount = createEnsureAccount(db);
  const count = createGigCount(db);
  const countAll = createBatchCount(createGigCount(db, lastFloor(tables)));
  const account = createAccountLookup(db);
  const insert = prepare(
    build
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
      .returning(tipColumns(tables)),
  );
  // A tip without a running claim may still name the payment that failed.
  const take = prepare(
    build
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
  return {
    async insertTips(added, now, awardedBy = null) {
      // Sent one after the other, without waiting in between.
      const [, next] = await Promise.all([beforeNumbers(), countAll(added)]);
      const named = await readEach(added, async (tip) => ({ tip, known: await account(tip) }));
      await sendEach(
        db,
        named.filter(({ known }) => known === null),
        ({ tip }) => ensureAccount(tip, now),
      );
      return await sendEach(db, named, async ({ tip, known }) => {
        const values = { ...tip, number: next(tip.gigId), createdAt: now, awardedBy };
        return { ...(await theRow(insert.get(values))), username: known?.username ?? null };
      });
    },
    async voidTip(id, { reason, now }) {
      const tip = await take.get({ id, reason, now });
      if (tip === undefined) return false;
      await count(tip.gigId, { amount: -tip.amount, numbers: 0 });
      return true;
    },
  };
}
