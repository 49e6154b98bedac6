import { and, asc, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm';
import { type AccountKey, accountKeyText, inAccountOrder } from '../../../domain/account.ts';
import type { NewTip, OwnTip, Tip, TipRecord } from '../../../domain/gigs/tip.ts';
import { createAccountLookup, createEnsureAccounts, createLabelsLookup } from '../claims/accounts.ts';
import type { NounSql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, changeAtOnce, changeParts, equals, givenRows, selectGiven } from '../statements.ts';
import { byGig, byGigOfTip, byGigs, nothing } from '../subjects.ts';
import { lastFloor } from './tip-floors.ts';
import { createBatchCount, createGigCount } from './tip-numbers.ts';
import { isVoidTip } from './tip-tables.ts';

/** The columns that a tip has itself; its label comes from its account. */
export function tipColumns({ tips }: Tables) {
  const { paymentId: _payment, isVoid: _isVoid, awardedBy: _awardedBy, ...rest } = getTableColumns(tips);
  const { voidedAt: _voidedAt, voidReason: _voidReason, ...columns } = rest;
  return columns;
}

function createAwardedTo({ build, kit, prepare, tables: { tips } }: NounSql) {
  const { platformUserId, amount } = tips;
  const ofGig = and(equals(tips.gigId, 'gigId'), equals(tips.platform, 'platform'), eq(tips.isVoid, false));
  const isTheirs = kit.isAmong(platformUserId, 'accountIds');
  const toThem = prepare(build.select({ platformUserId, amount }).from(tips).where(and(ofGig, isTheirs)));
  return async (gigId: number, accounts: readonly AccountKey[]): Promise<Map<string, bigint>> => {
    const sums = new Map<string, bigint>();
    for (const [platform, some] of Map.groupBy(accounts, (account) => account.platform)) {
      const accountIds = some.map((account) => account.platformUserId);
      for (const tip of await toThem.all({ gigId, platform, accountIds })) {
        const key = accountKeyText({ platform, platformUserId: tip.platformUserId });
        sums.set(key, (sums.get(key) ?? 0n) + tip.amount);
      }
    }
    return sums;
  };
}

/** Tips by their id, their gig and their account. */
function createTipReads(db: NounSql) {
  const { build, kit, prepare, tables } = db;
  const { tips } = tables;
  const account = createAccountLookup(db);
  const isTheirs = and(equals(tips.platform, 'platform'), equals(tips.platformUserId, 'platformUserId'));
  const counts = and(equals(tips.gigId, 'gigId'), isTheirs, eq(tips.isVoid, false));
  const fromGig = prepare(kit.first(build.select({ gigId: tips.gigId }).from(tips).where(counts)));
  const fromGigAll = prepare(
    build
      .select({ amount: tips.amount, status: tips.status, claimedAt: tips.claimedAt })
      .from(tips)
      .where(counts)
      .limit(sql.placeholder('limit')),
  );
  const { paymentId: _paid, isVoid: _void, ...recorded } = getTableColumns(tips);
  const byId = prepare(build.select(recorded).from(tips).where(equals(tips.id, 'id')));
  const isVoidOfGig = and(isVoidTip(kit), equals(tips.gigId, 'gigId'), gt(tips.number, sql.placeholder('after')));
  const voidOfGig = prepare(
    build
      .select({ id: tips.id, number: tips.number })
      .from(tips)
      .where(isVoidOfGig)
      .orderBy(asc(tips.number))
      .limit(sql.placeholder('limit')),
  );
  return {
    tip: locked(nothing, async (id: number): Promise<TipRecord | null> => {
      const row = await byId.get({ id });
      return row === undefined ? null : { ...row, username: (await account(row))?.username ?? null };
    }),
    /** Void tips of a gig, by their numbers; `after` is a number. */
    voidTips: locked(
      byGig,
      (gigId: number, page: { after: number; limit: number }): Promise<{ id: number; number: number }[]> =>
        voidOfGig.all({ gigId, ...page }),
    ),
    /** Whether the account has a tip, pending or claimed but not void, from the gig. */
    hasTip: locked(
      byGig,
      async (gigId: number, { platform, platformUserId }: AccountKey): Promise<boolean> =>
        (await fromGig.get({ gigId, platform, platformUserId })) !== undefined,
    ),
    /**
     * What accounts have from the gig, pending or claimed but not void, in base units, by their keys as text; those without a tip
     * are absent.
     */
    awardedTo: locked(byGig, createAwardedTo(db)),
    /** At most `limit` tips of the account, pending or claimed but not void, from the gig. */
    ownTips: locked(
      byGig,
      (gigId: number, { platform, platformUserId }: AccountKey, limit: number): Promise<OwnTip[]> =>
        fromGigAll.all({ gigId, platform, platformUserId, limit }),
    ),
  };
}

function createVoid(db: NounSql) {
  const { build, prepare, tables } = db;
  const { tips } = tables;
  const count = createGigCount(db);
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
    /**
     * Voids a pending tip that no running claim holds: its amount moves from the awarded to the voided sum. False when it is
     * not such a tip.
     */
    voidTip: locked(
      byGigOfTip,
      async (id: number, { reason, now }: { reason: string; now: number }): Promise<boolean> => {
        const tip = await take.get({ id, reason, now });
        if (tip === undefined) return false;
        await count(tip.gigId, { awarded: -tip.amount, voided: tip.amount, numbers: 0 });
        return true;
      },
    ),
  };
}

export const tips = noun((db: NounSql) => {
  const { beforeNumbers, build, kit, prepare, tables } = db;
  const { tips } = tables;
  const labels = createLabelsLookup(db);
  const ensureAccounts = createEnsureAccounts(db);
  const countAll = createBatchCount(createGigCount(db, lastFloor(tables)));
  const {
    createdAt,
    gigId,
    number,
    tokenId,
    amount,
    status,
    platform,
    platformUserId,
    userAddress,
    awardedBy,
    isVoid,
  } = tips;
  const columns = { createdAt, gigId, number, tokenId, amount, status, platform, platformUserId, userAddress };
  const added = givenRows(db, 'tips', { ...columns, awardedBy, isVoid });
  const insert = prepare(
    build
      .insert(tips)
      .select(selectGiven(tips, added, { id: kit.newId(tips.id) }))
      .returning(tipColumns(tables)),
  );
  const fresh = { status: 'pending', isVoid: false } as const;
  return {
    reads: createTipReads(db),
    writes: {
      /**
       * Inserts tips under the next numbers of their gigs and adds them to the awarded sums; the caller must check the
       * reward. `awardedBy` is the API key that awards them.
       */
      insertTips: locked(
        byGigs,
        async (added: readonly NewTip[], now: number, awardedBy: number | null = null): Promise<Tip[]> => {
          const ensure = (part: readonly NewTip[]) => ensureAccounts(part, now).then(() => []);
          const [, next] = await changeAtOnce([
            beforeNumbers(),
            countAll(added),
            changeParts(db, added.toSorted(inAccountOrder), ensure),
          ]);
          return await changeParts(db, added, async (part) => {
            const given = part.map((tip) => ({ ...tip, number: next(tip.gigId), ...fresh, createdAt: now, awardedBy }));
            const [known, inserted] = await changeAtOnce([labels(part), insert.all({ tips: given })]);
            const byNumber = new Map(inserted.map((tip) => [`${tip.gigId} ${tip.number}`, tip]));
            return given.map(({ gigId, number, ...account }) => {
              const tip = byNumber.get(`${gigId} ${number}`);
              if (tip === undefined) throw new TypeError(`tip ${number} of gig ${gigId} was not inserted`);
              return { ...tip, username: known.get(accountKeyText(account)) ?? null };
            });
          });
        },
      ),
      ...createVoid(db),
    },
  };
});
