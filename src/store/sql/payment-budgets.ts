import { and, eq, gte, inArray, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads } from '../sqlite/kit.ts';
import { equals } from './statements.ts';
import { claims, gigs, PAYMENT_USED_GAS, payments, tips } from './tables.ts';

const placeholder = sql.placeholder;

type BudgetReads = Pick<SyncReads, 'gasOfGig' | 'gasOfClient' | 'failuresOfToken' | 'accountFailures'>;

/** More tips of a gig are not counted. */
const COUNTED_TIPS = 100_000;

/** Payments that failed on the chain, and were not confirmed later. */
function createFailureReads(db: Db): Pick<BudgetReads, 'failuresOfToken' | 'accountFailures'> {
  const hasFailed = and(
    equals(payments.tokenId, 'tokenId'),
    gte(payments.failedAt, placeholder('since')),
    sql`+${payments.state} <> 'confirmed'`,
  );
  // A wallet's call fails as a whole, so its payments say no more than one; and one account says no more than itself.
  const calls = sql`count(distinct ${payments.transactionId} || ' ' || ${payments.gigId})`;
  const account = sql`${claims.platform} || ' ' || ${claims.platformUserId}`;
  const payees = sql`count(distinct coalesce(${account}, ${payments.gigId}))`;
  const failures = prepare(
    db,
    db
      .select({ n: sql<number>`min(${calls}, ${payees})` })
      .from(payments)
      .leftJoin(claims, eq(claims.id, payments.claimId))
      .where(hasFailed),
  );
  const { platform, platformUserId } = claims;
  const ofAccounts = prepare(
    db,
    db
      .select({
        gigId: payments.gigId,
        platform,
        platformUserId,
        failures: sql<number>`sum(${payments.failures})`,
        gasUsed: sql<number>`sum(${payments.gasUsed})`,
        failedAt: sql<number>`max(${payments.failedAt})`,
      })
      .from(payments)
      .innerJoin(claims, eq(claims.id, payments.claimId))
      .where(hasFailed)
      .groupBy(payments.gigId, platform, platformUserId),
  );
  return {
    failuresOfToken: (tokenId, since) => failures.get({ tokenId, since })?.n ?? 0,
    accountFailures: (tokenId, since) =>
      ofAccounts.all({ tokenId, since }).map((row) => ({ ...row, gasUsed: BigInt(row.gasUsed) })),
  };
}

/** What the budgets count. */
export function createBudgetReads(db: Db): BudgetReads {
  const ofGig = prepare(db, db.select({ gasUsed: gigs.gasUsed }).from(gigs).where(equals(gigs.id, 'gigId')));
  const someTips = db.select({ id: tips.number }).from(tips).where(equals(tips.gigId, 'gigId')).limit(COUNTED_TIPS);
  const countTips = prepare(db, db.select({ n: sql<number>`count(*)` }).from(someTips.as('some')));
  const gigsOfClient = db.select({ id: gigs.id }).from(gigs).where(equals(gigs.client, 'client'));
  const ofClient = prepare(
    db,
    db
      .select({ sum: sql<number | null>`sum(${payments.gasUsed})` })
      .from(payments)
      .where(
        and(
          PAYMENT_USED_GAS,
          inArray(payments.gigId, gigsOfClient),
          gte(payments.updatedAt, placeholder('since')),
          // What waits changes all the time, and has used its gas when it failed.
          sql`(+${payments.state} <> 'planned' or ${gte(payments.failedAt, placeholder('since'))})`,
        ),
      ),
  );
  return {
    gasOfGig: (gigId) => ({
      gasUsed: ofGig.get({ gigId })?.gasUsed ?? 0n,
      tips: countTips.get({ gigId })?.n ?? 0,
    }),
    gasOfClient: (client, since) => BigInt(ofClient.get({ client, since })?.sum ?? 0),
    ...createFailureReads(db),
  };
}
