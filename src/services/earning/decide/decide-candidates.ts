import type { Earning } from '../../../domain/earning/earning.ts';
import {
  type Bounds,
  type BountyVerdict,
  type Decision,
  type GivenDecision,
  type PartDecision,
  problemsOfDecisions,
  readDecisions,
  withoutPlace,
} from '../../../domain/earning/payouts/decisions.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import { DomainError, invalidRequest } from '../../../domain/errors.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import { throwIfInvalid } from '../../../domain/validation.ts';
import type { StoreReads, StoreTx } from '../../../store/port/index.ts';
import type { ReadContext } from '../../context.ts';
import { commandGig } from '../../gigs/command-gig.ts';
import { findCandidate, findDueCandidate } from '../../gigs/show/find-submissions.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import type { Prepared } from '../../prepared.ts';
import { type Award, giveTips } from '../award/award-earnings.ts';
import { type RefusedEarner, recordRefusals, refusePaid } from '../award/refuse.ts';
import type { HandContext } from '../context.ts';
import { tellWinners } from './tell-winners.ts';

/** The shortest time after which a candidate is asked about again: each question costs a call of the platform's. */
const LEAST_WAIT_MS = 60_000;

/** What decisions did. */
interface DecisionsDone {
  readonly gig: Gig;
  readonly awarded: number;
  readonly refused: number;
  readonly waiting: number;
  /** What is left of the reward, in base units. */
  readonly left: bigint;
}

/** @throws TypeError when the account is no candidate */
async function leave(
  tx: StoreTx,
  earning: Earning,
  change: { to: 'held'; dueAt: number } | { to: 'refused'; reason: Earning['reason']; note: string | null },
  now: number,
): Promise<void> {
  const base = { ...earning, from: 'eligible', reason: null, note: null, part: null, addresses: [], textHash: null };
  const isDone = await tx.decideEarning({ ...base, from: 'eligible', ...change }, now);
  if (!isDone) throw new TypeError(`an account of gig ${earning.gigId} is not eligible any more`);
}

/** Has candidates judged again, because their posts are gone: another act of theirs may count. */
export async function holdAgain(tx: StoreTx, candidates: readonly Earning[], now: number): Promise<void> {
  for (const earning of candidates) {
    const still = await findCandidate(tx, earning.gigId, earning.observationId);
    if (still !== null) await leave(tx, still, { to: 'held', dueAt: now }, now);
  }
}

/** Ends the open batch of a gig when all that it asks about is decided, or all of it waits. */
export async function dropIdleBatch(tx: StoreTx, gigId: number, now: number): Promise<void> {
  const batch = await tx.openBatch(gigId);
  if (batch === null) return;
  for (const id of batch.candidates) if ((await findDueCandidate(tx, gigId, { id, now })) !== null) return;
  await tx.endBatch(batch.id, { state: 'dropped', answer: null, now });
}

interface Ledger {
  left: bigint;
  readonly awards: Award[];
  readonly refused: RefusedEarner[];
  waiting: number;
}

async function apply(
  tx: StoreTx,
  ledger: Ledger,
  { earning, verdict, now }: { earning: Earning; verdict: BountyVerdict; now: number },
) {
  if (verdict.kind === 'wait') {
    await tx.postponeCandidate(earning.gigId, earning, now + Math.max(LEAST_WAIT_MS, verdict.ms));
    ledger.waiting += 1;
    return;
  }
  if (verdict.kind === 'award' && verdict.amount <= ledger.left) {
    ledger.awards.push({ earning, amount: verdict.amount });
    ledger.left -= verdict.amount;
    return;
  }
  const refusal =
    verdict.kind === 'award'
      ? ({ reason: 'reward_used_up', note: null } as const)
      : ({ reason: 'verifier_refused', note: verdict.note } as const);
  await leave(tx, earning, { to: 'refused', ...refusal }, now);
  const { platform, platformUserId } = earning;
  ledger.refused.push({ platform, platformUserId, reason: refusal.reason });
}

/**
 * Applies decisions in their order, in the transaction of the caller. A candidate about which was decided meanwhile is
 * passed over; one whose award is more than what is left is refused.
 */
export async function applyDecisions(
  tx: StoreTx,
  { gigId, decisions, actor, now }: { gigId: number; decisions: readonly Decision[]; actor: Actor; now: number },
): Promise<DecisionsDone> {
  const gig = await commandGig(tx, { gigId, actor, act: 'decide' });
  const asked = new Set(decisions.map(({ id }) => id));
  const paid = (await tx.eligibleButPaid(gigId)).filter(({ observationId }) => asked.has(observationId));
  await refusePaid(tx, gigId, now);
  const ledger: Ledger = { left: awardableOf(gig), awards: [], refused: [], waiting: 0 };
  for (const { id, verdict } of decisions) {
    const earning = await findCandidate(tx, gigId, id);
    if (earning !== null) await apply(tx, ledger, { earning, verdict, now });
  }
  const { awards, refused, waiting, left } = ledger;
  await recordRefusals(tx, { gigId, now }, refused);
  await giveTips(tx, gig, { awards, now, actor });
  await tellWinners(tx, gig, { awards, now });
  return { gig, awarded: awards.length, refused: paid.length + refused.length, waiting, left };
}

/** What an award of a bounty is bounded by. @throws DomainError `invalid_request` for a gig without submissions */
export async function requireBounty(store: StoreReads, gigId: number): Promise<{ readonly maxAmount: bigint }> {
  const stored = await store.earningRules(gigId);
  const payout = stored === null ? null : payoutOf(readStoredRules(stored.rules).rule);
  if (payout?.by === 'bounty') return payout;
  throw invalidRequest(`Gig ${gigId} has no submissions to decide on: its rule is not verifier.`);
}

async function findBounds(store: StoreReads, gig: Gig, given: readonly PartDecision[]): Promise<Bounds> {
  const { id: gigId, token } = gig;
  const { maxAmount } = await requireBounty(store, gigId);
  const candidates = new Set<number>();
  for (const { id } of given)
    if (id !== undefined && (await findCandidate(store, gigId, id)) !== null) candidates.add(id);
  return { token, maxAmount, candidates };
}

/**
 * What is wrong with those of several decisions that are well-formed, when others are not.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the gig has no verifier rule
 */
export async function findDecisionProblems(
  { store }: ReadContext,
  { gigId, given, actor }: { gigId: number; given: readonly PartDecision[]; actor: Actor },
): Promise<string[]> {
  const gig = await commandGig(store, { gigId, actor, act: 'decide' });
  return problemsOfDecisions(given, await findBounds(store, gig, given));
}

/** What is decided on candidates of a gig by hand. */
interface HandDecisions {
  readonly gigId: number;
  readonly decisions: readonly GivenDecision[];
  readonly actor: Actor;
  /** Whether an award of more than is left is a problem, and does not refuse its account. */
  readonly keepsOpen?: boolean;
}

async function decideByHand(tx: StoreTx, request: HandDecisions, now: number): Promise<DecisionsDone> {
  const { gigId, decisions: given, actor, keepsOpen = false } = request;
  const gig = await commandGig(tx, { gigId, actor, act: 'decide' });
  const bounds = await findBounds(tx, gig, given);
  const read = readDecisions(given, keepsOpen ? { ...bounds, left: awardableOf(gig) } : bounds);
  throwIfInvalid('problems' in read ? read.problems : []);
  const decisions = 'decisions' in read ? read.decisions : [];
  const done = await applyDecisions(tx, { gigId, decisions, actor, now });
  await dropIdleBatch(tx, gigId, now);
  const { awarded, refused, waiting } = done;
  await recordGigEvent(tx, { actor, now }, { action: 'gig.decide', gigId, detail: { awarded, refused, waiting } });
  return done;
}

/**
 * Prepares decisions on candidates by hand, all or nothing, for which it has to be known what the gig's wallet has paid. Its
 * commit throws DomainError `validation_failed`.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the gig has no verifier rule
 * @throws AdapterError when the chain does not show what the wallet has paid
 */
export async function prepareDecisions(
  { store, learnPaid }: HandContext,
  request: HandDecisions,
): Promise<Prepared<DecisionsDone>> {
  const { gigId, actor } = request;
  const gig = await commandGig(store, { gigId, actor, act: 'decide' });
  await requireBounty(store, gigId);
  if (gig.status === 'live') await learnPaid?.(gig);
  return { commit: (tx, now) => decideByHand(tx, request, now) };
}

/**
 * As {@link prepareDecisions}, of one candidate by a person: a problem does not say the place of its decision, and more than
 * is left is one.
 */
export async function prepareDecision(
  deps: HandContext,
  { decision, ...request }: Omit<HandDecisions, 'decisions' | 'keepsOpen'> & { readonly decision: GivenDecision },
): Promise<Prepared<DecisionsDone>> {
  const { commit } = await prepareDecisions(deps, { ...request, decisions: [decision], keepsOpen: true });
  return {
    commit: (tx, now) =>
      commit(tx, now).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.refusal.code !== 'validation_failed') throw error;
        throw new DomainError({ code: 'validation_failed', details: error.refusal.details.map(withoutPlace) });
      }),
  };
}
