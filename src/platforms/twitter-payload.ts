import { z } from 'zod';
import type { Mention, Post } from '../domain/mention.ts';
import { lenient } from './lenient.ts';
import { idTime, twitterId } from './twitter-id.ts';

function lenientList<T extends z.ZodType>(schema: T) {
  return lenient(z.array(lenient(schema)));
}

const entities = lenient(
  z.object({
    mentions: lenientList(
      z.object({ start: z.int().nonnegative(), username: lenient(z.string()), id: lenient(twitterId) }),
    ),
  }),
);

const post = z.object({
  id: twitterId,
  text: z.string(),
  author_id: twitterId,
  conversation_id: lenient(twitterId),
  created_at: lenient(z.string()),
  edit_history_tweet_ids: lenient(z.array(twitterId).min(1)),
  display_text_range: lenient(z.tuple([z.int().nonnegative(), z.int().nonnegative()])),
  entities,
  in_reply_to_tweet_id: lenient(twitterId),
  referenced_tweets: lenientList(z.object({ type: z.string(), id: twitterId })),
  note_tweet: lenient(z.object({ text: z.string(), entities })),
});

/** The part of a post on X that the service uses; only id, text and author are certain to be there. */
export type XPost = z.infer<typeof post>;

const includes = lenient(z.object({ users: lenientList(z.object({ id: twitterId, username: z.string().min(1) })) }));

/** The objects that came along with posts. */
export type Includes = z.infer<typeof includes>;

/** The bot, as far as a mention of it is concerned. */
export interface TwitterBot {
  readonly id: string;
  readonly username: string;
}

/** Reads a post as X's API v2 or webhooks give it, or null when it lacks id, text or author. */
export function readPost(value: unknown): XPost | null {
  return post.safeParse(value).data ?? null;
}

/** Reads what came along with posts; undefined when nothing usable did. */
export function readIncludes(value: unknown): Includes {
  return includes.parse(value);
}

/** The run of handles that X puts before the text of a reply. */
const HANDLES = /^(?:@[A-Za-z0-9_]{1,15}\s+)*/;
/** What X appends for attached media and quoted posts. */
const LINKS_ONLY = /^\s*(?:https:\/\/t\.co\/\w+\s*)+$/;

/** The post that this one answers. Not by in_reply_to_user_id: X sets it on any post whose text begins with a handle. */
function repliedTo(from: XPost): string | undefined {
  const reference = from.referenced_tweets?.find((candidate) => candidate?.type === 'replied_to');
  return reference?.id ?? from.in_reply_to_tweet_id;
}

/** How many code points of `text` come from X and not from the author. X counts in code points, not in UTF-16. */
function implicitLength(from: XPost): number {
  if (from.display_text_range !== undefined) return from.display_text_range[0];
  if (repliedTo(from) === undefined) return 0;
  return [...(HANDLES.exec(from.text)?.[0] ?? '')].length;
}

interface OwnText {
  readonly text: string;
  /** Where the author's text begins in the text that `mentions` count in, in code points. */
  readonly start: number;
  readonly mentions: readonly { start: number; username?: string | undefined; id?: string | undefined }[];
}

function withoutAppendedLinks(points: readonly string[], from: XPost): string[] {
  const end = from.display_text_range?.[1];
  if (end === undefined || end >= points.length) return [...points];
  return LINKS_ONLY.test(points.slice(end).join('')) ? points.slice(0, end) : [...points];
}

/** The author's own text. A long post has it whole in `note_tweet`, perhaps without the handles X put before it. */
function ownText(from: XPost): OwnText {
  const implicit = implicitLength(from);
  const points = [...from.text];
  const note = from.note_tweet;
  if (note === undefined) {
    const text = withoutAppendedLinks(points, from).slice(implicit).join('').trim();
    return {
      text,
      start: implicit,
      mentions: from.entities?.mentions?.filter((mention) => mention !== undefined) ?? [],
    };
  }
  const before = points.slice(0, implicit).join('');
  const start = note.text.startsWith(before) ? implicit : 0;
  const mentions = note.entities?.mentions ?? from.entities?.mentions ?? [];
  const text = [...note.text].slice(start).join('').trim();
  return { text, start, mentions: mentions.filter((mention) => mention !== undefined) };
}

function namesBot(own: OwnText, bot: TwitterBot): boolean {
  return own.mentions.some((mention) => {
    if (mention.start < own.start) return false;
    if (mention.id !== undefined) return mention.id === bot.id;
    return mention.username?.toLowerCase() === bot.username.toLowerCase();
  });
}

function isRepost(from: XPost): boolean {
  return from.referenced_tweets?.some((reference) => reference?.type === 'retweeted') ?? false;
}

/** A post as the service knows it; the key is the first post of its edit history. */
export function toPost(from: XPost, along: Includes): Post {
  const posted = Date.parse(from.created_at ?? '');
  const author = along?.users?.find((user) => user?.id === from.author_id);
  return {
    platform: 'twitter',
    postId: from.edit_history_tweet_ids?.[0] ?? from.id,
    authorId: from.author_id,
    authorUsername: author?.username ?? null,
    // The text of a repost is somebody else's, and so is an address in it.
    text: isRepost(from) ? '' : ownText(from).text,
    postedAt: Number.isNaN(posted) ? idTime(from.id) : posted,
  };
}

/**
 * A post as a mention: somebody else's, no repost, with the bot's handle in the author's own text. A handle that X put
 * there because the post answers the bot does not count. Null for any other.
 */
export function toMention(from: XPost, along: Includes, bot: TwitterBot): Mention | null {
  if (from.author_id === bot.id) return null;
  if (isRepost(from)) return null;
  if (!namesBot(ownText(from), bot)) return null;
  return { ...toPost(from, along), version: 1, replyTo: from.id, threadId: from.conversation_id ?? from.id };
}

const EVENTS = ['post.mention.create', 'post.reply.create', 'post.quote.create'];

const event = z.object({ event_type: z.enum(EVENTS), payload: post, includes });
const delivery = z.object({ data: z.unknown().optional(), includes });

/**
 * The mentions in a webhook's body; empty for every other event. The shape is that of the X Activity API (docs.x.com,
 * x-api/activity/event-payloads): `data` is one event or several, and what came along is in it or beside it. A post
 * that both names and answers the bot arrives as two events; it is one mention.
 */
export function parseTwitterEvent(body: unknown, bot: TwitterBot): Mention[] {
  const delivered = delivery.safeParse(body).data;
  if (delivered === undefined) return [];
  const found = new Map<string, Mention>();
  for (const item of Array.isArray(delivered.data) ? delivered.data : [delivered.data]) {
    const read = event.safeParse(item).data;
    const mention = read === undefined ? null : toMention(read.payload, read.includes ?? delivered.includes, bot);
    if (mention !== null && !found.has(mention.postId)) found.set(mention.postId, mention);
  }
  return [...found.values()];
}
