import { type Context, Hono } from 'hono';
import type {
  ApiV2Includes,
  TweetV2PaginableTimelineResult,
  TweetV2PostTweetResult,
  TweetV2SingleResult,
  UserV2Result,
} from 'twitter-api-v2';
import twitterText from 'twitter-text';
import { z } from 'zod';
import type { TwitterConfig } from '../../domain/platform-config.ts';
import type { NetworkEnv, Outages } from './faults.ts';
import type { NetworkPost, NewPost } from './network.ts';
import type { Timeline } from './timeline.ts';
import { APP_TOKEN, callerOf, isApp } from './twitter-auth.ts';
import { namesExplicitly, shownText, toPostObject, toUserObject } from './twitter-objects.ts';
import { problem } from './twitter-webhooks.ts';

const LONGEST_POST = 280;
/** X shows at most this many mentions and own posts. */
const SHOWN_MENTIONS = 800;
const SHOWN_POSTS = 3200;
const QUARTER_HOUR_S = 900;

const id = z.string().regex(/^[0-9]{1,19}$/);
const postBody = z.strictObject({
  text: z.string().min(1),
  reply: z.strictObject({ in_reply_to_tweet_id: id }).optional(),
});
const fields = {
  'tweet.fields': z.string().optional(),
  'user.fields': z.string().optional(),
  expansions: z.string().optional(),
};
const postQuery = z.strictObject(fields);
const timelineQuery = z.strictObject({
  ...fields,
  since_id: id.optional(),
  max_results: z.coerce.number().int().min(5).max(100).default(10),
  pagination_token: z.coerce.number().int().nonnegative().default(0),
});

/** The documented refusal of a reply that nobody asked for (docs.x.com, changelog, 2026-02-23). */
const NOT_ENGAGED =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.';
const DUPLICATE = 'You are not allowed to create a Tweet with duplicate content.';

/** X's words for an outage. `now` is epoch ms. */
export function xOutages(now: () => number): Outages {
  const problems = 'https://api.x.com/2/problems';
  const reset = () => String(Math.floor(now() / 1000) + QUARTER_HOUR_S);
  return {
    rate_limited: () => ({
      status: 429,
      headers: { 'x-rate-limit-limit': '100', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset() },
      body: problem(429, 'Too Many Requests', 'Too Many Requests'),
    }),
    payment_required: () => ({
      status: 402,
      body: problem(402, 'Payment Required', 'credits depleted', `${problems}/credits-depleted`),
    }),
    unauthorized: () => ({ status: 401, body: problem(401, 'Unauthorized', 'Unauthorized') }),
    server_error: () => ({ status: 503, body: problem(503, 'Service Unavailable', 'Service Unavailable') }),
  };
}

function notFound(what: string, value: string, parameter: string) {
  const detail = `Could not find ${what} with ${parameter}: [${value}].`;
  const type = 'https://api.x.com/2/problems/resource-not-found';
  return { errors: [{ value, detail, title: 'Not Found Error', resource_type: what, parameter, type }] };
}

/** X's API v2 for what the bot does, and nothing else: a call that is not documented so is refused. */
export function createXApi(options: {
  config: TwitterConfig;
  timeline: Timeline;
  publish: (post: NewPost) => NetworkPost;
  /** Whether a text that the bot posted elsewhere counts as a duplicate, and not only one under the same post. */
  duplicatesAnywhere: () => boolean;
}): Hono<NetworkEnv> {
  const { config, timeline, publish } = options;
  const api = new Hono<NetworkEnv>();
  const invalid = (error: z.ZodError) => problem(400, 'Invalid Request', z.prettifyError(error));
  const unauthorized = problem(401, 'Unauthorized', 'Unauthorized');

  api.post('/oauth2/token', async (c) => {
    const body = await c.req.parseBody();
    if (!isApp(c.req.header('authorization'), config) || body['grant_type'] !== 'client_credentials') {
      return c.json({ errors: [{ code: 99, message: 'Unable to verify your credentials' }] }, 403);
    }
    return c.json({ token_type: 'bearer', access_token: APP_TOKEN });
  });

  api.use('/2/*', async (c, next) => {
    const caller = callerOf(c.req.header('authorization'), config);
    if (caller === null) return c.json(unauthorized, 401);
    const setUp = c.req.path.startsWith('/2/webhooks') || c.req.path.startsWith('/2/activity/');
    // What concerns the bot alone needs the bot's consent, also to be subscribed to.
    const subscribes = c.req.path === '/2/activity/subscriptions' && c.req.method === 'POST';
    if (caller === (setUp && !subscribes ? 'app' : 'bot')) return next();
    const type = 'https://api.x.com/2/problems/unsupported-authentication';
    return c.json(problem(403, 'Unsupported Authentication', 'This authentication is not allowed here', type), 403);
  });

  function isDuplicate(text: string, target: NetworkPost | undefined): boolean {
    const before = timeline.posts().filter((post) => post.author.id === config.botUserId && post.text === text);
    if (!options.duplicatesAnywhere()) return before.some((post) => post.replyTo === (target?.id ?? null));
    // What counts is the whole text, with the handles that X puts before it.
    return before.some((post) => {
      const answered = post.replyTo === null ? undefined : timeline.post(post.replyTo);
      const sameStart = target !== undefined && answered !== undefined && answered.author.id === target.author.id;
      return sameStart || (target === undefined && shownText(post, timeline).implicit === 0);
    });
  }

  api.post('/2/tweets', async (c) => {
    const body = postBody.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json(invalid(body.error), 400);
    const { text, reply } = body.data;
    if (twitterText.parseTweet(text).weightedLength > LONGEST_POST) {
      return c.json(problem(400, 'Invalid Request', 'Your Tweet text is too long.'), 400);
    }
    const target = reply === undefined ? undefined : timeline.post(reply.in_reply_to_tweet_id);
    if (reply !== undefined && target === undefined) {
      const detail = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
      return c.json(problem(403, 'Forbidden', detail), 403);
    }
    if (target !== undefined && !namesExplicitly(target, config.botUserId, timeline)) {
      return c.json(problem(403, 'Forbidden', NOT_ENGAGED), 403);
    }
    if (isDuplicate(text, target)) return c.json(problem(403, 'Forbidden', DUPLICATE), 403);
    const made = publish({ author: config.botUserId, text, replyTo: target?.id });
    const answer: TweetV2PostTweetResult = { data: { id: made.id, text: shownText(made, timeline).text } };
    return c.json(answer, 201);
  });

  function along(posts: readonly NetworkPost[], expansions: string | undefined): { includes?: ApiV2Includes } {
    if (expansions?.split(',').includes('author_id') !== true || posts.length === 0) return {};
    const authors = [...new Map(posts.map(({ author }) => [author.id, author])).values()];
    return { includes: { users: authors.map(toUserObject) } };
  }

  function listed(c: Context<NetworkEnv>, posts: readonly NetworkPost[]) {
    const query = timelineQuery.safeParse(c.req.query());
    if (!query.success) return c.json(invalid(query.error), 400);
    const { since_id, max_results, pagination_token: start, expansions } = query.data;
    const wanted = posts.filter((post) => since_id === undefined || BigInt(post.id) > BigInt(since_id)).reverse();
    const page = wanted.slice(start, start + max_results);
    const end = start + max_results;
    const answer = {
      ...(page.length === 0 ? {} : { data: page.map((post) => toPostObject(post, timeline)) }),
      ...along(page, expansions),
      meta: {
        result_count: page.length,
        ...(page.length === 0 ? {} : { newest_id: page[0]?.id ?? '', oldest_id: page.at(-1)?.id ?? '' }),
        ...(end < wanted.length ? { next_token: String(end) } : {}),
      },
    } satisfies Partial<Omit<TweetV2PaginableTimelineResult, 'meta'>> & {
      meta: Partial<TweetV2PaginableTimelineResult['meta']>;
    };
    return c.json(answer);
  }

  api.get('/2/tweets/:id', (c) => {
    const query = postQuery.safeParse(c.req.query());
    if (!query.success) return c.json(invalid(query.error), 400);
    const found = timeline.post(c.req.param('id'));
    // X answers 200 for a post that is not there.
    if (found === undefined) return c.json(notFound('tweet', c.req.param('id'), 'id'));
    const answer: Partial<TweetV2SingleResult> = {
      data: toPostObject(found, timeline),
      ...along([found], query.data.expansions),
    };
    return c.json(answer);
  });

  api.get('/2/users/:id/mentions', (c) => {
    const bot = c.req.param('id');
    // X lists the handles that it put there itself, too, and of an edited post only the last version.
    const named = timeline.posts().filter((post) => {
      const handles = timeline.handles(shownText(post, timeline).text);
      return post.author.id !== bot && handles.some(({ user }) => user.id === bot);
    });
    const last = new Map(named.map((post) => [post.versions[0], post]));
    return listed(c, [...last.values()].slice(-SHOWN_MENTIONS));
  });

  api.get('/2/users/:id/tweets', (c) =>
    listed(
      c,
      timeline
        .posts()
        .filter((post) => post.author.id === c.req.param('id'))
        .slice(-SHOWN_POSTS),
    ),
  );

  api.get('/2/users/me', (c) => {
    const bot = timeline.user(config.botUserId);
    if (bot === undefined) return c.json(unauthorized, 401);
    const answer: Partial<UserV2Result> = { data: toUserObject(bot) };
    return c.json(answer);
  });

  api.get('/2/users/by/username/:username', (c) => {
    const username = c.req.param('username').toLowerCase();
    const found = timeline.users().find((user) => user.username.toLowerCase() === username);
    return c.json(found === undefined ? notFound('user', username, 'username') : { data: toUserObject(found) });
  });

  api.get('/2/users/:id', (c) => {
    const found = timeline.users().find((user) => user.id === c.req.param('id'));
    return c.json(found === undefined ? notFound('user', c.req.param('id'), 'id') : { data: toUserObject(found) });
  });
  return api;
}
