import twitterText from 'twitter-text';
import { expect } from 'vitest';
import { finishReply } from '../../src/bot/replies.ts';
import type { Platform } from '../../src/domain/account.ts';
import type { Measure } from '../../src/domain/mentions/reply-text.ts';

/** Weighted characters, after X's own library. */
export const X: Measure = { replyLimit: 280, measure: (text) => twitterText.parseTweet(text).weightedLength };

/** UTF-8 bytes. */
export const FARCASTER: Measure = { replyLimit: 320, measure: (text) => new TextEncoder().encode(text).length };

export const PLATFORMS: readonly { platform: Platform; measure: Measure; postId: string }[] = [
  { platform: 'farcaster', measure: FARCASTER, postId: '0x00000000000000000000000000000000000000c1' },
  { platform: 'twitter', measure: X, postId: '2080765813578191303' },
];

/** The text as it would be posted on each platform, checked against what each platform and we forbid. */
export function postable(write: (measure: Measure) => string): string[] {
  return PLATFORMS.map(({ platform, measure, postId }) => {
    const text = finishReply(write(measure), { platform, postId }, measure);
    expect(measure.measure(text)).toBeLessThanOrEqual(measure.replyLimit);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(/[@＠﹫]/);
    expect(text.match(/[$＄﹩]/g) ?? []).toHaveLength(0);
    expect(twitterText.extractUrls(text)).toEqual([]);
    expect(twitterText.extractMentions(text)).toEqual([]);
    expect(twitterText.extractCashtags(text)).toEqual([]);
    expect(twitterText.extractHashtags(text)).toEqual([]);
    expect(text).not.toMatch(/\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}|:\/\//u);
    return text;
  });
}
