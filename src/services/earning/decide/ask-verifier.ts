import { BATCH_SIZE, type VerifierBatch } from '../../../domain/earning/payouts/bounty.ts';
import { type Bounds, type Decision, decisionsText, readDecisions } from '../../../domain/earning/payouts/decisions.ts';
import type { AskedCandidate, VerifierQuestion } from '../../../domain/earning/payouts/verifier.ts';
import { MILLION } from '../../../domain/earning/terms/rules.ts';
import { failurePause } from '../../../domain/earning/watch.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { awardableOf } from '../../../domain/gigs/gig.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { summarizeError } from '../../../log.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { findDueCandidate, findSubmissions, type Submission } from '../../gigs/show/find-submissions.ts';
import { ENGINE } from '../award/award-earnings.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { readPostTexts } from './ask-posts.ts';
import { applyDecisions, dropIdleBatch, holdAgain } from './decide-candidates.ts';

/**
 * When a candidate that an answer does not name, or whose text the platform does not tell, is asked about again: each
 * question costs a call of the platform's.
 */
const UNNAMED_MS = HOUR_MS;

/**
 * Puts a try of the gig's batch on disk before it is sent, and a new batch when none is open.
 * @returns null when it is not due, or there is nothing to ask
 */
async function beginTry({ store, clock, timing, newId }: WatchContext, gigId: number): Promise<VerifierBatch | null> {
  return await store.transaction(async (tx) => {
    const now = clock();
    const open = await tx.openBatch(gigId);
    if (open !== null) {
      if (open.nextAt > now) return null;
      const isBegun = await tx.tryBatch(open.id, { nextAt: now + failurePause(open.tries + 1, timing) });
      return isBegun ? open : null;
    }
    const due = await tx.candidates(gigId, { dueBy: now, limit: BATCH_SIZE });
    if (due.length === 0) return null;
    const candidates = due.map(({ observationId }) => observationId);
    const batch = { id: newId(), gigId, candidates, tries: 1, nextAt: now + failurePause(1, timing) };
    await tx.openBatchOf(batch, now);
    return batch;
  });
}

async function findOpen({ store, clock }: ServiceContext, { gigId, candidates }: VerifierBatch): Promise<Submission[]> {
  const now = clock();
  const earnings = await Promise.all(candidates.map((id) => findDueCandidate(store, gigId, { id, now })));
  return await findSubmissions(
    store,
    earnings.filter((earning) => earning !== null),
  );
}

function toAsked({ earning, postId, postedAt }: Submission, text: string): AskedCandidate {
  const { observationId: id, platform, platformUserId, facts } = earning;
  const score = facts?.score ?? null;
  return {
    id,
    platform: platformFacts(platform).slug,
    platformUserId,
    username: facts?.username ?? null,
    score: score === null ? null : score / MILLION,
    postId,
    text,
    postedAt,
  };
}

/** Candidates that wait longer already keep their time. */
async function postpone(tx: StoreTx, gigId: number, { ids, now }: { ids: readonly number[]; now: number }) {
  for (const id of ids) {
    const earning = await findDueCandidate(tx, gigId, { id, now });
    if (earning !== null) await tx.postponeCandidate(gigId, earning, now + UNNAMED_MS);
  }
}

/**
 * The candidates of a batch with the texts of their posts. Those whose posts are gone are judged again, unless the gig's
 * target is gone: then what was seen stands. Those whose texts the platform does not tell wait, and keep nobody else waiting.
 */
async function readCandidates(
  deps: WatchContext,
  { reader, watch }: WatchedGig,
  batch: VerifierBatch,
): Promise<AskedCandidate[]> {
  const { store, clock } = deps;
  const submissions = await findOpen(deps, batch);
  const texts = await readPostTexts(reader, submissions);
  const isKnown = ({ postId }: Submission) => texts.has(postId);
  const isGone = ({ postId }: Submission) => texts.get(postId) === null && watch.goneAt === null;
  const ids = submissions.filter((each) => !isKnown(each)).map(({ earning }) => earning.observationId);
  const gone = submissions.filter(isGone).map(({ earning }) => earning);
  if (ids.length + gone.length > 0) {
    await store.transaction(async (tx) => {
      const now = clock();
      await postpone(tx, batch.gigId, { ids, now });
      await holdAgain(tx, gone, now);
    });
  }
  const asked = submissions.filter((each) => isKnown(each) && !isGone(each));
  return asked.map((each) => toAsked(each, texts.get(each.postId) ?? ''));
}

/** Null when the verifier gave no decisions that can be used. */
async function ask(
  { verifiers, log, counter }: WatchContext,
  { url, question, batch }: { url: string; question: VerifierQuestion; batch: VerifierBatch },
  most: Omit<Bounds, 'candidates'>,
): Promise<readonly Decision[] | null> {
  if (verifiers === undefined) return null;
  const told = { gigId: batch.gigId, batchId: batch.id, tries: batch.tries };
  try {
    const given = await verifiers.ask(url, question);
    const read = readDecisions(given, { ...most, candidates: new Set(batch.candidates) });
    if ('decisions' in read) return read.decisions;
    log.warn({ ...told, problems: read.problems.slice(0, 5) }, 'answer of a verifier is void; it is asked again');
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ ...told, error: summarizeError(error) }, 'verifier does not answer; it is asked again');
  }
  counter?.asked('failed');
  return null;
}

/** Stores nothing when the batch has an answer already. Candidates that the answer does not name are asked about later. */
async function keepAnswer(
  { store, clock }: WatchContext,
  { id, gigId, candidates }: VerifierBatch,
  decisions: readonly Decision[],
): Promise<void> {
  const named = new Set(decisions.map((decision) => decision.id));
  await store.transaction(async (tx) => {
    const now = clock();
    if (!(await tx.endBatch(id, { state: 'answered', answer: decisionsText(decisions), now }))) return;
    await applyDecisions(tx, { gigId, decisions, actor: ENGINE, now });
    await postpone(tx, gigId, { ids: candidates.filter((each) => !named.has(each)), now });
  });
}

/**
 * Asks a gig's verifier about its candidates, and does what it decides. A batch is on disk before it is sent, and sent
 * again under the same id until it has an answer that can be used.
 * @throws AdapterError when the platform does not tell the texts
 */
export async function askVerifier(deps: WatchContext, watched: WatchedGig, maxAmount: bigint): Promise<void> {
  const { store, verifiers, clock, counter } = deps;
  const { gig } = watched;
  const url = verifiers?.urlOf(gig.verifier) ?? null;
  const batch = url === null ? null : await beginTry(deps, gig.id);
  if (url === null || batch === null) return;
  const candidates = await readCandidates(deps, watched, batch);
  if (candidates.length === 0) {
    await store.transaction((tx) => dropIdleBatch(tx, gig.id, clock()));
    return;
  }
  const { token } = gig;
  const { decimals } = token;
  const question = { batchId: batch.id, gigId: gig.id, remaining: awardableOf(gig), decimals, candidates };
  const decisions = await ask(deps, { url, question, batch }, { token, maxAmount });
  if (decisions === null) return;
  await keepAnswer(deps, batch, decisions);
  counter?.asked('answered');
}
