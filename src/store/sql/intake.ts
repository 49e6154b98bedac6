import type { Mention } from '../../domain/mention.ts';
import type { StoreTx } from '../port/index.ts';
import type { KeptMention, MentionArrival } from '../port/mentions.ts';

/** Stores mentions one after another, but for the bot's own posts. */
export async function keepOneByOne(
  tx: Pick<StoreTx, 'isOwnPost' | 'insertMention'>,
  mentions: readonly Mention[],
  { now, source }: Pick<MentionArrival, 'now' | 'source'>,
): Promise<KeptMention[]> {
  const kept: KeptMention[] = [];
  for (const mention of mentions) {
    if (await tx.isOwnPost(mention.platform, mention.postId)) continue;
    const id = await tx.insertMention(mention, { now, source });
    if (id !== null) kept.push({ id, mention });
  }
  return kept;
}

/** The most mentions of one statement: each locks its author. */
export const MOST_MENTIONS = 200;

/** Stores mentions and the cursor that came with them in one transaction. */
export async function keepMentions(
  tx: StoreTx,
  mentions: readonly Mention[],
  { cursor, ...arrival }: MentionArrival,
): Promise<KeptMention[]> {
  const kept: KeptMention[] = [];
  for (let from = 0; from < mentions.length; from += MOST_MENTIONS) {
    kept.push(...(await tx.insertMentions(mentions.slice(from, from + MOST_MENTIONS), arrival)));
  }
  if (cursor !== undefined) await tx.setPollCursor(cursor.platform, cursor.value, arrival.now);
  return kept;
}
