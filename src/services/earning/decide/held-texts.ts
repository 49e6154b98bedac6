import { type HeldText, waitForFirstUse } from '../../../domain/earning/first-use.ts';
import type { EarningDecision, StoreTx } from '../../../store/port/index.ts';
import type { DueCandidate } from './find-candidates.ts';

/** The texts that accounts used before those which are judged, as far as nothing was decided about them. */
export interface HeldTexts {
  /** The decision about an account, which is held instead of accepted while another one that used its text before is held. */
  wait(decision: EarningDecision): EarningDecision;
  /** Has it take in what was decided. */
  note(decision: EarningDecision): void;
}

function heldBehind(decision: EarningDecision, held: readonly HeldText[]): EarningDecision {
  const { to, textHash, observationId: id, platformUserId, rankedAt, dueAt } = decision;
  if (to !== 'eligible' || textHash === null) return decision;
  const wait = waitForFirstUse({ id, platformUserId, rankedAt, dueAt, textHash }, held);
  return wait === null ? decision : { ...decision, ...wait, to: 'held', part: null, addresses: [], textHash: null };
}

function after(held: readonly HeldText[], { platformUserId, to, observationId, rankedAt, dueAt }: EarningDecision) {
  const isTheirs = (each: HeldText) => each.platformUserId === platformUserId;
  if (to !== 'held') return held.filter((each) => !isTheirs(each));
  return held.map((each) => (isTheirs(each) ? { ...each, heldFor: observationId, rankedAt, dueAt } : each));
}

/** Finds who used the texts of these accounts before them, and is still held. */
export async function findHeldTexts(
  tx: StoreTx,
  gigId: number,
  candidates: readonly DueCandidate[],
): Promise<HeldTexts> {
  const acts = candidates.flatMap(({ observations }) => observations);
  const withText = acts.flatMap(({ id, textHash }) => (textHash === null ? [] : [{ id, textHash }]));
  const hashes = [...new Set(withText.map(({ textHash }) => textHash))];
  const before = withText.reduce((latest, { id }) => Math.max(latest, id), 0);
  let held: readonly HeldText[] = await tx.heldTexts(gigId, { hashes, before });
  return {
    wait: (decision) => heldBehind(decision, held),
    note(decision) {
      held = after(held, decision);
    },
  };
}
