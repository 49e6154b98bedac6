import type { TweetEntityMentionV2, TweetV2, UserV2 } from 'twitter-api-v2';
import type { NetworkPost, NetworkUser } from './network.ts';
import type { Handle, Timeline } from './timeline.ts';

/** A post as X shows it: with fields the SDK's type lacks. */
export interface XPostObject extends TweetV2 {
  /** Code points: where the author's text begins and ends. */
  readonly display_text_range: [number, number];
  readonly in_reply_to_tweet_id?: string;
  readonly author_id: string;
}

/** A user as X's API shows one. */
export function toUserObject(user: NetworkUser): UserV2 {
  return { id: user.id, username: user.username, name: user.username, protected: false, verified: false };
}

/** Who X puts before the text of a reply: the author of the answered post, and whom that post names. */
function implicitUsers(post: NetworkPost, timeline: Timeline): NetworkUser[] {
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  if (parent === undefined) return [];
  const named = [parent.author, ...timeline.handles(parent.text).map(({ user }) => user)];
  const others = named.filter((user) => user.id !== post.author.id);
  return others.filter((user, index) => others.findIndex(({ id }) => id === user.id) === index);
}

/** A post's whole text as X shows it, and how many UTF-16 units of it X put there. */
export function shownText(post: NetworkPost, timeline: Timeline): { text: string; implicit: number } {
  const before = implicitUsers(post, timeline)
    .map(({ username }) => `@${username} `)
    .join('');
  return { text: before + post.text, implicit: before.length };
}

function toMentionEntity(text: string, handle: Handle): TweetEntityMentionV2 {
  const points = (end: number) => [...text.slice(0, end)].length;
  const { id, username } = handle.user;
  return { start: points(handle.start), end: points(handle.end), username, id };
}

/** A post as X's API shows one. */
export function toPostObject(post: NetworkPost, timeline: Timeline): XPostObject {
  const { text, implicit } = shownText(post, timeline);
  const mentions = timeline.handles(text).map((handle) => toMentionEntity(text, handle));
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  return {
    id: post.id,
    text,
    author_id: post.author.id,
    conversation_id: post.threadId,
    created_at: new Date(post.createdAt).toISOString(),
    edit_history_tweet_ids: [...post.versions],
    display_text_range: [[...text.slice(0, implicit)].length, [...text].length],
    ...(mentions.length === 0 ? {} : { entities: { mentions, annotations: [], urls: [], hashtags: [], cashtags: [] } }),
    ...(parent === undefined
      ? {}
      : {
          in_reply_to_tweet_id: parent.id,
          in_reply_to_user_id: parent.author.id,
          referenced_tweets: [{ type: 'replied_to', id: parent.id }],
        }),
    reply_settings: 'everyone',
    lang: 'und',
    possibly_sensitive: false,
  };
}

/** Whether the author names this user in the text they typed. */
export function namesExplicitly(post: NetworkPost, userId: string, timeline: Timeline): boolean {
  return timeline.handles(post.text).some(({ user }) => user.id === userId);
}

/** The events that a post makes for the bot: X Activity API, one for an explicit mention and one for a direct reply. */
export function toEvents(post: NetworkPost, botId: string, timeline: Timeline): object[] {
  if (post.author.id === botId) return [];
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  const types = [
    ...(namesExplicitly(post, botId, timeline) ? ['post.mention.create'] : []),
    ...(parent?.author.id === botId ? ['post.reply.create'] : []),
  ];
  const payload = toPostObject(post, timeline);
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
      includes: event_type === 'post.mention.create' ? { users, tweets: [payload] } : {},
    },
  }));
}
