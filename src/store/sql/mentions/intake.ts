import type { Mention } from '../../../domain/mentions/mention.ts';
import type { MentionArrival, StoredMention } from '../../port/mentions.ts';
import type { NounWrites } from '../nouns.ts';

/** The most mentions of one statement: each locks its author. */
export const MOST_MENTIONS = 200;

/** Stores mentions and the cursor that came with them in one transaction. */
export async function storeMentions(
  tx: NounWrites,
  mentions: readonly Mention[],
  { cursor, ...arrival }: MentionArrival,
): Promise<StoredMention[]> {
  const kept: StoredMention[] = [];
  for (let from = 0; from < mentions.length; from += MOST_MENTIONS) {
    kept.push(...(await tx.insertMentions(mentions.slice(from, from + MOST_MENTIONS), arrival)));
  }
  if (cursor !== undefined) await tx.setPollCursor(cursor.platform, cursor.value, arrival.now);
  return kept;
}
