import type { ReplyLimits } from '../mentions/reply-limits.ts';

interface Given {
  readonly REPLIES_PER_AUTHOR_HOUR: number;
  readonly REPLIES_PER_THREAD_HOUR: number;
}

/** How many replies an author and a thread get in an hour. */
export function replyLimitsOf({
  REPLIES_PER_AUTHOR_HOUR: perAuthor,
  REPLIES_PER_THREAD_HOUR: perThread,
}: Given): ReplyLimits {
  return Object.freeze({ perAuthor, perThread });
}
