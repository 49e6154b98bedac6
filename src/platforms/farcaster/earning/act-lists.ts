import { z } from 'zod';
import type { Act, ActKind } from '../../../domain/earning/act.ts';
import type { ActPage } from '../../../domain/earning/platform.ts';
import { nextCursor } from '../../pages.ts';
import { handleText, lenient, markedEntriesOf, postText, postTime } from '../../payload.ts';
import type { NeynarClient } from '../client.ts';
import { botText, castHash, type FarcasterBot, fid, mentionedAccounts, nextPage } from '../payload.ts';

/** Neynar's largest pages (SDK, doc comments of NeynarAPIClient). */
const LARGEST_PAGE = 100;
const LARGEST_NOTIFICATIONS_PAGE = 25;
const LARGEST_CONVERSATION_PAGE = 50;

/** Reads a page of a list; the first one without a cursor. */
export type PageReader = (client: NeynarClient, cursor: string | null, bot: FarcasterBot) => Promise<ActPage>;

// An item without account or hash is left out, and its page says so: an act that stands must not count as undone for that.
// Neither is chosen by the sender, unlike times, names and texts, which may be odd.
export const account = z.object({ fid, username: lenient(handleText) });
const reaction = z.object({
  reaction_type: z.enum(['like', 'likes', 'recast', 'recasts']),
  reaction_timestamp: lenient(z.string()),
  user: account,
});
/** The used part of a cast that is an act. */
export const actCast = z.object({
  hash: castHash,
  author: account,
  text: lenient(postText),
  timestamp: lenient(z.string()),
  // Null in every cast that answers none, and a caught error takes 2 µs.
  parent_hash: lenient(castHash.nullish().transform((hash) => hash ?? undefined)),
  ...mentionedAccounts,
});
export type ActCast = z.infer<typeof actCast>;

const reactionsPage = z.object({ reactions: markedEntriesOf(reaction), next: nextPage });
const castsPage = z.object({ casts: markedEntriesOf(actCast), next: nextPage });
const searchPage = z.object({ result: castsPage });
const followersPage = z.object({ users: markedEntriesOf(z.object({ user: account })), next: nextPage });
const noticesPage = z.object({
  notifications: markedEntriesOf(z.object({ cast: actCast.nullish() })),
  next: nextPage,
});
const repliesPage = z.object({
  conversation: z.object({ cast: z.object({ direct_replies: markedEntriesOf(actCast).nullish() }) }),
  next: nextPage,
});

/** Epoch ms at which a sender claims that it happened; null when none is given. */
export function claimedTime(text: string | undefined): number | null {
  return postTime(Date.parse(text ?? '')) ?? null;
}

/** The act that a cast is. The bot's handle is known in its text by place and id, as in commands. */
export function castAct(kind: ActKind, cast: ActCast, bot: FarcasterBot): Act {
  const { text } = cast;
  return {
    kind,
    accountId: String(cast.author.fid),
    username: cast.author.username ?? null,
    objectId: cast.hash,
    actedAt: claimedTime(cast.timestamp),
    text: text === undefined ? null : botText({ ...cast, text }, bot),
  };
}

/** A page that names itself as the next is the caller's to see: it ends a look, and proves no sweep complete. */
function toPage(
  acts: readonly Act[],
  { next, isPartial }: { next: z.infer<typeof nextPage>; isPartial: boolean },
): ActPage {
  return { acts, next: nextCursor(next?.cursor, null), ...(isPartial && { isPartial }) };
}

function from(cursor: string | null): { cursor?: string } {
  return cursor === null ? {} : { cursor };
}

/** The likes or recasts of a cast. A recast with words of its own is a quote, which is a cast and not listed here. */
export function readReactions(kind: 'like' | 'recast', hash: string): PageReader {
  return async (client, cursor) => {
    const { reactions, next } = await client.call({ what: `list ${kind}s`, answer: reactionsPage }, (sdk) =>
      sdk.fetchCastReactions({ hash, types: [`${kind}s`], limit: LARGEST_PAGE, ...from(cursor) }),
    );
    const { isPartial } = reactions;
    const acts = reactions.entries
      .filter(({ reaction_type }) => reaction_type.startsWith(kind))
      .map(
        ({ user, reaction_timestamp }): Act => ({
          kind,
          accountId: String(user.fid),
          username: user.username ?? null,
          objectId: '',
          actedAt: claimedTime(reaction_timestamp),
          text: null,
        }),
      );
    return toPage(acts, { next, isPartial });
  };
}

/** The casts that embed a cast. */
export function readQuotes(hash: string): PageReader {
  return async (client, cursor, bot) => {
    const { casts, next } = await client.call({ what: 'list quotes', answer: castsPage }, (sdk) =>
      sdk.fetchCastQuotes({ identifier: hash, type: 'hash', limit: LARGEST_PAGE, ...from(cursor) }),
    );
    const { entries, isPartial } = casts;
    return toPage(
      entries.map((cast) => castAct('quote', cast, bot)),
      { next, isPartial },
    );
  };
}

/** The direct replies to a cast. Without `fold` none is hidden for its author's low score. */
export function readReplies(kind: 'reply' | 'submission', hash: string): PageReader {
  return async (client, cursor, bot) => {
    const { conversation, next } = await client.call({ what: 'list replies', answer: repliesPage }, (sdk) =>
      sdk.lookupCastConversation({
        identifier: hash,
        type: 'hash',
        replyDepth: 1,
        sortType: 'desc_chron',
        limit: LARGEST_CONVERSATION_PAGE,
        ...from(cursor),
      }),
    );
    const { entries, isPartial } = conversation.cast.direct_replies ?? { entries: [], isPartial: false };
    const direct = entries.filter(({ parent_hash }) => parent_hash === hash);
    return toPage(
      direct.map((cast) => castAct(kind, cast, bot)),
      { next, isPartial },
    );
  };
}

/** The casts that mention an account, from its notifications: those of accounts that it muted or blocked are missing. */
export function readMentions(mentioned: number): PageReader {
  return async (client, cursor, bot) => {
    const { notifications, next } = await client.call({ what: 'list mentions', answer: noticesPage }, (sdk) =>
      sdk.fetchAllNotifications({
        fid: mentioned,
        type: ['mentions'],
        limit: LARGEST_NOTIFICATIONS_PAGE,
        ...from(cursor),
      }),
    );
    // A notification may have lost its cast. A name in the text is no mention; only resolved profiles are.
    const { entries, isPartial } = notifications;
    const casts = entries.flatMap(({ cast }) => cast ?? []);
    const named = casts.filter((cast) => cast.mentioned_profiles?.some((profile) => profile?.fid === mentioned));
    return toPage(
      named.map((cast) => castAct('mention', cast, bot)),
      { next, isPartial },
    );
  };
}

/**
 * The casts that a search for a keyword finds. The search is wider than the rule: whether a text has the keyword as a
 * whole word is for the service to say. A keyword of letters, digits and `$` has none of the search's operators.
 */
export function readKeyword(keyword: string): PageReader {
  return async (client, cursor, bot) => {
    const { result } = await client.call({ what: 'search casts', answer: searchPage }, (sdk) =>
      sdk.searchCasts({
        q: keyword,
        mode: 'literal',
        sortType: 'desc_chron',
        limit: LARGEST_PAGE,
        ...from(cursor),
      }),
    );
    const { entries, isPartial } = result.casts;
    const worded = entries.filter(({ text }) => text !== undefined);
    return toPage(
      worded.map((cast) => castAct('mention', cast, bot)),
      { next: result.next, isPartial },
    );
  };
}

/** The followers of an account. Neynar does not tell when they followed. */
export function readFollowers(followed: number): PageReader {
  return async (client, cursor) => {
    const { users, next } = await client.call({ what: 'list followers', answer: followersPage }, (sdk) =>
      sdk.fetchUserFollowers({ fid: followed, sortType: 'desc_chron', limit: LARGEST_PAGE, ...from(cursor) }),
    );
    const { entries, isPartial } = users;
    const acts = entries.map(
      ({ user }): Act => ({
        kind: 'follow',
        accountId: String(user.fid),
        username: user.username ?? null,
        objectId: '',
        actedAt: null,
        text: null,
      }),
    );
    return toPage(acts, { next, isPartial });
  };
}
