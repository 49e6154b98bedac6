import { z } from 'zod';
import { entriesOf, handleText, lenient, postText } from '../payload.ts';
import { idTime, xId } from './id.ts';

/** X shows no edit history of posts before this time: they were not editable (docs.x.com, fundamentals/edit-posts). */
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
/** An invalid entry makes the order of the others unknown; X has been seen to return `[""]`. */
const history = z.array(xId);

/** A post in either vocabulary: X has new names since August 2026 (OpenAPI 2.167); old ones on request. */
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

export interface Reference {
  /** `replied_to`, `quoted`, or, for a repost, `retweeted` or `reposted`. */
  readonly type: string;
  readonly id: string;
}

/** A post on X, from either vocabulary. Null means that X left the value out, which does not prove its absence. */
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
  /** The whole text of a long post; `text` is only its beginning. */
  readonly note: { readonly text: string; readonly mentions: readonly MentionEntity[] | null } | null;
  /** X leaves them out of a post without references. */
  readonly references: readonly Reference[] | null;
  /** The ids of all its versions, first version first. */
  readonly versions: readonly string[] | null;
}

function readable<T>(list: readonly (T | undefined)[] | undefined): readonly T[] {
  return list?.filter((item) => item !== undefined) ?? [];
}

/** Null for an absent list and for a non-empty one without a readable item: its content is then unknown. */
function known<T>(list: readonly (T | undefined)[] | undefined): readonly T[] | null {
  const items = readable(list);
  return list === undefined || (list.length > 0 && items.length === 0) ? null : items;
}

function referencesOf(wire: WirePost): readonly Reference[] | null {
  const { referenced_posts, referenced_tweets, in_reply_to_tweet_id: answered } = wire;
  const named = known(referenced_posts) ?? known(referenced_tweets);
  // The Activity API also names the answered post in a separate field.
  if (answered === undefined || named?.some(({ type }) => type === 'replied_to') === true) return named;
  return [...(named ?? []), { type: 'replied_to', id: answered }];
}

function versionsOf(wire: WirePost): readonly string[] | null {
  const given = [wire.edit_history_post_ids, wire.edit_history_tweet_ids].filter((each) => each !== undefined);
  const versions = given.map((each) => history.safeParse(each).data).find((each) => each?.includes(wire.id) === true);
  if (versions !== undefined) return versions;
  return given.length === 0 && idTime(wire.id) < FIRST_EDITS ? [wire.id] : null;
}

/** Parses a post from X's API v2 or webhooks, in either vocabulary; null when it lacks its id or text. */
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

const includes = lenient(z.object({ users: lenient(entriesOf(z.object({ id: xId, username: handleText }))) }));

export type Includes = z.infer<typeof includes>;

/** Parses the included objects; undefined when none is usable. */
export function readIncludes(value: unknown): Includes {
  return includes.parse(value);
}

/** The reference types of a repost: `retweeted` in X's documents, `reposted` in answers in the new vocabulary. */
const REPOSTS = ['retweeted', 'reposted'];

/** The answered post. `in_reply_to_user_id` is no sign: X sets it on any post whose text begins with a handle. */
export function repliedTo(post: XPost): string | null {
  return post.references?.find(({ type }) => type === 'replied_to')?.id ?? null;
}

/** Whether it answers another post; null when unknown, because X leaves the field out of posts without references. */
export function isReply(post: XPost): boolean | null {
  if (repliedTo(post) !== null) return true;
  const { id, conversationId, versions, references: given } = post;
  if (given?.some(({ type }) => REPOSTS.includes(type)) === true) return false;
  if (conversationId === null) return given === null ? null : false;
  // The first post of a conversation has its id; any other is a reply, to a post that X does not name here.
  return conversationId === id || versions?.includes(conversationId) === true ? false : null;
}

/** Reference types with which the text is still the author's own; other types are unknown. */
const OWN_WORDS = ['replied_to', 'quoted'];

/** Whether its text is another author's. Without references, X's prefix `RT @` decides. */
export function isRepost(post: XPost): boolean {
  if (post.references === null) return /^RT @/i.test(post.text);
  return post.references.some(({ type }) => !OWN_WORDS.includes(type));
}

/** Field names of a post: the new name and, where it differs, the old one. */
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

/** Whether it is unknown where the author's own text begins: X gives no range, and a reply begins with handles. */
function isStartUnknown(post: XPost): boolean {
  return post.range === null && isReply(post) === null;
}

/** The missing fields that every decision needs: the author, the version, and where the author's own text begins. */
export function missingFields(post: XPost): string[] {
  return [
    ...(post.authorId === null ? [FIELD_NAMES.author] : []),
    ...(post.versions === null ? [FIELD_NAMES.versions] : []),
    ...(isStartUnknown(post) ? [FIELD_NAMES.range, FIELD_NAMES.conversation] : []),
  ];
}

/** As {@link missingFields}, for a post that must mention an account, as each in X's list of mentions does. */
export function missingMentionFields(post: XPost): string[] {
  const named = post.mentions ?? post.note?.mentions ?? null;
  return [...missingFields(post), ...(named === null ? [FIELD_NAMES.mentions] : [])];
}

/** Every field that is absent from a post and that a complete answer to our query would hold. */
export function absentFields(post: XPost, along: Includes): string[] {
  const inThread = post.conversationId !== null && isReply(post) !== false;
  const author = along?.users?.find((user) => user.id === post.authorId);
  const absent: Record<keyof typeof FIELD_NAMES, boolean> = {
    author: post.authorId === null,
    versions: post.versions === null,
    references: inThread && repliedTo(post) === null,
    conversation: post.conversationId === null,
    range: isStartUnknown(post),
    time: post.createdAt === null,
    mentions: post.text.includes('@') && post.mentions === null,
    username: author === undefined,
  };
  const names = ['author', 'versions', 'references', 'conversation', 'range', 'time', 'mentions', 'username'] as const;
  return names.filter((name) => absent[name]).map((name) => FIELD_NAMES[name]);
}
