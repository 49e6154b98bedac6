import { z } from 'zod';
import type { Account } from '../../domain/account.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { MentionEvent, Post, SocialPlatform } from '../../domain/mentions/mention.ts';
import { readXPost } from '../../domain/mentions/post-urls.ts';
import { X } from '../../domain/platforms/platforms.ts';
import { badAnswer } from '../failure.ts';
import { handleText, parseJson, readBy } from '../payload.ts';
import { answerXChallenge, verifyXSignature } from '../signature.ts';
import { checkX } from './check.ts';
import { createXClient, type XClient, type XOptions } from './client.ts';
import { xId } from './id.ts';
import { parseXEvents, toPost } from './payload.ts';
import { missingFields, readIncludes, readPost } from './post.ts';
import { createEarlierReplies, findTimelineReply, pollTimeline, type TimelineDeps } from './timeline.ts';
import { createInterpreter, POST_QUERY } from './vocabulary.ts';
import { deleteXWebhook, listRegisteredXWebhooks, registerXWebhook } from './webhook.ts';

/** Weighted characters of an ordinary post (docs.x.com, fundamentals/counting-characters). */
const POST_LIMIT = 280;

/** How often X lets a post be edited (docs.x.com, fundamentals/edit-posts). */
const MAX_EDITS = 5;

/**
 * X's limits on posts from one account (docs.x.com, x-api/fundamentals/rate-limits). Its pages differ, so the lower
 * values for 15 minutes and for three hours both apply.
 */
const REPLY_BUDGET = [
  { limit: 100, windowMs: 15 * 60 * 1000 },
  { limit: 300, windowMs: 3 * 60 * 60 * 1000 },
] as const;

/** X's API takes no longer ones, also not those of old accounts (docs.x.com, x-api/users/lookup). */
const USERNAME = /^[A-Za-z0-9_]{1,15}$/;

/** X also challenges the receiver of its webhooks to prove that it knows the app's secret. */
export interface XPlatform extends SocialPlatform {
  parse(rawBody: Uint8Array): MentionEvent[];
  /** The `response_token` for a `crc_token`, or null when X would not send such a token. */
  answerChallenge(crcToken: string): string | null;
}

const postedAnswer = z.object({ data: z.object({ id: xId }) });
/** X reports a missing object as a 200 without `data`, with the reason in `errors`. */
const foundOrErrors = <Data extends z.ZodType>(data: Data) =>
  z.union([
    z.object({ data, includes: z.unknown().optional() }),
    z.object({ errors: z.array(z.unknown()), data: z.undefined().optional() }),
  ]);
const user = foundOrErrors(z.object({ id: xId, username: handleText }));
const shownPost = foundOrErrors(readBy(readPost));

async function find<Answer extends { readonly data?: unknown }>(
  client: XClient,
  { what, answer: schema }: { readonly what: string; readonly answer: z.ZodType<Answer> },
  run: Parameters<XClient['call']>[1],
) {
  try {
    const answer = await client.call({ what, answer: schema }, run);
    return answer.data === undefined ? null : answer;
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'not_found') return null;
    throw error;
  }
}

type Deps = TimelineDeps;

async function findVersion({ client, interpreter }: Deps, id: string) {
  const what = 'look up a post';
  const call = { network: 'X', what, sends: false };
  return interpreter.ask({
    call,
    async read(vocabulary) {
      const request = { what, answer: shownPost };
      const answer = await find(client, request, (sdk) => sdk.v2.get(`tweets/${id}`, POST_QUERY[vocabulary]));
      if (answer?.data === undefined) return null;
      const { data: post } = answer;
      // Payment goes to the author of this post, so a different post is refused.
      if (post.id !== id) throw badAnswer(call, 'it is another post');
      return { post, along: readIncludes(answer.includes) };
    },
    missing: (answer) => (answer === null ? [] : missingFields(answer.post)),
  });
}

/** Every version of an edited post stays reachable under its own id; only the last one is current. */
async function findPost(deps: Deps, url: string): Promise<Post | null> {
  const id = readXPost(url)?.postId ?? null;
  const first = id === null ? null : await findVersion(deps, id);
  if (first === null) return null;
  let found = first;
  for (let looks = 0; looks <= MAX_EDITS; looks++) {
    const { post, along } = found;
    if (post.authorId !== first.post.authorId || post.versions?.[0] !== first.post.versions?.[0]) break;
    const last = post.versions?.at(-1);
    if (last === undefined || last === post.id) return toPost(post, along);
    const next = await findVersion(deps, last);
    if (next === null) return null;
    found = next;
  }
  throw badAnswer({ network: 'X', what: 'look up a post', sends: false }, 'its versions do not belong together');
}

async function findUser(client: XClient, who: { id: string } | { username: string }): Promise<Account | null> {
  const label = 'id' in who ? who.id : who.username.replace(/^@/, '');
  if ('id' in who ? !xId.safeParse(label).success : !USERNAME.test(label)) return null;
  const answer = await find(client, { what: 'look up a user', answer: user }, (sdk) =>
    'id' in who ? sdk.v2.user(label) : sdk.v2.userByUsername(label),
  );
  const found = answer?.data;
  return found === undefined ? null : { platform: X.id, platformUserId: found.id, username: found.username };
}

/** X through its API v2, as the bot's account. */
export async function createXPlatform(options: XOptions): Promise<XPlatform> {
  const client = await createXClient(options);
  const { default: twitterText } = await import('twitter-text');
  const bot = { id: options.botUserId, username: options.botUsername };
  const deps: Deps = { client, bot, interpreter: createInterpreter() };
  const findEarlier = createEarlierReplies(deps);
  return {
    platform: X.id,
    bot,
    idempotent: false,
    replyLimit: POST_LIMIT,
    replyBudget: options.replyBudget ?? REPLY_BUDGET,
    measure: (text) => twitterText.parseTweet(text).weightedLength,
    hasLink: (text) => twitterText.extractUrls(text).length > 0,
    verify: (rawBody, signature) => verifyXSignature(rawBody, signature, options.appSecret),
    answerChallenge: (crcToken) => answerXChallenge(crcToken, options.appSecret),
    parse: (rawBody) => parseXEvents(parseJson(rawBody), bot),
    async reply({ replyTo, text, notAfter }) {
      const request = { what: 'post a reply', sends: true, notAfter, answer: postedAnswer };
      const { data } = await client.call(request, (sdk) => sdk.v2.reply(text, replyTo));
      return { postId: data.id };
    },
    findReply: ({ earlier = false, ...query }) => (earlier ? findEarlier(query) : findTimelineReply(deps, query)),
    pollEvents: (query) => pollTimeline(deps, query),
    lookUpPost: (url) => findPost(deps, url),
    // X does not provide verified Ethereum addresses.
    payoutAddresses: async () => [],
    primaryAddress: async () => null,
    resolveAccount: (who) => findUser(client, who),
    // X forbids paying for acts there, so none is watched.
    acts: null,
    check: (webhookUrl) => checkX(client, options, webhookUrl),
    registerWebhook: (webhookUrl) => registerXWebhook(client, options, webhookUrl),
    listWebhooks: () => listRegisteredXWebhooks(client, bot.id),
    deleteWebhook: (id) => deleteXWebhook(client, id),
  };
}
