import type { ReplyRecord } from '../domain/mentions/mention.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';
import type { ReplyEmbed } from '../services/mentions/send-replies.ts';
import { commandsFor, readCall } from './commands/index.ts';
import type { BotContext } from './context.ts';

/** The gig that a reply is about; null where it is about the account. */
async function gigOf(
  { store, platforms, offered }: EmbedContext,
  { notice, mentionId, platform }: ReplyRecord,
): Promise<number | null> {
  if (notice !== null) return notice.gigId;
  const [mention, bot] = [await store.mention(mentionId), platforms.get(platform)?.bot];
  if (mention === null || bot === undefined) return null;
  const { parsed } = readCall(mention.text, bot, commandsFor(offered));
  if (!('gigId' in parsed)) return null;
  const { gigId } = parsed;
  return (await store.gig(gigId)) === null ? null : gigId;
}

interface EmbedContext extends Pick<BotContext, 'store' | 'platforms' | 'offered' | 'publicUrl'> {
  /** Whether there are cards. */
  readonly snaps: boolean;
}

/** The URL that a reply shows as a card: that of its gig, or of its author's claim page. None where replies carry no links; undefined where there are no cards. */
export function createReplyEmbeds(deps: EmbedContext): ReplyEmbed | undefined {
  if (!deps.snaps) return undefined;
  return async (reply) => {
    const { repliesMayLink, slug } = platformFacts(reply.platform);
    if (!repliesMayLink) return null;
    const gigId = await gigOf(deps, reply);
    const path = gigId === null ? `/claim/${slug}/${reply.mention.authorId}` : `/gigs/${gigId}`;
    return `${deps.publicUrl}${path}`;
  };
}
