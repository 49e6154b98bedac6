import type { Platform } from '../domain/account.ts';
import type { Measure } from '../domain/mentions/reply-text.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';

export const NOTHING_IS_LOST = 'Nothing is lost.';

/** The beginning of a sentence about frozen gigs. */
export function frozenWords(gigs: string): string {
  return `The operator has frozen the payments of ${gigs} for now`;
}

export function unreachableReply(): string {
  return 'I could not read the blockchain just now, so nothing was changed. Please try again later.';
}

/**
 * The text as posted: with the platform's mark of the mention where it refuses the same text twice, and cut to its
 * limit, which only an absurdly long token name or amount exceeds.
 */
export function finishReply(text: string, mention: { platform: Platform; postId: string }, measure: Measure): string {
  const mark = platformFacts(mention.platform).replyMark?.(mention.postId) ?? '';
  const letters = Array.from(text);
  const render = (length: number) => `${letters.slice(0, length).join('')}…${mark}`;
  if (measure.measure(text + mark) <= measure.replyLimit) return text + mark;
  // Every character measures at least one.
  let length = Math.min(letters.length - 1, measure.replyLimit);
  while (length > 0 && measure.measure(render(length)) > measure.replyLimit) length -= 1;
  return render(length);
}
