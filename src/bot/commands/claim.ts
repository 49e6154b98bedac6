import { claimedAddresses } from '../../domain/claim.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { findObstacles, isHeldUp, type OutcomeWords } from '../../services/claims/claim-progress.ts';
import { claimRewards, isSettled } from '../../services/claims/claim-rewards.ts';
import { Postponed } from '../../services/mentions/answer-mentions.ts';
import { claimPage } from '../claim-page.ts';
import { type CommandContext, defineCommand, type Prepared } from '../command.ts';
import { addressUnknownReply, claimedReply, finishReply } from '../replies.ts';

/** A pending claim is checked again after a fifth of its age, within these bounds. Milliseconds. */
const CLAIM_LOOK_MS = { least: 2_000, most: 5_000 };
/** After this long the author is told that the claim is on its way, and later commands go on. Milliseconds. */
const CLAIM_PATIENCE_MS = 20_000;

/**
 * Opens the mention's claim once, however often it runs. The reply waits a little for the outcome; for a slower claim
 * it tells the status so far, and a second reply follows only if the claim fails.
 */
async function claim(ctx: CommandContext, address: string | null): Promise<Prepared> {
  const { deps, platform: network, actor } = ctx;
  const { platform, postId, authorId: platformUserId, postedAt, receivedAt: seenAt, id: mentionId } = ctx.mention;
  const text = `claim my rewards ${address ?? ''}`;
  const post = { platform, postId, platformUserId, postedAt, seenAt, text, requestId: actor.requestId };
  const status = await claimRewards(deps, { ...post, retry: false });
  if (isSettled(status)) return { text: claimedReply(status, network) };
  const obstacles = await findObstacles(deps, status);
  const age = deps.clock() - status.claim.createdAt;
  if (age >= 0 && age < CLAIM_PATIENCE_MS && !isHeldUp(status, obstacles)) {
    const look = Math.min(Math.max(age / 5, CLAIM_LOOK_MS.least), CLAIM_LOOK_MS.most);
    throw new Postponed('the payment is under way', Math.ceil(Math.min(look, CLAIM_PATIENCE_MS - age)));
  }
  const { id: claimId } = status.claim;
  return {
    text: claimedReply(status, network, { obstacles, page: claimPage(ctx) }),
    commit: (tx) => tx.promiseOutcome(claimId, mentionId),
  };
}

/** The replies for a settled claim whose author was told that it is on its way. */
export const OUTCOME_WORDS: OutcomeWords = {
  outcome: (status, mention, platform) => finishReply(claimedReply(status, platform), mention, platform),
  failure: (status, mention, platform) => finishReply(claimedReply(status, platform, { why: true }), mention, platform),
};

export const claimCommand = defineCommand({
  name: 'claim',
  worth: REPLY_WORTH.claim,
  help: '"claim my rewards 0x…" (get paid)',
  changes: true,
  ranksRefusals: true,
  // A claim asks the chain nothing; only the look-up of the payout address can fail here.
  unreachable: addressUnknownReply(),
  isStrict: true,
  /** The address is kept as typed, because its case carries the checksum; the claim checks it. */
  read(words) {
    const named = claimedAddresses(words);
    return named === null ? null : { address: named.join(' ') || null };
  },
  prepare: (ctx, { address }) => claim(ctx, address),
});
