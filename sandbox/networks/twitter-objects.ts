import type { TweetEntityMentionV2, UserV2 } from 'twitter-api-v2';
import type { NetworkPost, NetworkUser } from './network.ts';
import type { Handle, Timeline } from './timeline.ts';

/** What X knows of a post, by the names that both vocabularies share; the others are the network's own. */
export interface XPostFacts {
  readonly id: string;
  readonly text: string;
  readonly author_id: string;
  readonly conversation_id: string;
  readonly created_at: string;
  /** Code points: where the author's text begins and ends. */
  readonly display_text_range: [number, number];
  readonly entities?: { readonly mentions: readonly TweetEntityMentionV2[] };
  readonly in_reply_to_user_id?: string;
  readonly reply_settings: string;
  readonly lang: string;
  readonly possibly_sensitive: boolean;
  /** The ids of all versions, the first one first. */
  readonly history: readonly string[];
  readonly references: readonly { readonly type: string; readonly id: string }[];
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

/** What X knows of a post. */
export function toPostFacts(post: NetworkPost, timeline: Timeline): XPostFacts {
  const { text, implicit } = shownText(post, timeline);
  const mentions = timeline.handles(text).map((handle) => toMentionEntity(text, handle));
  const parent = post.replyTo === null ? undefined : timeline.post(post.replyTo);
  return {
    id: post.id,
    text,
    author_id: post.author.id,
    conversation_id: post.threadId,
    created_at: new Date(post.createdAt).toISOString(),
    display_text_range: [[...text.slice(0, implicit)].length, [...text].length],
    ...(mentions.length === 0 ? {} : { entities: { mentions } }),
    ...(parent === undefined ? {} : { in_reply_to_user_id: parent.author.id }),
    reply_settings: 'everyone',
    lang: 'und',
    possibly_sensitive: false,
    history: [...post.versions],
    references: parent === undefined ? [] : [{ type: 'replied_to', id: parent.id }],
  };
}

/** Whether the author names this user in the text they typed. */
export function namesExplicitly(post: NetworkPost, userId: string, timeline: Timeline): boolean {
  return timeline.handles(post.text).some(({ user }) => user.id === userId);
}
