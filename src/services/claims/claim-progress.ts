import { type ClaimStatus, claimOutcome, payoutsOf } from '../../domain/claims/claim.ts';
import { authorOf, type SocialPlatform } from '../../domain/mentions/mention.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { findWait, type Obstacle, type Obstacles } from '../../domain/payments/obstacle.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { hasPassed } from '../../domain/time.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { hasPendingPayout } from './claim-rewards.ts';
import type { OutcomeContext } from './context.ts';
import { readClaim } from './list-claims.ts';

/** How long a request that claims waits for confirmations at most, and how often it reads the ledger. Milliseconds. */
export const CLAIM_PATIENCE = { patienceMs: 20_000, stepMs: 250 };

const OUTCOMES_A_RUN = 200;

/** What holds up one payment; null for one that is not planned. */
export async function obstacleOf({ store }: ReadContext, { state, gigId, reason }: Payment): Promise<Obstacle | null> {
  // A payment that is sent goes on, even when its gig is frozen meanwhile.
  if (state !== 'planned') return null;
  if ((await store.gigFreeze(gigId)) !== null) return 'gig_frozen';
  return findWait(reason);
}

/** What holds up the payouts of a claim, by payment id. */
export async function findObstacles(deps: ReadContext, status: ClaimStatus): Promise<Obstacles> {
  const found = new Map<number, Obstacle>();
  for (const { payment, outcome } of payoutsOf(status)) {
    const obstacle = outcome === 'pending' ? await obstacleOf(deps, payment) : null;
    if (obstacle !== null) found.set(payment.id, obstacle);
  }
  return found;
}

/** Whether an obstacle holds up all pending payouts, so that waiting a little longer is of no use. */
export function isHeldUp(status: ClaimStatus, obstacles: Obstacles): boolean {
  return payoutsOf(status).every(({ outcome, payment }) => outcome !== 'pending' || obstacles.has(payment.id));
}

/** The claim when no payout is pending, or obstacles alone hold them up, or as it is after `patienceMs`. */
export async function waitForClaim(
  deps: ServiceContext & { readonly sleep: (ms: number) => Promise<boolean> },
  status: ClaimStatus,
  { patienceMs, stepMs }: { patienceMs: number; stepMs: number },
): Promise<ClaimStatus> {
  const since = deps.clock();
  const isOver = () => hasPassed(patienceMs, { since, now: deps.clock() });
  let current = status;
  while (!isHeldUp(current, await findObstacles(deps, current)) && !isOver() && (await deps.sleep(stepMs))) {
    current = await readClaim(deps, current.claim.id);
  }
  return current;
}

/** The newest signed transactions of a claim's payouts that are sent, by payment id. */
export async function findHashesUnderWay(
  { store }: ReadContext,
  status: ClaimStatus,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const { payment } of payoutsOf(status)) {
    if (payment.state !== 'sent' || payment.transactionId === null) continue;
    const transaction = await store.tankTransaction(payment.transactionId);
    const newest = transaction?.attempts.at(-1);
    if (newest !== undefined) found.set(payment.id, newest.hash);
  }
  return found;
}

type Told = 'follow_up' | 'revised' | 'nothing';

interface Promised {
  readonly claimId: number;
  readonly mentionId: number;
}

/** Null when the promise cannot be ended now. */
async function tell(
  { words, clock }: OutcomeContext,
  tx: StoreTx,
  { claimId, mentionId, platform }: Promised & { platform: SocialPlatform },
): Promise<Told | null> {
  const claim = await tx.claim(claimId);
  const mention = await tx.mention(mentionId);
  if (claim === null || mention === null) throw new TypeError(`claim ${claimId} is promised to no mention`);
  const status = { claim, payments: await tx.paymentsOfClaim(claimId) };
  // A retry may have planned the failed payouts again since the promises were read.
  if (hasPendingPayout(status) || !(await tx.endPromise(claimId, mentionId))) return null;
  const first = await tx.replyTo(mentionId);
  // A first reply that was not sent yet is rewritten to tell the outcome.
  if (first !== null && (await tx.reviseReply(first.id, words.outcome(status, mention, platform)))) return 'revised';
  if (claimOutcome(status) !== 'failed' || (await tx.hasOptedOut(authorOf(mention)))) return 'nothing';
  const text = words.failure(status, mention, platform);
  // The post was awarded as a submission too, which its author was told in the one reply that was left.
  const second = await tx.followUpTo(mentionId);
  if (second !== null) return (await tx.reviseReply(second.id, text)) ? 'revised' : 'nothing';
  await tx.queueReply({ mentionId, kind: 'answer', text, followUp: true, worth: REPLY_WORTH.claim }, clock());
  return 'follow_up';
}

/**
 * Checks the claims whose authors have had the reply that payment is on its way, and tells those whose payment failed. Each gets
 * one reply, because the promise ends in the transaction that queues the reply.
 * @returns whether there may be more
 */
export async function tellOutcomes(deps: OutcomeContext): Promise<boolean> {
  const kept = await deps.store.keptPromises();
  const due = kept.flatMap(({ claimId, mentionId, platform: name }) => {
    const platform = deps.platforms.get(name);
    return platform === undefined ? [] : [{ claimId, mentionId, platform }];
  });
  for (const promised of due.slice(0, OUTCOMES_A_RUN)) {
    const told = await deps.store.transaction((tx) => tell(deps, tx, promised));
    if (told === null) continue;
    const { claimId, mentionId, platform } = promised;
    deps.log.info({ claimId, mentionId, told }, 'slow claim settled');
    if (told === 'follow_up') deps.wake(platform.platform);
  }
  return due.length > OUTCOMES_A_RUN;
}
