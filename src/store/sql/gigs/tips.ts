import { and, eq, getTableColumns, isNull } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { NewTip, Tip, TipRecord } from '../../../domain/gigs/tip.ts';
import { createAccountLookup, createEnsureAccount } from '../claims/accounts.ts';
import type { NounSql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, readEach, sendEach, theRow } from '../statements.ts';
import { byGig, byGigOfTip, byGigs, nothing } from '../subjects.ts';
import { lastFloor } from './tip-floors.ts';
import { createBatchCount, createGigCount } from './tip-numbers.ts';

/** The columns that a tip has itself; its label comes from its account. */
export function tipColumns({ tips }: Tables) {
  const { paymentId: _payment, isVoid: _isVoid, awardedBy: _awardedBy, ...rest } = getTableColumns(tips);
  const { voidedAt: _voidedAt, voidReason: _voidReason, ...columns } = rest;
  return columns;
}

export const tips = noun((db: NounSql) => {
  const { beforeNumbers, build, kit, prepare, tables } = db;
  const { tips } = tables;
  const account = createAccountLookup(db);
  const isTheirs = and(equals(tips.platform, 'platform'), equals(tips.platformUserId, 'platformUserId'));
  const counts = and(equals(tips.gigId, 'gigId'), isTheirs, eq(tips.isVoid, false));
  const fromGig = prepare(kit.first(build.select({ gigId: tips.gigId }).from(tips).where(counts)));
  const { paymentId: _paid, isVoid: _void, ...recorded } = getTableColumns(tips);
  const byId = prepare(build.select(recorded).from(tips).where(equals(tips.id, 'id')));
  const ensureAccount = createEnsureAccount(db);
  const count = createGigCount(db);
  const countAll = createBatchCount(createGigCount(db, lastFloor(tables)));
  const insert = prepare(
    build
      .insert(tips)
      .values({
        ...boundTo(tips, 'createdAt', 'gigId', 'number', 'tokenId', 'amount', 'platform', 'platformUserId'),
        ...boundTo(tips, 'userAddress', 'awardedBy'),
        status: 'pending',
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
    reads: {
      tip: locked(nothing, async (id: number): Promise<TipRecord | null> => {
        const row = await byId.get({ id });
        return row === undefined ? null : { ...row, username: (await account(row))?.username ?? null };
      }),
      /** Whether the account has a tip, pending or claimed but not void, from the gig. */
      hasTip: locked(
        byGig,
        async (gigId: number, { platform, platformUserId }: AccountKey): Promise<boolean> =>
          (await fromGig.get({ gigId, platform, platformUserId })) !== undefined,
      ),
    },
    writes: {
      /**
       * Inserts tips under the next numbers of their gigs and adds them to the awarded sums; the caller must check the
       * reward. `awardedBy` is the API key that awards them.
       */
      insertTips: locked(
        byGigs,
        async (added: readonly NewTip[], now: number, awardedBy: number | null = null): Promise<Tip[]> => {
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
      ),
      /**
       * Voids a pending tip that no running claim holds and subtracts it from the awarded sum. False when it is not such a
       * tip.
       */
      voidTip: locked(
        byGigOfTip,
        async (id: number, { reason, now }: { reason: string; now: number }): Promise<boolean> => {
          const tip = await take.get({ id, reason, now });
          if (tip === undefined) return false;
          await count(tip.gigId, { amount: -tip.amount, numbers: 0 });
          return true;
        },
      ),
    },
  };
});
