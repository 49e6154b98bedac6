import { and, eq, lte, min, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { BatchState, VerifierBatch } from '../../../domain/earning/payouts/bounty.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byGig, byGigOfBatch, byItsGig } from '../subjects.ts';
import { EARNING_ELIGIBLE } from './earning-tables.ts';
import { BATCH_OPEN } from './payout-tables.ts';

const placeholder = sql.placeholder;

function ofGig({ earnings }: Tables) {
  return equals(earnings.gigId, 'gigId');
}

/** Batches of candidates about which a verifier is asked. */
function createBatchWrites(db: Sql) {
  const { build, prepare, tables } = db;
  const { verifierBatches } = tables;
  const isOpen = and(equals(verifierBatches.id, 'id'), eq(verifierBatches.state, 'open'));
  const batch = boundTo(verifierBatches, 'id', 'gigId', 'candidates', 'tries', 'nextAt', 'madeAt');
  const insert = prepare(build.insert(verifierBatches).values({ ...batch, state: 'open' }));
  const tried = { tries: sql`${verifierBatches.tries} + 1`, nextAt: bound('nextAt') };
  const retry = prepareChange(db, verifierBatches, tried, isOpen);
  const ended = { state: bound('state'), answer: bound('answer'), endedAt: bound('now') };
  const end = prepareChange(db, verifierBatches, ended, isOpen);
  return {
    /** Stores a batch that was not sent yet. Throws when the gig has an open one. */
    openBatchOf: locked(byItsGig, async (batch: VerifierBatch, now: number): Promise<void> => {
      await insert.run({ ...batch, madeAt: now });
    }),
    /** Counts a try of an open batch, and says when the next one is; false when the batch is not open. */
    tryBatch: locked(byGigOfBatch, (id: string, { nextAt }: { nextAt: number }) => retry({ id, nextAt })),
    /** Ends an open batch, with the decisions of its answer as JSON; false when it is not open. */
    endBatch: locked(
      byGigOfBatch,
      (
        id: string,
        { state, answer, now }: { state: Exclude<BatchState, 'open'>; answer: string | null; now: number },
      ) => end({ id, state, answer, now }),
    ),
  };
}

export const bounties = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { earnings, verifierBatches } = tables;
  const isCandidate = and(EARNING_ELIGIBLE, ofGig(tables));
  const { dueAt, rankedAt, observationId } = earnings;
  const isDue = and(isCandidate, lte(dueAt, placeholder('dueBy')));
  const byDue = build.select().from(earnings).where(isDue).orderBy(dueAt, rankedAt, observationId);
  const due = prepare(byDue.limit(placeholder('limit')));
  const first = prepare(
    build
      .select({ at: min(dueAt) })
      .from(earnings)
      .where(isCandidate),
  );
  const isAct = and(ofGig(tables), equals(observationId, 'observationId'));
  const byAct = prepare(build.select().from(earnings).where(isAct));
  const { id, gigId, candidates, tries, nextAt } = verifierBatches;
  const isOpenOfGig = and(BATCH_OPEN, equals(gigId, 'gigId'));
  const open = prepare(build.select({ id, gigId, candidates, tries, nextAt }).from(verifierBatches).where(isOpenOfGig));
  // Keeps SQLite to the key: an index by state would walk all candidates of the gig.
  const isTheirs = and(
    ofGig(tables),
    equals(earnings.platform, 'platform'),
    equals(earnings.platformUserId, 'platformUserId'),
    sql`${kit.noWayIn(earnings.state)} = 'eligible'`,
  );
  const postpone = prepareChange(db, earnings, { dueAt: bound('dueAt') }, isTheirs);
  return {
    reads: {
      /** Eligible accounts of a gig that are to be asked about at or before `dueBy`, those that wait longest first. */
      candidates: locked(
        byGig,
        (gig: number, { dueBy, limit }: { dueBy: number; limit: number }): Promise<Earning[]> =>
          due.all({ gigId: gig, dueBy, limit }),
      ),
      /** When the first eligible account of a gig is to be asked about; null when none is eligible. */
      nextCandidateDue: locked(
        byGig,
        async (gig: number): Promise<number | null> => (await first.get({ gigId: gig }))?.at ?? null,
      ),
      /** The account of a gig for which this act counts, or null. */
      earningByAct: locked(
        byGig,
        async (gig: number, act: number): Promise<Earning | null> =>
          (await byAct.get({ gigId: gig, observationId: act })) ?? null,
      ),
      /** The batch of a gig that waits for its answer, or null. */
      openBatch: locked(
        byGig,
        async (gig: number): Promise<VerifierBatch | null> => (await open.get({ gigId: gig })) ?? null,
      ),
    },
    writes: {
      /** Has an eligible account asked about at another time; false when it is not eligible. */
      postponeCandidate: locked(byGig, (gigId: number, { platform, platformUserId }: AccountKey, dueAt: number) =>
        postpone({ gigId, platform, platformUserId, dueAt }),
      ),
      ...createBatchWrites(db),
    },
  };
});
