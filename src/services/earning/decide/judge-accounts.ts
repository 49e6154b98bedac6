import { REOPENED } from '../../../domain/earning/earning.ts';
import { type Judgement, type Judging, judgeAccount } from '../../../domain/earning/gates.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { waitingEvent } from '../../../domain/events/event.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type { EarningDecision, StoreTx } from '../../../store/port/index.ts';
import { findOwnAccounts } from '../acts/own-accounts.ts';
import { LeaseLost } from '../acts/store-acts.ts';
import { inBatches } from '../award/batches.ts';
import { type RefusedEarner, recordRefusals } from '../award/refuse.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { wayOf } from '../ways/index.ts';
import type { Join } from '../ways/way.ts';
import {
  type Answers,
  askAbout,
  type DueCandidate,
  findCandidates,
  findHeldTexts,
  type HeldTexts,
} from './find-candidates.ts';

interface Holders {
  readonly addressHolders: Map<Address, string>;
  readonly textHolders: Map<string, string>;
}

/** Which accounts of the gig have used an address or a text of these candidates. */
async function readHolders(tx: StoreTx, gigId: number, candidates: readonly DueCandidate[]): Promise<Holders> {
  const addressHolders = new Map<Address, string>();
  const textHolders = new Map<string, string>();
  // The ledger has lost the tips for which the gig has paid these addresses, and with them the ids of the accounts.
  for (const address of await tx.lostRecipients(gigId)) addressHolders.set(address, '');
  for (const { facts, observations } of candidates) {
    for (const address of typeof facts === 'object' ? facts.addresses : []) {
      const holder = await tx.earningAddressHolder(gigId, address);
      if (holder !== null) addressHolders.set(address, holder.platformUserId);
    }
    for (const { textHash } of observations) {
      const holder = textHash === null ? null : await tx.earningTextHolder(gigId, textHash);
      if (textHash !== null && holder !== null) textHolders.set(textHash, holder.platformUserId);
    }
  }
  return { addressHolders, textHolders };
}

/** An account that another act would hold again is held for it at once: the act became known meanwhile. */
function judge(candidate: DueCandidate, judging: Judging): Judgement {
  const judged = judgeAccount(candidate, judging);
  const { next: observation } = candidate;
  if (observation === null || judged.state !== 'refused' || !REOPENED.has(judged.reason)) return judged;
  const { rules, window } = judging;
  const dueAt = payoutOf(rules.rule).dueOf(rules, window, observation);
  return { state: 'held', observation, facts: judged.facts, dueAt: Math.max(dueAt, judging.settleBy + 1) };
}

function decisionOf({ earning }: DueCandidate, judged: Judgement, join: Join = () => null): EarningDecision {
  const { platform, platformUserId, gigId } = earning;
  const { observation, facts } = judged;
  const part = judged.state === 'eligible' ? join({ rankedAt: observation.rankedAt, standing: facts }) : null;
  const isLate = typeof part === 'string';
  const judgement: Judgement = isLate ? { state: 'refused', reason: part, observation, facts } : judged;
  const { state } = judgement;
  return {
    platform,
    platformUserId,
    gigId,
    from: 'held',
    to: state,
    reason: state === 'refused' ? judgement.reason : null,
    facts,
    observationId: observation.id,
    rankedAt: observation.rankedAt,
    dueAt: state === 'held' ? judgement.dueAt : earning.dueAt,
    part: isLate ? null : part,
    addresses: state === 'eligible' ? judgement.addresses : [],
    textHash: state === 'eligible' ? judgement.textHash : null,
  };
}

function shorter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What became of the accounts of a batch. */
interface Judged {
  /** For how long nobody is judged; null when nothing waits. */
  readonly pauseMs: number | null;
  readonly refused: readonly RefusedEarner[];
  readonly accepted: number;
}

/** One after the other, because an account uses up the addresses and texts of those after it. */
async function judgeAll(
  tx: StoreTx,
  candidates: readonly DueCandidate[],
  {
    judging,
    holders,
    texts,
    join,
    now,
  }: { judging: Judging; holders: Holders; texts: HeldTexts; join: Join | undefined; now: number },
): Promise<Judged> {
  let pauseMs: number | null = null;
  const refused: RefusedEarner[] = [];
  let accepted = 0;
  for (const candidate of candidates) {
    const decision = texts.wait(decisionOf(candidate, judge(candidate, judging), join));
    if (!(await tx.decideEarning(decision, now))) continue;
    if (decision.to === 'held') pauseMs = shorter(pauseMs, candidate.pauseMs);
    if (decision.to === 'eligible') accepted += 1;
    const { platform, platformUserId, reason } = decision;
    if (reason !== null) refused.push({ platform, platformUserId, reason });
    texts.note(decision);
    for (const address of decision.addresses) holders.addressHolders.set(address, candidate.accountId);
    if (decision.textHash !== null) holders.textHolders.set(decision.textHash, candidate.accountId);
  }
  return { pauseMs, refused, accepted };
}

/**
 * Judges those accounts that were answered about, in a transaction of their own.
 * @throws LeaseLost: answers from before another process judged must not count as said after that
 */
async function judgeBatch(
  deps: WatchContext,
  { gig, rules, watch, lease }: WatchedGig,
  { answers, ownAccounts, dueBy }: { answers: Answers; ownAccounts: ReadonlySet<string>; dueBy: number },
): Promise<number | null> {
  const { store, clock } = deps;
  return await store.transaction(async (tx) => {
    if (!(await tx.storeWatch(watch, { lease, release: false }))) throw new LeaseLost();
    const now = clock();
    const candidates = await findCandidates(tx, deps, { answers, now });
    const holders = await readHolders(tx, gig.id, candidates);
    const texts = await findHeldTexts(tx, gig.id, candidates);
    const judging: Judging = {
      rules,
      window: gig,
      gigCreatedAt: gig.createdAt,
      watch,
      settleBy: dueBy,
      ownAccounts,
      ...holders,
    };
    const join = await wayOf(rules).joining?.(tx, gig);
    const { pauseMs, refused, accepted } = await judgeAll(tx, candidates, { judging, holders, texts, join, now });
    await recordRefusals(tx, { gigId: gig.id, now }, refused);
    if (accepted > 0 && payoutOf(rules.rule).hasSubmissions)
      await tx.insertEvents([waitingEvent(gig.id, accepted, now)]);
    return pauseMs;
  });
}

/**
 * Judges held accounts that are due, as many as one bulk question holds, by what the platform says about them now. Nothing is
 * decided on those of whom it does not answer.
 * @returns for how long the gig's accounts are not judged, because one that was missing is asked about again then; or null
 * @throws AdapterError when it does not answer, after the others were judged
 * @throws LeaseLost when another process has the watch by now
 */
export async function judgeAccounts(deps: WatchContext, watched: WatchedGig, dueBy: number): Promise<number | null> {
  const { store } = deps;
  const { gig, reader } = watched;
  const due = await store.settleable(gig.id, { dueBy, limit: reader.bulk });
  if (due.length === 0) return null;
  const answers = await askAbout(deps, watched, due);
  const ownAccounts = await findOwnAccounts(store, watched);
  let pauseMs: number | null = null;
  for (const answered of inBatches(answers.answered)) {
    const batchMs = await judgeBatch(deps, watched, { answers: { ...answers, answered }, ownAccounts, dueBy });
    pauseMs = shorter(pauseMs, batchMs);
  }
  // Those about whom it answered are judged all the same.
  if (answers.failure !== null) throw answers.failure;
  return pauseMs;
}
