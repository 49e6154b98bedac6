import { type Context, Hono } from 'hono';
import type { TweetV2PostTweetResult, UserV2Result } from 'twitter-api-v2';
import twitterText from 'twitter-text';
import { z } from 'zod';
import type { XConfig } from '../../src/platforms/x/settings.ts';
import type { NetworkEnv, Outages } from './faults.ts';
import type { NetworkPost, NewPost } from './network.ts';
import type { Timeline } from './timeline.ts';
import { APP_TOKEN, callerOf, isApp } from './twitter-auth.ts';
import { askedBy, type Dialect, type FieldQuery, shownAlong, shownPost } from './twitter-dialect.ts';
import { namesExplicitly, shownText, toPostFacts, toUserObject } from './twitter-objects.ts';
import { invalidRequest, PROBLEM_TYPE, problem, refuse } from './twitter-problems.ts';

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
/** X passes over what it does not know. */
const fields = {
  'post.fields': z.string().optional(),
  'tweet.fields': z.string().optional(),
  'user.fields': z.string().optional(),
  expansions: z.string().optional(),
};
const isOneVocabulary = (query: FieldQuery) =>
  query['post.fields'] === undefined || query['tweet.fields'] === undefined;
// What X makes of both at once is not known, so that no caller may depend on it.
const ONE_VOCABULARY = { message: 'post.fields and tweet.fields are for different vocabularies' };
const postQuery = z.object(fields).refine(isOneVocabulary, ONE_VOCABULARY);
const timelineQuery = z
  .object({
    ...fields,
    since_id: id.optional(),
    max_results: z.coerce.number().int().min(5).max(100).default(10),
    pagination_token: z.coerce.number().int().nonnegative().default(0),
  })
  .refine(isOneVocabulary, ONE_VOCABULARY);

/** The documented refusal of an unrequested reply (docs.x.com, changelog, 2026-02-23). */
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
      headers: {
        ...PROBLEM_TYPE,
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': reset(),
      },
      body: problem(429, 'Too Many Requests', 'Too Many Requests'),
    }),
    payment_required: () => ({
      status: 402,
      headers: PROBLEM_TYPE,
      body: problem(402, 'Payment Required', 'credits depleted', `${problems}/credits-depleted`),
    }),
    unauthorized: () => ({ status: 401, headers: PROBLEM_TYPE, body: problem(401, 'Unauthorized', 'Unauthorized') }),
    // The other documented form, as application/json.
    server_error: () => ({ status: 503, body: { code: 503, message: 'Service Unavailable' } }),
  };
}

function notFound(what: string, value: string, parameter: string) {
  const detail = `Could not find ${what} with ${parameter}: [${value}].`;
  const type = 'https://api.x.com/2/problems/resource-not-found';
  return { errors: [{ value, detail, title: 'Not Found Error', resource_type: what, parameter, type }] };
}

/** X's API v2 for what the bot does, and nothing else: a call that is not documented so is refused. */
export function createXApi(options: {
  config: XConfig;
  timeline: Timeline;
  publish: (post: NewPost) => NetworkPost;
  /** Whether a text that the bot posted elsewhere counts as a duplicate, and not only one under the same post. */
  duplicatesAnywhere: () => boolean;
  /** The vocabulary it understands at the moment. */
  knows: () => Dialect;
  /** The words with which a reply to a post is refused at the moment, or null. */
  refusal: (to: NetworkPost) => string | null;
}): Hono<NetworkEnv> {
  const { config, timeline, publish } = options;
  const api = new Hono<NetworkEnv>();
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
    if (caller === null) return refuse(c, unauthorized);
    const setUp = c.req.path.startsWith('/2/webhooks') || c.req.path.startsWith('/2/activity/');
    // What concerns the bot alone needs the bot's consent, also to be subscribed to.
    const subscribes = c.req.path === '/2/activity/subscriptions' && c.req.method === 'POST';
    if (caller === (setUp && !subscribes ? 'app' : 'bot')) return next();
    const type = 'https://api.x.com/2/problems/unsupported-authentication';
    return refuse(c, problem(403, 'Unsupported Authentication', 'This authentication is not allowed here', type));
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
    if (!body.success) return refuse(c, invalidRequest(z.prettifyError(body.error)));
    const { text, reply } = body.data;
    if (twitterText.parseTweet(text).weightedLength > LONGEST_POST) {
      return refuse(c, problem(400, 'Invalid Request', 'Your Tweet text is too long.'));
    }
    const target = reply === undefined ? undefined : timeline.post(reply.in_reply_to_tweet_id);
    if (reply !== undefined && target === undefined) {
      const detail = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
      return refuse(c, problem(403, 'Forbidden', detail));
    }
    if (target !== undefined && !namesExplicitly(target, config.botUserId, timeline)) {
      return refuse(c, problem(403, 'Forbidden', NOT_ENGAGED));
    }
    const words = target === undefined ? null : options.refusal(target);
    if (words !== null) return refuse(c, problem(403, 'Forbidden', words));
    if (isDuplicate(text, target)) return refuse(c, problem(403, 'Forbidden', DUPLICATE));
    const made = publish({ author: config.botUserId, text, replyTo: target?.id });
    const answer: TweetV2PostTweetResult = { data: { id: made.id, text: shownText(made, timeline).text } };
    // X has been seen to answer with this history for either vocabulary.
    return c.json({ data: { ...answer.data, edit_history_tweet_ids: [''] } }, 201);
  });

  function listed(c: Context<NetworkEnv>, posts: readonly NetworkPost[]) {
    const query = timelineQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, invalidRequest(z.prettifyError(query.error)));
    const { since_id, max_results, pagination_token: start } = query.data;
    const asked = askedBy(query.data, options.knows());
    const wanted = posts.filter((post) => since_id === undefined || BigInt(post.id) > BigInt(since_id)).reverse();
    const page = wanted.slice(start, start + max_results).map((post) => toPostFacts(post, timeline));
    const end = start + max_results;
    return c.json({
      ...(page.length === 0 ? {} : { data: page.map((post) => shownPost(post, asked)) }),
      ...shownAlong(page, asked, timeline),
      meta: {
        result_count: page.length,
        ...(page.length === 0 ? {} : { newest_id: page[0]?.id ?? '', oldest_id: page.at(-1)?.id ?? '' }),
        ...(end < wanted.length ? { next_token: String(end) } : {}),
      },
    });
  }

  api.get('/2/tweets/:id', (c) => {
    const query = postQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, invalidRequest(z.prettifyError(query.error)));
    const found = timeline.post(c.req.param('id'));
    // X answers 200 for a post that is not there.
    if (found === undefined) return c.json(notFound('tweet', c.req.param('id'), 'id'));
    const asked = askedBy(query.data, options.knows());
    const facts = toPostFacts(found, timeline);
    return c.json({ data: shownPost(facts, asked), ...shownAlong([facts], asked, timeline) });
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
    if (bot === undefined) return refuse(c, unauthorized);
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
