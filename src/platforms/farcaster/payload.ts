import { z } from 'zod';
import { isWordless, textForBot } from '../../domain/mentions/command-text.ts';
import type { MentionEvent, Post } from '../../domain/mentions/mention.ts';
import { FARCASTER } from '../../domain/platforms/platforms.ts';
import { entriesOf, handleText, lenient, postText, postTime } from '../payload.ts';
import { handlesIn, type MarkedText, plainTextOf } from './marks.ts';

/** A key of Ed25519. */
export const publicKey = z.string().regex(/^0x[0-9a-f]{64}$/i);

/** A cast's hash, in lower case because it is a key. Neynar has given those of threads and parents without their `0x`. */
export const castHash = z
  .string()
  .regex(/^(?:0x)?[0-9a-fA-F]{40}$/)
  .transform((hash) => `0x${hash.slice(-40).toLowerCase()}`);

export const fid = z.int().positive();

/** Neynar has given the FID of a parent's author as text. */
const parentFid = z.union([
  fid,
  z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/)
    .transform(Number),
]);

/** An Ethereum address in any case. */
export const ethAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** Where a list goes on, as `nextCursor` reads it. */
export const nextPage = z.object({ cursor: z.string().nullish() }).nullish();

/** Verified addresses, in any case; `primary` is missing in older answers. */
export const verifiedAddresses = lenient(
  z.object({
    eth_addresses: lenient(entriesOf(ethAddress)),
    primary: lenient(z.object({ eth_address: lenient(ethAddress) })),
  }),
);

/** The FID that an account's id is, or null. */
export function readFid(id: string): number | null {
  const value = Number(id);
  return /^[1-9][0-9]*$/.test(id) && Number.isSafeInteger(value) ? value : null;
}

const place = z.int().nonnegative();

export const mentionedAccounts = {
  /** One that is not understood keeps its place, because ranges belong to profiles by their places. */
  mentioned_profiles: lenient(z.array(lenient(z.object({ fid, username: lenient(handleText) })))),
  /** In the order of the profiles (SDK, models/cast.d.ts). */
  mentioned_profiles_ranges: lenient(z.array(lenient(z.object({ start: place, end: place })))),
};

const cast = z.object({
  hash: castHash,
  text: postText,
  author: z.object({ fid, username: lenient(handleText) }),
  thread_hash: lenient(castHash),
  // Null in every cast that answers none; `nullish` accepts it, because catching an error takes 2 µs.
  parent_hash: lenient(castHash.nullish()),
  parent_author: lenient(z.object({ fid: lenient(parentFid.nullish()) })),
  ...mentionedAccounts,
  embeds: lenient(entriesOf(z.object({ url: lenient(z.string()) }))),
  timestamp: lenient(z.string()),
  event_timestamp: lenient(z.string()),
});

/** The used part of a cast; only hash, text and author are always present. */
export type Cast = z.infer<typeof cast>;

const envelope = z.object({
  type: z.literal('cast.created'),
  created_at: lenient(z.number()),
  data: cast,
});

/** Parses a cast from Neynar's API or webhooks; null when it lacks hash, text or author. */
export function parseCast(value: unknown): Cast | null {
  return cast.safeParse(value).data ?? null;
}

function time(text: string | undefined): number | undefined {
  return postTime(Date.parse(text ?? ''));
}

/** Epoch ms at which a cast was posted, or `fallback`. */
export function castTime(from: Pick<Cast, 'timestamp' | 'event_timestamp'>, fallback: number): number {
  return time(from.timestamp) ?? time(from.event_timestamp) ?? fallback;
}

function postFacts(from: Cast, fallbackTime: number): Omit<Post, 'plainText'> {
  return {
    platform: FARCASTER.id,
    postId: from.hash,
    authorId: String(from.author.fid),
    authorUsername: from.author.username ?? null,
    text: from.text,
    postedAt: castTime(from, fallbackTime),
  };
}

/** Converts a cast to a post. `fallbackTime` is epoch ms, for a cast without a time of its own. */
export function castToPost(from: Cast, fallbackTime: number): Post {
  return { ...postFacts(from, fallbackTime), plainText: plainTextOf(from) };
}

/** The bot's account: its id decides, and its handle is what commands are read with. */
export interface FarcasterBot {
  readonly fid: number;
  readonly username: string;
}

/** The text of a cast with the bot's handle as commands are read with it. */
export function botText(from: MarkedText, { fid: id, username }: FarcasterBot): string {
  return textForBot(from.text, handlesIn(from), { id: String(id), username });
}

/**
 * Converts a cast of another author that names the bot or directly answers one of its casts with words; null for any other.
 * Only Neynar's resolved `mentioned_profiles` count, not names in the text.
 */
export function castToMention(from: Cast, bot: FarcasterBot, fallbackTime: number): MentionEvent | null {
  if (from.author.fid === bot.fid) return null;
  const named = from.mentioned_profiles?.some((profile) => profile?.fid === bot.fid) ?? false;
  if (!named && from.parent_author?.fid !== bot.fid) return null;
  // Another bot may answer the bot with a picture, for ever.
  if (!named && isWordless(plainTextOf(from))) return null;
  return {
    ...postFacts(from, fallbackTime),
    text: botText(from, bot),
    kind: 'mention',
    version: 1,
    replyTo: from.hash,
    threadId: from.thread_hash ?? from.hash,
  };
}

/**
 * The mention in a webhook's body; empty for every other event. The envelope is
 * `{created_at: <unix seconds>, type, data}` (docs.neynar.com, how-to-use-neynar-webhooks) and has no id of its own.
 */
export function parseFarcasterEvents(body: unknown, { now, ...bot }: FarcasterBot & { now: number }): MentionEvent[] {
  const event = envelope.safeParse(body).data;
  if (event === undefined) return [];
  const fallbackTime = postTime((event.created_at ?? Number.NaN) * 1000) ?? now;
  const mention = castToMention(event.data, bot, fallbackTime);
  return mention === null ? [] : [mention];
}
