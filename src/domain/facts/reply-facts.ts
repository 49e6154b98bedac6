import type { MentionRecord, ReplyRecord } from '../mentions/mention.ts';
import { withoutReplyMark } from '../platforms/platforms.ts';
import { type Fact, fact, momentOr } from './fact.ts';

/** A reply, with the mention that it answers where that was read. */
export interface ShownReply {
  readonly reply: ReplyRecord;
  readonly mention: MentionRecord | null;
}

export const REPLY_STATE_WORDS =
  'Unknown: the outcome of sending is not known; the service checks the platform before it sends again.';

/** What a reply says, without its platform's mark. */
export function saidBy({ text, platform, mention: { postId } }: ReplyRecord): string {
  return withoutReplyMark(text, { platform, postId });
}

/** Why the latest try to send a reply failed; null when that no longer matters, because the reply is sent. */
export function replyFault({ state, lastError }: ReplyRecord): string | null {
  return state === 'sent' ? null : lastError;
}

/** The facts of a reply, without its state. */
export const REPLY_FACTS: readonly Fact<ShownReply>[] = [
  fact('text', ({ reply }) => ({ text: saidBy(reply) }), { json: ({ reply }) => ({ text: reply.text }) }),
  fact(
    'answers',
    ({ reply: { mentionId, platform, mention }, mention: shown }) => [
      { record: 'mention', id: mentionId },
      ' by ',
      { account: { platform, platformUserId: mention.authorId, username: shown?.authorUsername ?? null } },
    ],
    { json: ({ reply }) => ({ mention_id: reply.mentionId, in_reply_to: reply.mention.replyTo }) },
  ),
  fact('mention', ({ mention }) => (mention === null ? null : { text: mention.text })),
  fact('platform', ({ reply: { platform } }) => ({ platform }), { json: 'platform' }),
  fact('kind', ({ reply }) => reply.kind.replaceAll('_', ' '), { json: ({ reply }) => ({ kind: reply.kind }) }),
  fact(
    'tells',
    ({ reply: { notice } }) =>
      notice === null ? null : [{ record: 'gig', id: notice.gigId }, `: ${notice.event.replaceAll('_', ' ')}`],
    { json: ({ reply: { notice } }) => ({ gig_id: notice?.gigId ?? null, event: notice?.event ?? null }) },
  ),
  fact('queued', ({ reply }) => ({ moment: reply.createdAt }), { json: 'created_at' }),
  fact('sent', ({ reply }) => momentOr(reply.sentAt), { json: 'sent_at' }),
  fact('post', ({ reply: { postId } }) => (postId === null ? null : { whole: postId }), { json: 'post_id' }),
  fact('attempts', ({ reply }) => String(reply.attempts), { json: ({ reply }) => ({ attempts: reply.attempts }) }),
  fact(
    'last error',
    ({ reply }) => {
      const fault = replyFault(reply);
      return fault === null ? null : { problem: { foreign: fault } };
    },
    { json: ({ reply }) => ({ last_error: reply.lastError }) },
  ),
];
