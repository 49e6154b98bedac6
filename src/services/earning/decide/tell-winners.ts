import { wonSentence } from '../../../domain/earning/words/earning-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { authorOf } from '../../../domain/mentions/mention.ts';
import { amountOf } from '../../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../../domain/mentions/reply-worth.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { findSubmissions } from '../../gigs/show/find-submissions.ts';
import type { Award } from '../award/award-earnings.ts';

/**
 * Queues a second reply to each submission that is awarded, in the transaction of the award. A reply
 * to the target of the gig did not mention the bot, and stays without.
 */
export async function tellWinners(
  tx: StoreTx,
  gig: Gig,
  { awards, now }: { awards: readonly Award[]; now: number },
): Promise<void> {
  for (const { earning, amount } of awards) {
    const [submission] = await findSubmissions(tx, [earning]);
    const mention = submission === undefined ? null : await tx.mentionByPost(gig.platform, submission.postId);
    if (mention === null || (await tx.hasOptedOut(authorOf(mention)))) continue;
    if ((await tx.followUpTo(mention.id)) !== null) continue;
    const text = wonSentence(gig.id, amountOf(amount, gig.token));
    await tx.queueReply({ mentionId: mention.id, kind: 'answer', text, followUp: true, worth: REPLY_WORTH.claim }, now);
  }
}
