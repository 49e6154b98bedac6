import { and, eq, lte, min, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { BATCH_OPEN } from './bounty-tables.ts';
import { EARNING_ELIGIBLE } from './earning-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

function ofGig({ earnings }: Tables) {
  return equals(earnings.gigId, 'gigId');
}

type Reads = 'candidates' | 'nextCandidateDue' | 'earningByAct' | 'openBatch';

export function createBountyReads({ build, prepare, tables }: Sql): Pick<StoreReads, Reads> {
  const { earnings, verifierBatches } = tables;
  const isCandidate = and(EARNING_ELIGIBLE, ofGig(tables));
  const { dueAt, rankedAt, observationId } = earnings;
  const isDue = and(isCandidate, lte(dueAt, placeholder('dueBy')));
  const inOrder = build.select().from(earnings).where(isDue).orderBy(dueAt, rankedAt, observationId);
  const due = prepare(inOrder.limit(placeholder('limit')));
  const first = prepare(
    build
      .select({ at: min(dueAt) })
      .from(earnings)
      .where(isCandidate),
  );
  const isAct = and(ofGig(tables), equals(observationId, 'observationId'));
  const byAct = prepare(build.select().from(earnings).where(isAct));
  const { id, gigId, candidates, tries, nextAt } = verifierBatches;
  const isOpen = and(BATCH_OPEN, equals(gigId, 'gigId'));
  const open = prepare(build.select({ id, gigId, candidates, tries, nextAt }).from(verifierBatches).where(isOpen));
  return {
    candidates: (gig, { dueBy, limit }) => due.all({ gigId: gig, dueBy, limit }),
    nextCandidateDue: async (gig) => (await first.get({ gigId: gig }))?.at ?? null,
    earningByAct: async (gig, act) => (await byAct.get({ gigId: gig, observationId: act })) ?? null,
    openBatch: async (gig) => (await open.get({ gigId: gig })) ?? null,
  };
}

type Writes = 'postponeCandidate' | 'openBatchOf' | 'tryBatch' | 'endBatch';

export function createBountyWrites(db: Sql): Pick<StoreTx, Writes> {
  const { build, kit, prepare, tables } = db;
  const { earnings, verifierBatches } = tables;
  // Keeps SQLite to the key: an index by state would walk all candidates of the gig.
  const isTheirs = and(
    ofGig(tables),
    equals(earnings.platform, 'platform'),
    equals(earnings.platformUserId, 'platformUserId'),
    sql`${kit.noWayIn(earnings.state)} = 'eligible'`,
  );
  const postpone = prepareChange(db, earnings, { dueAt: bound('dueAt') }, isTheirs);
  const isOpen = and(equals(verifierBatches.id, 'id'), eq(verifierBatches.state, 'open'));
  const tried = { tries: sql`${verifierBatches.tries} + 1`, nextAt: bound('nextAt') };
  const retry = prepareChange(db, verifierBatches, tried, isOpen);
  const ended = { state: bound('state'), answer: bound('answer'), endedAt: bound('now') };
  const end = prepareChange(db, verifierBatches, ended, isOpen);
  return {
    postponeCandidate: (gigId, { platform, platformUserId }, dueAt) =>
      postpone({ gigId, platform, platformUserId, dueAt }),
    async openBatchOf(batch, now) {
      await prepare(build.insert(verifierBatches).values({ ...batch, state: 'open', madeAt: now })).run();
    },
    tryBatch: (id, { nextAt }) => retry({ id, nextAt }),
    endBatch: (id, { state, answer, now }) => end({ id, state, answer, now }),
  };
}
