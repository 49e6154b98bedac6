import { and, eq, lte, min, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { BATCH_OPEN, verifierBatches } from './bounty-tables.ts';
import { EARNING_ELIGIBLE, earnings } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;
const ofGig = equals(earnings.gigId, 'gigId');
const isCandidate = and(EARNING_ELIGIBLE, ofGig);

type Reads = 'candidates' | 'nextCandidateDue' | 'earningByAct' | 'openBatch';

export function createBountyReads(db: Db): Pick<SyncReads, Reads> {
  const { dueAt, rankedAt, observationId } = earnings;
  const isDue = and(isCandidate, lte(dueAt, placeholder('dueBy')));
  const inOrder = db.select().from(earnings).where(isDue).orderBy(dueAt, rankedAt, observationId);
  const due = prepare(db, inOrder.limit(placeholder('limit')));
  const first = prepare(
    db,
    db
      .select({ at: min(dueAt) })
      .from(earnings)
      .where(isCandidate),
  );
  const isAct = and(ofGig, equals(observationId, 'observationId'));
  const byAct = prepare(db, db.select().from(earnings).where(isAct));
  const { id, gigId, candidates, tries, nextAt } = verifierBatches;
  const isOpen = and(BATCH_OPEN, equals(gigId, 'gigId'));
  const open = prepare(db, db.select({ id, gigId, candidates, tries, nextAt }).from(verifierBatches).where(isOpen));
  return {
    candidates: (gig, { dueBy, limit }) => due.all({ gigId: gig, dueBy, limit }),
    nextCandidateDue: (gig) => first.get({ gigId: gig })?.at ?? null,
    earningByAct: (gig, act) => byAct.get({ gigId: gig, observationId: act }) ?? null,
    openBatch: (gig) => open.get({ gigId: gig }) ?? null,
  };
}

type Writes = 'postponeCandidate' | 'openBatchOf' | 'tryBatch' | 'endBatch';

export function createBountyWrites(db: Db): Pick<SyncWrites, Writes> {
  // The plus keeps to the key: an index by state would walk all candidates of the gig.
  const isTheirs = and(
    ofGig,
    equals(earnings.platform, 'platform'),
    equals(earnings.platformUserId, 'platformUserId'),
    sql`+${earnings.state} = 'eligible'`,
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
    openBatchOf(batch, now) {
      db.insert(verifierBatches)
        .values({ ...batch, state: 'open', madeAt: now })
        .run();
    },
    tryBatch: (id, { nextAt }) => retry({ id, nextAt }),
    endBatch: (id, { state, answer, now }) => end({ id, state, answer, now }),
  };
}
