import { compareTexts, inAccountOrder } from '../../../domain/account.ts';
import { wonSentence } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { MentionRecord } from '../../../domain/mentions/mention.ts';
import { amountOf } from '../../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../../domain/mentions/reply-worth.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { findSubmissions } from '../../gigs/show/find-submissions.ts';
import type { Award } from '../award/award-earnings.ts';

/** Less than a reply to a claim: many winners in one thread would hold those up for hours. */
const WORTH = REPLY_WORTH.lookUp;

interface Winner {
  readonly mention: MentionRecord;
  readonly amount: bigint;
}

/** Null for one that is told nothing. Locks its account. */
async function findWinner(tx: StoreTx, gig: Gig, { earning, amount }: Award): Promise<Winner | null> {
  if (await tx.hasOptedOut(earning)) return null;
  const [submission] = await findSubmissions(tx, [earning]);
  const mention = submission === undefined ? null : await tx.mentionByPost(gig.platform, submission.postId);
  return mention === null || (await tx.followUpTo(mention.id)) !== null ? null : { mention, amount };
}

/**
 * Queues a second reply to each submission that is awarded, in the transaction of the award. A reply
 * to the target of the gig did not mention the bot, and stays without.
 */
export async function tellWinners(
  tx: StoreTx,
  gig: Gig,
  { awards, now }: { awards: readonly Award[]; now: number },
): Promise<void> {
  const winners: Winner[] = [];
  // All authors are locked before the first thread, each in their order.
  for (const award of awards.toSorted((a, b) => inAccountOrder(a.earning, b.earning))) {
    const winner = await findWinner(tx, gig, award);
    if (winner !== null) winners.push(winner);
  }
  for (const { mention, amount } of winners.toSorted((a, b) => compareTexts(a.mention.threadId, b.mention.threadId))) {
    const text = wonSentence(gig.id, amountOf(amount, gig.token));
    await tx.queueReply({ mentionId: mention.id, kind: 'answer', text, followUp: true, worth: WORTH }, now);
  }
}
