import { z } from 'zod';
import { type MarkedHandle, type TextPart, textForBot, withoutParts } from '../../domain/mentions/command-text.ts';
import type { MentionEvent, Post } from '../../domain/mentions/mention.ts';
import { X } from '../../domain/platforms/platforms.ts';
import { postTime } from '../payload.ts';
import { idTime } from './id.ts';
import {
  type Includes,
  isReply,
  isRepost,
  type MentionEntity,
  missingFields,
  readIncludes,
  readPost,
  type XPost,
} from './post.ts';

export interface XBot {
  readonly id: string;
  readonly username: string;
}

/** The handles that X puts before the text of a reply. */
const HANDLES = /^(?:@[A-Za-z0-9_]{1,20}\s+)*/;
/** What X appends for attached media and quoted posts. */
const LINKS_ONLY = /^\s*(?:https:\/\/t\.co\/\w+\s*)+$/;

/**
 * How many code points of `text` X added before the author's text; X counts code points, not UTF-16. If X does not say,
 * leading handles count as the author's own only in a post that is certainly no reply.
 */
function implicitLength(from: XPost): number {
  if (from.range !== null) return from.range[0];
  if (isReply(from) === false) return 0;
  return [...(HANDLES.exec(from.text)?.[0] ?? '')].length;
}

interface OwnHandle extends TextPart, MentionEntity {}

interface OwnText {
  readonly text: string;
  /** The handles that X marks in it; an empty part where there is none. */
  readonly handles: readonly OwnHandle[];
}

const HANDLE = /^[@\uff20][A-Za-z0-9_]+/;
/** X puts one of its own in the place of each link. */
const LINK = /https:\/\/t\.co\/\w+/g;

/** Places of entities are in code points. */
function textFrom(points: readonly string[], first: number, mentions: readonly MentionEntity[]): OwnText {
  const own = points.slice(first).join('');
  const text = own.trim();
  const trimmed = own.length - own.trimStart().length;
  /** Where each code point from the first on begins in UTF-16 units. */
  const places: number[] = [0];
  for (const point of points.slice(first)) places.push((places.at(-1) ?? 0) + point.length);
  const handles = mentions.flatMap((mention): OwnHandle[] => {
    if (mention.start < first) return [];
    const start = Math.max(0, (places[mention.start - first] ?? own.length) - trimmed);
    const length = HANDLE.exec(text.slice(start))?.[0].length ?? 0;
    return [{ ...mention, start, end: start + length }];
  });
  return { text, handles };
}

function withoutAppendedLinks(points: readonly string[], from: XPost): string[] {
  const end = from.range?.[1] ?? points.length;
  return LINKS_ONLY.test(points.slice(end).join('')) ? points.slice(0, end) : [...points];
}

/** A long post has all of its text in its note, perhaps without the handles that X added. */
function ownText(from: XPost): OwnText {
  const implicit = implicitLength(from);
  const points = [...from.text];
  const { note } = from;
  if (note === null) return textFrom(withoutAppendedLinks(points, from), implicit, from.mentions ?? []);
  const before = points.slice(0, implicit).join('');
  const first = note.text.startsWith(before) ? implicit : 0;
  return textFrom([...note.text], first, note.mentions ?? from.mentions ?? []);
}

const ESCAPED = /&(amp|lt|gt);/g;
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/**
 * The text as its author wrote it: X escapes three characters (docs.x.com, fundamentals/data-dictionary). Places count
 * in the escaped text, so it is decoded last.
 */
function asWritten(text: string): string {
  return text.replace(ESCAPED, (whole, name: string) => CHARACTERS[name] ?? whole);
}

function isBot({ id, username }: MentionEntity, bot: XBot): boolean {
  return id !== undefined ? id === bot.id : username?.toLowerCase() === bot.username.toLowerCase();
}

function plainTextOf({ text, handles }: OwnText): string {
  const links = [...text.matchAll(LINK)].map(({ index: start, 0: link }) => ({ start, end: start + link.length }));
  return withoutParts(text, [...handles, ...links]);
}

/** Where X gives no id, the bot is known by its name. */
function markedHandles({ handles }: OwnText, bot: XBot): MarkedHandle[] {
  return handles.flatMap((handle) => {
    const accountId = isBot(handle, bot) ? bot.id : handle.id;
    return handle.end > handle.start && accountId !== undefined ? [{ ...handle, accountId }] : [];
  });
}

/** Of a repost, whose text, and any address in it, is another author's. */
const NO_TEXT: OwnText = { text: '', handles: [] };

/**
 * Converts a post; its key is the first post of its edit history. Null when X left out the author or the version: the
 * post could then be paid or answered twice.
 */
export function toPost(from: XPost, along: Includes): Post | null {
  const { authorId, versions } = from;
  const [first] = versions ?? [];
  if (authorId === null || first === undefined || missingFields(from).length > 0) return null;
  const author = along?.users?.find((user) => user.id === authorId);
  const own = isRepost(from) ? NO_TEXT : ownText(from);
  return {
    platform: X.id,
    postId: first,
    authorId,
    authorUsername: author?.username ?? null,
    text: asWritten(own.text),
    plainText: asWritten(plainTextOf(own)),
    postedAt: postTime(Date.parse(from.createdAt ?? '')) ?? idTime(from.id),
  };
}

/**
 * Converts a post of another author that is no repost and has the bot's handle in its own text. Null for any other:
 * handles that X adds to a reply do not count.
 */
export function toMention(from: XPost, along: Includes, bot: XBot): MentionEvent | null {
  if (from.authorId === bot.id) return null;
  if (isRepost(from)) return null;
  const own = ownText(from);
  if (!own.handles.some((handle) => isBot(handle, bot))) return null;
  const found = toPost(from, along);
  if (found === null) return null;
  const { plainText: _, ...post } = found;
  const text = asWritten(textForBot(own.text, markedHandles(own, bot), bot));
  return { ...post, text, kind: 'mention', version: 1, replyTo: from.id, threadId: from.conversationId ?? from.id };
}

const EVENTS = ['post.mention.create', 'post.reply.create', 'post.quote.create'];

const event = z.object({ event_type: z.enum(EVENTS), payload: z.unknown(), includes: z.unknown().optional() });
const delivery = z.object({ data: z.unknown().optional(), includes: z.unknown().optional() });

/**
 * The mentions in a webhook's body; empty for other events. Shape of the X Activity API (docs.x.com,
 * x-api/activity/event-payloads): `data` is one event or several, with includes inside or beside it.
 * A post that names and answers the bot arrives as two events but is one mention. Posts without edit history are left
 * to polling: keyed by its own id, an edit would be answered again.
 */
export function parseXEvents(body: unknown, bot: XBot): MentionEvent[] {
  const delivered = delivery.safeParse(body).data;
  if (delivered === undefined) return [];
  const found = new Map<string, MentionEvent>();
  for (const item of Array.isArray(delivered.data) ? delivered.data : [delivered.data]) {
    const read = event.safeParse(item).data;
    const post = read === undefined ? null : readPost(read.payload);
    if (read === undefined || post === null) continue;
    const along = readIncludes(read.includes) ?? readIncludes(delivered.includes);
    const mention = toMention(post, along, bot);
    if (mention !== null && !found.has(mention.postId)) found.set(mention.postId, mention);
  }
  return [...found.values()];
}
