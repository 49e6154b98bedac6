import { z } from 'zod';
import { AdapterError } from '../domain/errors.ts';
import type { PolledMentions } from '../domain/mention.ts';
import { badAnswer } from './failure.ts';
import type { TwitterClient } from './twitter-client.ts';
import { idBefore, idTime, laterId, twitterId } from './twitter-id.ts';
import { readIncludes, readPost, type TwitterBot, toMention } from './twitter-payload.ts';

/** What a post is asked for with; without the field names X leaves all but id and text out. */
export const POST_FIELDS = {
  'tweet.fields':
    'author_id,conversation_id,created_at,display_text_range,edit_history_tweet_ids,entities,in_reply_to_user_id,note_tweet,referenced_tweets',
  'user.fields': 'username',
  expansions: 'author_id',
};

/** X's largest page. */
const POSTS_A_PAGE = 100;
/** X shows at most the latest 800 mentions. */
const MAX_MENTION_PAGES = 10;
/** X shows at most the latest 3,200 posts of an account. */
const MAX_TIMELINE_PAGES = 33;
/** What a look may miss at its newest end, because posts are not listed in the very order of their ids. */
const OVERLAP_MS = 10 * 60 * 1000;

const page = z.object({
  data: z.array(z.unknown()).optional(),
  includes: z.unknown().optional(),
  meta: z.object({ result_count: z.number(), next_token: z.string().nullish() }),
});
type Page = z.infer<typeof page>;

function readCursor(cursor: string | null): string | null {
  return cursor === null ? null : (twitterId.safeParse(cursor).data ?? null);
}

function mentionPage(client: TwitterClient, bot: TwitterBot, query: { sinceId: string; token: string | undefined }) {
  return client.call({ what: "list the bot's mentions", answer: page }, async (sdk) => {
    const listed = await sdk.v2.userMentionTimeline(bot.id, {
      ...POST_FIELDS,
      since_id: query.sinceId,
      max_results: POSTS_A_PAGE,
      ...(query.token === undefined ? {} : { pagination_token: query.token }),
    });
    return listed.data;
  });
}

/** Ids in a page, newest or not; what cannot be read counts too, so that it is not asked for again for ever. */
function idsIn(answer: Page): string[] {
  return (answer.data ?? []).flatMap((item) => z.object({ id: twitterId }).safeParse(item).data?.id ?? []);
}

/**
 * The bot's mentions back to `since` or ten minutes before `cursor` (the newest id seen). When a later page fails, or
 * there are more pages than X is known to show, the cursor stays where it was, so that nothing counts as seen that was not.
 * @throws AdapterError when the first page fails
 */
export async function pollTimeline(
  client: TwitterClient,
  bot: TwitterBot,
  query: { cursor: string | null; since: number },
): Promise<PolledMentions> {
  const seen = readCursor(query.cursor);
  const from = idBefore(query.since);
  const sinceId = seen === null ? from : laterId(from, idBefore(idTime(seen) - OVERLAP_MS));
  const mentions: PolledMentions['mentions'][number][] = [];
  let newest = seen;
  let token: string | undefined;
  for (let pages = 0; pages < MAX_MENTION_PAGES; pages++) {
    const answer = await mentionPage(client, bot, { sinceId, token }).catch((error: unknown) => {
      if (pages > 0 && error instanceof AdapterError) return error;
      throw error;
    });
    if (answer instanceof AdapterError) return { mentions, cursor: query.cursor, brokenOff: answer };
    const along = readIncludes(answer.includes);
    for (const item of answer.data ?? []) {
      const read = readPost(item);
      const mention = read === null ? null : toMention(read, along, bot);
      if (mention !== null && mention.postedAt >= query.since) mentions.push(mention);
    }
    newest = idsIn(answer).reduce<string | null>((id, next) => (id === null ? next : laterId(id, next)), newest);
    token = answer.meta.next_token ?? undefined;
    if (token === undefined) return { mentions, cursor: newest };
  }
  return { mentions, cursor: query.cursor };
}

const ownPosts = z.object({
  data: z
    .array(
      z.object({
        id: twitterId,
        referenced_tweets: z.array(z.object({ type: z.string(), id: twitterId })).optional(),
      }),
    )
    .optional(),
  meta: page.shape.meta,
});

/**
 * The id of the bot's own reply to a post that is none of `others`, or null when none of its posts since then is one.
 * @throws AdapterError when the bot has posted more since than can be read, rather than deny a reply that may be there
 */
export async function findTimelineReply(
  client: TwitterClient,
  bot: TwitterBot,
  query: { replyTo: string; others?: readonly string[] },
): Promise<string | null> {
  const { others = [] } = query;
  const what = "list the bot's own posts";
  let token: string | undefined;
  for (let pages = 0; pages < MAX_TIMELINE_PAGES; pages++) {
    const next = token;
    const answer = await client.call({ what, answer: ownPosts }, async (sdk) => {
      const listed = await sdk.v2.userTimeline(bot.id, {
        'tweet.fields': 'referenced_tweets',
        // A reply has a later id than what it answers.
        since_id: query.replyTo,
        max_results: POSTS_A_PAGE,
        ...(next === undefined ? {} : { pagination_token: next }),
      });
      return listed.data;
    });
    const own = answer.data?.find(
      (post) =>
        !others.includes(post.id) &&
        post.referenced_tweets?.some(({ type, id }) => type === 'replied_to' && id === query.replyTo),
    );
    if (own !== undefined) return own.id;
    token = answer.meta.next_token ?? undefined;
    if (token === undefined) return null;
  }
  throw badAnswer({ network: 'X', what, sends: false }, `there are more than ${MAX_TIMELINE_PAGES} pages`);
}
