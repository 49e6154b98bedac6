import { and, gte, inArray, not, type SQL, sql } from 'drizzle-orm';
import type { AccountFailures } from '../../port/payments.ts';
import { createClaimLookup } from '../claims/claims.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { isOwnersGig } from '../owners/owner-gigs.ts';
import { equals, readEach } from '../statements.ts';
import { byGigs, nothing } from '../subjects.ts';
import { PAYMENT_USED_GAS } from './payment-tables.ts';

const placeholder = sql.placeholder;

/** A gig that an operator's key made: no client's budget is for it. */
export const IS_OPERATORS_GIG = sql.raw(
  "exists (select 1 from api_keys where api_keys.id = gigs.created_by and api_keys.scopes like '%operator%')",
);

/** More tips of a gig are not counted. */
const COUNTED_TIPS = 100_000;

function createFailureReads(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { payments } = tables;
  const claimById = createClaimLookup(db);
  const { gigId, claimId, transactionId, failures, gasUsed, failedAt } = payments;
  const rows = prepare(
    build
      .select({ gigId, claimId, transactionId, failures, gasUsed, failedAt })
      .from(payments)
      .where(
        and(
          equals(payments.tokenId, 'tokenId'),
          gte(failedAt, placeholder('since')),
          sql`${kit.noWayIn(payments.state)} <> 'confirmed'`,
        ),
      )
      .orderBy(failedAt, payments.id),
  );
  const failed = async (tokenId: number, since: number) =>
    await readEach(await rows.all({ tokenId, since }), async (row) => {
      const claim = row.claimId === null ? null : await claimById(row.claimId);
      return { ...row, claim, account: claim && `${claim.platform} ${claim.platformUserId}` };
    });
  return {
    /**
     * How many wallets' calls with payments in a token failed on the chain since then, and at most to how many accounts. A
     * call with several payments counts once, and a payment that was confirmed later not at all.
     */
    failuresOfToken: locked(nothing, async (tokenId: number, since: number): Promise<number> => {
      const found = await failed(tokenId, since);
      // A wallet's call fails as a whole, so its payments say no more than one; and one account says no more than itself.
      const calls = new Set(found.map((row) => `${row.transactionId} ${row.gigId}`));
      return Math.min(calls.size, new Set(found.map((row) => row.account ?? row.gigId)).size);
    }),
    /** The same for each gig and account, of claims' payments in a token that failed since then. */
    accountFailures: locked(nothing, async (tokenId: number, since: number): Promise<AccountFailures[]> => {
      const ofEach = Map.groupBy(await failed(tokenId, since), (row) => `${row.gigId} ${row.account}`);
      return [...ofEach.values()].flatMap((all) => {
        const [first] = all;
        if (first === undefined || first.claim === null) return [];
        const { platform, platformUserId } = first.claim;
        return {
          gigId: first.gigId,
          platform,
          platformUserId,
          failures: all.reduce((sum, row) => sum + row.failures, 0),
          gasUsed: all.reduce((sum, row) => sum + row.gasUsed, 0n),
          failedAt: Math.max(...all.map((row) => row.failedAt ?? 0)),
        };
      });
    }),
  };
}

export const paymentBudgets = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { gigs, payments } = tables;
  const someTips = `select tips.number from tips where tips.gig_id = gigs.id limit ${COUNTED_TIPS}`;
  // The unique index of fees that stand finds it; a failed one has used little.
  const ofFee = sql.raw(
    `coalesce((select fee.gas_used from payments fee where fee.gig_id = gigs.id and fee.kind = 'fee' and fee.state <> 'failed'), 0)`,
  );
  const ofGigs = prepare(
    build
      .select({
        id: gigs.id,
        gasUsed: sql<bigint>`${gigs.gasUsed} - ${ofFee}`.mapWith(BigInt),
        tips: sql.raw(`(select count(*) from (${someTips}) as counted)`).mapWith(Number),
      })
      .from(gigs)
      .where(kit.isAmong(gigs.id, 'gigIds')),
  );
  const sumWhere = (condition: string) =>
    sql<bigint>`coalesce(sum(${payments.gasUsed}) filter (where ${sql.raw(condition)}), 0)`.mapWith(BigInt);
  const usedBy = (some: SQL | undefined) =>
    prepare(
      build
        .select({ claims: sumWhere("payments.kind <> 'fee'"), fees: sumWhere("payments.kind = 'fee'") })
        .from(payments)
        .where(
          and(
            PAYMENT_USED_GAS,
            inArray(payments.gigId, build.select({ id: gigs.id }).from(gigs).where(some)),
            gte(payments.updatedAt, placeholder('since')),
            // What waits changes all the time, and has used its gas when it failed.
            sql`(${kit.noWayIn(payments.state)} <> 'planned' or ${gte(payments.failedAt, placeholder('since'))})`,
          ),
        ),
    );
  const ofClient = usedBy(and(equals(gigs.client, 'client'), not(IS_OPERATORS_GIG)));
  const ofOwners = usedBy(isOwnersGig(db));
  return {
    reads: {
      /**
       * Gas that the payments of these gigs have used, for their whole lives, without their fees', and how many numbers of tips
       * each has given.
       */
      gasOfGigs: locked(
        (gigIds) => byGigs(gigIds.map((gigId) => ({ gigId }))),
        async (gigIds: readonly number[]): Promise<ReadonlyMap<number, { gasUsed: bigint; tips: number }>> =>
          new Map((await ofGigs.all({ gigIds })).map(({ id, ...used }) => [id, used])),
      ),
      /**
       * Gas that the payments of a client's gigs used, of those that changed since then: fees, and all others. Gigs that an
       * operator's key made are left out.
       */
      gasOfClient: locked(
        nothing,
        async (client: string, since: number): Promise<{ claims: bigint; fees: bigint }> =>
          (await ofClient.get({ client, since })) ?? { claims: 0n, fees: 0n },
      ),
      /** The same for the gigs of all owners together that were created on their pages. */
      gasOfOwners: locked(
        nothing,
        async (since: number): Promise<{ claims: bigint; fees: bigint }> =>
          (await ofOwners.get({ since })) ?? { claims: 0n, fees: 0n },
      ),
      ...createFailureReads(db),
    },
    writes: {},
  };
});
