import { z } from 'zod';
import type { MentionEvent, PolledEvents } from '../../domain/mentions/mention.ts';
import { type PagedList, readPages, walkPages } from '../pages.ts';
import { entriesOf, lenient } from '../payload.ts';
import type { NeynarClient } from './client.ts';
import {
  type Cast,
  castHash,
  castTime,
  castToMention,
  type FarcasterBot,
  fid,
  nextPage,
  parseCast,
} from './payload.ts';

/** How far polls overlap, because casts are not listed in the order of their creation. */
const OVERLAP_MS = 10 * 60 * 1000;
/** Neynar's largest page of notifications. */
const NOTIFICATIONS_A_PAGE = 25;
const MAX_NOTIFICATION_PAGES = 80;
/** Neynar's largest page of a conversation. */
const REPLIES_A_PAGE = 50;
const MAX_CONVERSATION_PAGES = 40;

const notificationsPage = z.object({
  notifications: entriesOf(z.object({ most_recent_timestamp: lenient(z.string()), cast: z.unknown().optional() })),
  next: nextPage,
});

const conversationPage = z.object({
  conversation: z.object({
    cast: z.object({
      hash: castHash,
      direct_replies: lenient(entriesOf(z.object({ hash: castHash, author: z.object({ fid }) }))),
    }),
  }),
  next: nextPage,
});

interface Noticed {
  readonly cast: Cast | null;
  /** Epoch ms. */
  readonly at: number;
}

function notice(item: z.infer<typeof notificationsPage>['notifications'][number]): Noticed {
  const cast = parseCast(item.cast);
  const listed = Date.parse(item.most_recent_timestamp ?? '');
  return { cast, at: Number.isNaN(listed) ? (cast === null ? 0 : castTime(cast, 0)) : listed };
}

function cursorTime(cursor: string | null): number {
  return cursor !== null && /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
}

/** Neynar lists a cast that names the bot and answers it twice. */
function mentionsIn(noticed: readonly Noticed[], query: FarcasterBot & { since: number }): MentionEvent[] {
  const found = new Map<string, MentionEvent>();
  for (const { cast, at } of noticed) {
    const mention = cast === null ? null : castToMention(cast, query, at);
    if (mention !== null && mention.postedAt >= query.since) found.set(mention.postId, mention);
  }
  return [...found.values()];
}

/** Neynar lists the newest first. */
function notificationList(client: NeynarClient, fid: number): PagedList<z.infer<typeof notificationsPage>> {
  const what = 'list notifications';
  return {
    call: { network: 'Neynar', what, sends: false },
    most: MAX_NOTIFICATION_PAGES,
    next: ({ next }) => next?.cursor,
    read: (cursor) =>
      client.call({ what, answer: notificationsPage }, (sdk) =>
        sdk.fetchAllNotifications({
          fid,
          type: ['mentions', 'replies'],
          limit: NOTIFICATIONS_A_PAGE,
          ...(cursor === null ? {} : { cursor }),
        }),
      ),
  };
}

/**
 * The bot's mentions from its notifications, newest first, back to `since` or ten minutes before `cursor` (the time of
 * the newest notification seen, epoch ms as text). The cursor stays when a later page fails, or when the page limit is
 * reached, so that no mention is skipped.
 * @throws AdapterError when the first page fails
 */
export async function pollNotifications(
  client: NeynarClient,
  query: FarcasterBot & { cursor: string | null; since: number; now: number },
): Promise<PolledEvents> {
  const from = Math.max(query.since, cursorTime(query.cursor) - OVERLAP_MS);
  const noticed: Noticed[] = [];
  const brokenOff = await readPages(notificationList(client, query.fid), ({ notifications }) => {
    const seen = notifications.map(notice);
    noticed.push(...seen);
    const oldest = seen.at(-1);
    return oldest !== undefined && oldest.at < from;
  });
  const events = mentionsIn(noticed, query);
  if (brokenOff !== null) return { events, cursor: query.cursor, brokenOff };
  // The author sets a cast's time; one in the future must not hide later casts.
  const newest = Math.min(Math.max(0, ...noticed.map(({ at }) => at)), query.now);
  const reached = Math.max(newest, cursorTime(query.cursor));
  return { events, cursor: reached === 0 ? null : String(reached) };
}

/**
 * The hash of the bot's direct reply to a cast that is not in `others`, or null when the whole conversation has none.
 * @throws AdapterError when the conversation is too long to read: null would cause a second reply
 */
export async function findCastReply(
  client: NeynarClient,
  query: { fid: number; replyTo: string; others?: readonly string[] },
): Promise<string | null> {
  const { others = [] } = query;
  const what = 'read a conversation';
  const walk = walkPages<z.infer<typeof conversationPage>>({
    call: { network: 'Neynar', what, sends: false },
    most: MAX_CONVERSATION_PAGES,
    next: ({ next }) => next?.cursor,
    read: (cursor) =>
      client.call({ what, answer: conversationPage }, (sdk) =>
        sdk.lookupCastConversation({
          identifier: query.replyTo,
          type: 'hash',
          replyDepth: 1,
          limit: REPLIES_A_PAGE,
          ...(cursor === null ? {} : { cursor }),
        }),
      ),
  });
  for (let page = await walk.next(); page !== null; page = await walk.next()) {
    const own = page.conversation.cast.direct_replies?.find(
      ({ hash, author }) => author.fid === query.fid && !others.includes(hash),
    );
    if (own !== undefined) return own.hash;
  }
  return null;
}
