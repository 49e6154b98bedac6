import { z } from 'zod';
import { lenient } from '../lenient.ts';
import { handleText, postText } from '../text.ts';
import { idTime, xId } from './id.ts';

/** X shows no edit history of posts before this time, because they could not be edited (docs.x.com, fundamentals/edit-posts). */
const FIRST_EDITS = Date.UTC(2022, 8, 29);

function lenientList<T extends z.ZodType>(schema: T) {
  return lenient(z.array(lenient(schema)));
}

const mentionEntity = z.object({
  start: z.int().nonnegative(),
  username: lenient(z.string()),
  id: lenient(xId),
});
const entities = lenient(z.object({ mentions: lenientList(mentionEntity) }));
const references = lenientList(z.object({ type: z.string(), id: xId }));
const note = lenient(z.object({ text: postText, entities }));
const ids = z.unknown().optional();
/** A history with an entry that is no id says nothing of the others' places; X has been seen to give `[""]`. */
const history = z.array(xId);

/** A post in either vocabulary: since August 2026 X has new names (OpenAPI 2.167), and gives the old ones to who asks by them. */
const wirePost = z.object({
  id: xId,
  text: postText,
  author_id: lenient(xId),
  conversation_id: lenient(xId),
  created_at: lenient(z.string()),
  display_text_range: lenient(z.tuple([z.int().nonnegative(), z.int().nonnegative()])),
  entities,
  in_reply_to_tweet_id: lenient(xId),
  edit_history_post_ids: ids,
  edit_history_tweet_ids: ids,
  referenced_posts: references,
  referenced_tweets: references,
  note_post: note,
  note_tweet: note,
});
type WirePost = z.infer<typeof wirePost>;

/** A handle in a post's text. `start` is in code points. */
export interface MentionEntity {
  readonly start: number;
  readonly username?: string | undefined;
  readonly id?: string | undefined;
}

/** Another post that a post refers to. */
export interface Reference {
  /** `replied_to`, `quoted`, or, for a repost, `retweeted` or `reposted`. */
  readonly type: string;
  readonly id: string;
}

/** A post on X, whichever vocabulary it came in. Null is what X did not say, which is no proof of absence. */
export interface XPost {
  readonly id: string;
  readonly text: string;
  readonly authorId: string | null;
  readonly conversationId: string | null;
  /** As X writes it. */
  readonly createdAt: string | null;
  /** Where the author's own text begins and ends in `text`, in code points. */
  readonly range: readonly [number, number] | null;
  readonly mentions: readonly MentionEntity[] | null;
  /** The whole text of a long post, of which `text` is the beginning. */
  readonly note: { readonly text: string; readonly mentions: readonly MentionEntity[] | null } | null;
  /** X leaves them out of a post that refers to none. */
  readonly references: readonly Reference[] | null;
  /** The ids of all its versions, the first one first. */
  readonly versions: readonly string[] | null;
}

function readable<T>(list: readonly (T | undefined)[] | undefined): readonly T[] {
  return list?.filter((item) => item !== undefined) ?? [];
}

/** Null for an absent list and for one without a readable item: what is in it is not known then. */
function known<T>(list: readonly (T | undefined)[] | undefined): readonly T[] | null {
  const items = readable(list);
  return list === undefined || (list.length > 0 && items.length === 0) ? null : items;
}

function referencesOf(wire: WirePost): readonly Reference[] | null {
  const { referenced_posts, referenced_tweets, in_reply_to_tweet_id: answered } = wire;
  const named = known(referenced_posts) ?? known(referenced_tweets);
  // The Activity API names the answered post in a field of its own, too.
  if (answered === undefined || named?.some(({ type }) => type === 'replied_to') === true) return named;
  return [...(named ?? []), { type: 'replied_to', id: answered }];
}

/** Its versions, by the history that is one of this post. */
function versionsOf(wire: WirePost): readonly string[] | null {
  const given = [wire.edit_history_post_ids, wire.edit_history_tweet_ids].filter((each) => each !== undefined);
  const versions = given.map((each) => history.safeParse(each).data).find((each) => each?.includes(wire.id) === true);
  if (versions !== undefined) return versions;
  return given.length === 0 && idTime(wire.id) < FIRST_EDITS ? [wire.id] : null;
}

/** Reads a post as X's API v2 or webhooks give it, in either vocabulary; null when it lacks its id or text. */
export function readPost(value: unknown): XPost | null {
  const wire = wirePost.safeParse(value).data;
  if (wire === undefined) return null;
  const { id, text } = wire;
  const long = wire.note_post ?? wire.note_tweet;
  return {
    id,
    text,
    authorId: wire.author_id ?? null,
    conversationId: wire.conversation_id ?? null,
    createdAt: wire.created_at ?? null,
    range: wire.display_text_range ?? null,
    mentions: known(wire.entities?.mentions),
    note: long === undefined ? null : { text: long.text, mentions: known(long.entities?.mentions) },
    references: referencesOf(wire),
    versions: versionsOf(wire),
  };
}

const includes = lenient(z.object({ users: lenientList(z.object({ id: xId, username: handleText })) }));

/** The objects that came along with posts. */
export type Includes = z.infer<typeof includes>;

/** Reads what came along with posts; undefined when nothing usable did. */
export function readIncludes(value: unknown): Includes {
  return includes.parse(value);
}

/** What a reference to a reposted post is called: `retweeted` in X's documents, `reposted` in answers by the new names. */
const REPOSTS = ['retweeted', 'reposted'];

/** The post that this one answers. Not by in_reply_to_user_id: X sets it on any post whose text begins with a handle. */
export function repliedTo(post: XPost): string | null {
  return post.references?.find(({ type }) => type === 'replied_to')?.id ?? null;
}

/** Whether it answers another post; null when X leaves that open, because a post without references has no such field. */
export function isReply(post: XPost): boolean | null {
  if (repliedTo(post) !== null) return true;
  const { id, conversationId, versions, references: given } = post;
  if (given?.some(({ type }) => REPOSTS.includes(type)) === true) return false;
  if (conversationId === null) return given === null ? null : false;
  // The first post of a conversation names it; any other is a reply, to whatever X does not say here.
  return conversationId === id || versions?.includes(conversationId) === true ? false : null;
}

/** References beside which a text is the author's own; of another kind nothing is known. */
const OWN_WORDS = ['replied_to', 'quoted'];

/** Whether its text is another author's. Without references its form decides: X puts `RT @` before what is reposted. */
export function isRepost(post: XPost): boolean {
  if (post.references === null) return /^RT @/i.test(post.text);
  return post.references.some(({ type }) => !OWN_WORDS.includes(type));
}

/** What a post may lack, by its new name and, where that differs, its old one. */
export const FIELD_NAMES = {
  author: 'author_id',
  versions: 'edit_history_post_ids (edit_history_tweet_ids)',
  references: 'referenced_posts (referenced_tweets)',
  conversation: 'conversation_id',
  range: 'display_text_range',
  time: 'created_at',
  mentions: 'entities',
  username: 'username (of the author, in includes.users)',
} as const;

/**
 * The fields without which nothing may be decided about a post: whose it is, which of its versions this is, and where
 * its author's own text begins.
 */
export function missingFields(post: XPost): string[] {
  const unknownStart = post.range === null && isReply(post) === null;
  return [
    ...(post.authorId === null ? [FIELD_NAMES.author] : []),
    ...(post.versions === null ? [FIELD_NAMES.versions] : []),
    ...(unknownStart ? [FIELD_NAMES.range, FIELD_NAMES.conversation] : []),
  ];
}

/** The same for a post that must name somebody, as each that X lists among mentions does. */
export function missingMentionFields(post: XPost): string[] {
  const named = post.mentions ?? post.note?.mentions ?? null;
  return [...missingFields(post), ...(named === null ? [FIELD_NAMES.mentions] : [])];
}

/** Every field that X leaves out of a post and that a whole answer to what the service asks would hold. */
export function absentFields(post: XPost, along: Includes): string[] {
  const inThread = post.conversationId !== null && isReply(post) !== false;
  const author = along?.users?.find((user) => user?.id === post.authorId);
  const absent: Record<keyof typeof FIELD_NAMES, boolean> = {
    author: post.authorId === null,
    versions: post.versions === null,
    references: inThread && repliedTo(post) === null,
    conversation: post.conversationId === null,
    range: post.range === null,
    time: post.createdAt === null,
    mentions: post.text.includes('@') && post.mentions === null,
    username: author === undefined,
  };
  const names = ['author', 'versions', 'references', 'conversation', 'range', 'time', 'mentions', 'username'] as const;
  return names.filter((name) => absent[name]).map((name) => FIELD_NAMES[name]);
}
