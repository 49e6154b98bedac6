import { z } from 'zod';
import type { MentionEvent, PolledEvents } from '../../domain/mentions/mention.ts';
import type { Call } from '../failure.ts';
import { type PagedList, readPages, walkPages } from '../pages.ts';
import type { XClient } from './client.ts';
import { idBefore, idTime, laterId, xId } from './id.ts';
import { toMention, type XBot } from './payload.ts';
import { FIELD_NAMES, isReply, missingMentionFields, readIncludes, readPost, repliedTo } from './post.ts';
import { type Interpreter, OWN_POST_QUERY, POST_QUERY } from './vocabulary.ts';

export interface TimelineDeps {
  readonly client: XClient;
  readonly bot: XBot;
  readonly interpreter: Interpreter;
}

/** X's largest page. */
const POSTS_A_PAGE = 100;
/** X shows at most the latest 800 mentions. */
const MAX_MENTION_PAGES = 10;
/** X shows at most the latest 3,200 posts of an account. */
const MAX_TIMELINE_PAGES = 33;
/** How far polls overlap, because posts are not listed in the exact order of their ids. */
const OVERLAP_MS = 10 * 60 * 1000;

const page = z.object({
  data: z.array(z.unknown()).optional(),
  includes: z.unknown().optional(),
  meta: z.object({ result_count: z.number(), next_token: z.string().nullish() }),
});
type Page = z.infer<typeof page>;

function readCursor(cursor: string | null): string | null {
  return cursor === null ? null : (xId.safeParse(cursor).data ?? null);
}

/** X counts posts on the page but shows none of them. */
function isBlank({ data, meta }: Page): boolean {
  return (data ?? []).length === 0 && meta.result_count > 0;
}

/** If some mentions are complete, the vocabulary is understood. */
function missingInMentions(answer: Page): readonly string[] {
  if (isBlank(answer)) return ['data'];
  const lacks = (answer.data ?? []).map((item) => {
    const read = readPost(item);
    return read === null ? ['id or text'] : missingMentionFields(read);
  });
  return lacks.some((each) => each.length === 0) ? [] : (lacks[0] ?? []);
}

/** X lists the newest first. */
function mentionList(deps: TimelineDeps, sinceId: string): PagedList<Page> {
  const call: Call = { network: 'X', what: "list the bot's mentions", sends: false };
  return {
    call,
    most: MAX_MENTION_PAGES,
    next: ({ meta }) => meta.next_token,
    read: (cursor) =>
      deps.interpreter.ask({
        call,
        missing: missingInMentions,
        read: (vocabulary) =>
          deps.client.call({ what: call.what, answer: page }, (sdk) =>
            sdk.v2.get(`users/${deps.bot.id}/mentions`, {
              ...POST_QUERY[vocabulary],
              since_id: sinceId,
              max_results: POSTS_A_PAGE,
              pagination_token: cursor ?? undefined,
            }),
          ),
      }),
  };
}

/** Includes unreadable posts, so that those are not requested again. */
function idsIn(answer: Page): string[] {
  return (answer.data ?? []).flatMap((item) => z.object({ id: xId }).safeParse(item).data?.id ?? []);
}

/**
 * The bot's mentions back to `since` or ten minutes before `cursor` (the newest id seen). The cursor stays when a later
 * page fails, or when there are more pages than X is known to show, so that no mention is skipped.
 * @throws AdapterError when the first page fails
 */
export async function pollTimeline(
  deps: TimelineDeps,
  query: { cursor: string | null; since: number },
): Promise<PolledEvents> {
  const seen = readCursor(query.cursor);
  const from = idBefore(query.since);
  const sinceId = seen === null ? from : laterId(from, idBefore(idTime(seen) - OVERLAP_MS));
  const events: MentionEvent[] = [];
  let newest = seen;
  const brokenOff = await readPages(mentionList(deps, sinceId), (answer) => {
    const along = readIncludes(answer.includes);
    for (const item of answer.data ?? []) {
      const read = readPost(item);
      const mention = read === null ? null : toMention(read, along, deps.bot);
      if (mention !== null && mention.postedAt >= query.since) events.push(mention);
    }
    newest = idsIn(answer).reduce<string | null>((id, next) => (id === null ? next : laterId(id, next)), newest);
    return false;
  });
  return brokenOff === null ? { events, cursor: newest } : { events, cursor: query.cursor, brokenOff };
}

interface OwnReplyQuery {
  readonly replyTo: string;
  /** Ids of other replies of the bot to the same post. */
  readonly others?: readonly string[];
}

function ownReply(answer: Page, { replyTo, others = [] }: OwnReplyQuery): string | null {
  const posts = (answer.data ?? []).map(readPost).filter((post) => post !== null);
  return posts.find((post) => !others.includes(post.id) && repliedTo(post) === replyTo)?.id ?? null;
}

/** The fields whose absence keeps a page from proving that it lacks the reply: which post each post answers. */
function missingInOwnPosts(answer: Page, query: OwnReplyQuery): readonly string[] {
  if (ownReply(answer, query) !== null) return [];
  if (isBlank(answer)) return ['data'];
  const posts = (answer.data ?? []).map(readPost);
  if (posts.includes(null)) return ['id or text'];
  return posts.some((post) => post !== null && isReply(post) === null) ? [FIELD_NAMES.references] : [];
}

const OWN_POSTS = { network: 'X', what: "list the bot's own posts", sends: false } as const;

/** X lists the newest first. */
function ownPostList(deps: TimelineDeps, query: OwnReplyQuery, sinceId?: string): PagedList<Page> {
  return {
    call: OWN_POSTS,
    most: MAX_TIMELINE_PAGES,
    next: ({ meta }) => meta.next_token,
    read: (cursor) =>
      deps.interpreter.ask<Page>({
        call: OWN_POSTS,
        missing: (found) => missingInOwnPosts(found, query),
        read: (vocabulary) =>
          deps.client.call({ what: OWN_POSTS.what, answer: page }, (sdk) =>
            sdk.v2.get(`users/${deps.bot.id}/tweets`, {
              ...OWN_POST_QUERY[vocabulary],
              since_id: sinceId,
              max_results: POSTS_A_PAGE,
              pagination_token: cursor ?? undefined,
            }),
          ),
      }),
  };
}

/**
 * The id of the bot's own reply to a post that is not in `others`, or null when no post of the bot since then is one.
 * @throws AdapterError when the bot has posted more since than can be read, or X leaves out what a post answers: null
 * would cause a second reply
 */
export async function findTimelineReply(deps: TimelineDeps, query: OwnReplyQuery): Promise<string | null> {
  // A reply has a later id than the post it answers.
  const walk = walkPages(ownPostList(deps, query, query.replyTo));
  for (let answer = await walk.next(); answer !== null; answer = await walk.next()) {
    const own = ownReply(answer, query);
    if (own !== null) return own;
  }
  return null;
}

/** The query of a page that is kept: it has to show what every post answers. */
const NO_REPLY: OwnReplyQuery = { replyTo: '' };

/**
 * As {@link findTimelineReply}, for replies that were there before the first look-up: the bot's posts are listed once,
 * only as far back as the look-ups need, and kept.
 * @throws AdapterError as {@link findTimelineReply}; the next look-up goes on where the listing ended
 */
export function createEarlierReplies(deps: TimelineDeps): (query: OwnReplyQuery) => Promise<string | null> {
  const listed: { id: string; repliedTo: string | null }[] = [];
  const walk = walkPages(ownPostList(deps, NO_REPLY));
  let reading: Promise<void> | null = null;

  async function readPage(): Promise<void> {
    const answer = await walk.next();
    const posts = (answer?.data ?? []).map(readPost).filter((post) => post !== null);
    listed.push(...posts.map((post) => ({ id: post.id, repliedTo: repliedTo(post) })));
  }

  /** Whether every post that may answer `postId` is listed; posts are not in the exact order of their ids. */
  function reaches(postId: string): boolean {
    const oldest = listed.at(-1)?.id;
    const isPast = oldest !== undefined && BigInt(oldest) <= BigInt(idBefore(idTime(postId) - OVERLAP_MS));
    return isPast || walk.isOver();
  }

  return async ({ replyTo, others = [] }) => {
    for (;;) {
      const own = listed.find((post) => post.repliedTo === replyTo && !others.includes(post.id));
      if (own !== undefined) return own.id;
      if (reaches(replyTo)) return null;
      reading ??= readPage().finally(() => {
        reading = null;
      });
      await reading;
    }
  };
}
