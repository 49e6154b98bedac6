import type { NetworkPost } from './network.ts';
import type { Timeline } from './timeline.ts';
import { type Dialect, eventPayload, postsAlong } from './twitter-dialect.ts';
import { namesExplicitly, toPostFacts, toUserObject } from './twitter-objects.ts';

/** The events that a post makes for the bot: X Activity API, one for an explicit mention and one for a direct reply. */
export function toEvents(
  post: NetworkPost,
  { botId, timeline, knows }: { botId: string; timeline: Timeline; knows: Dialect },
): object[] {
  if (post.author.id === botId) return [];
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  const types = [
    ...(namesExplicitly(post, botId, timeline) ? ['post.mention.create'] : []),
    ...(parent?.author.id === botId ? ['post.reply.create'] : []),
  ];
  const payload = {
    ...eventPayload(toPostFacts(post, timeline), knows),
    // Only the documents of the old vocabulary have it.
    ...(parent === undefined || knows === 'new' ? {} : { in_reply_to_tweet_id: parent.id }),
  };
  const named = timeline.handles(post.text).map(({ user }) => user);
  const users = [post.author, ...named].filter((user, index, all) => all.indexOf(user) === index).map(toUserObject);
  return types.map((event_type) => ({
    data: {
      // X gives out negative ones too.
      event_uuid: event_type === 'post.mention.create' ? post.id : `-${post.id}`,
      filter: { user_id: botId },
      event_type,
      tag: 'mentions',
      payload,
      // The documented sample of a reply comes with nothing along.
      includes: event_type === 'post.mention.create' ? { users, [postsAlong(knows)]: [payload] } : {},
    },
  }));
}
