import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTwitterNetwork, type TwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import { createXPlatform } from '../../../src/platforms/x/adapter.ts';
import { TWITTER } from '../../platforms/setup.ts';
import { openReceiver, send } from './receiver.ts';

const CONFIG = { ...TWITTER, botUserId: '1700000000000009001', botUsername: 'gigclaim' };

const BOT =
  'OAuth oauth_consumer_key="fake-app-key", oauth_token="fake-access-token", oauth_signature_method="HMAC-SHA1", oauth_signature="x", oauth_nonce="y"';

describe('the local X', () => {
  let network: TwitterNetwork;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;

  beforeEach(async () => {
    network = createTwitterNetwork(CONFIG);
    await network.start();
    network.addUser({ id: '1700000000000001001', username: 'alice' });
    network.addUser({ id: '1700000000000001002', username: 'bob' });
    const twitter = await client();
    receiver = await openReceiver((token) => twitter.answerChallenge(token));
    network.setWebhook(receiver.url);
  });
  afterEach(async () => {
    await network.stop();
    await receiver.close();
  });

  const client = () => createXPlatform({ ...CONFIG, baseUrl: network.url, clock: Date.now });

  /** A call that the SDK has no method for, as the app. */
  async function asApp(method: string, path: string, body?: unknown) {
    const basic = Buffer.from(`${CONFIG.appKey}:${CONFIG.appSecret}`).toString('base64');
    const granted = await fetch(`${network.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    // The network's own answer.
    const { access_token } = (await granted.json()) as { access_token: string };
    return send(method, `${network.url}${path}`, body, { authorization: `Bearer ${access_token}` });
  }

  /** The same as the bot. */
  const asBot = (method: string, path: string, body?: unknown) =>
    send(method, `${network.url}${path}`, body, { authorization: BOT });

  async function receivedMentions() {
    await network.settled();
    const twitter = await client();
    return receiver.received.flatMap(({ body, headers }) => {
      const signature = headers['x-twitter-webhooks-signature'];
      expect(twitter.verify(body, typeof signature === 'string' ? signature : undefined)).toBe(true);
      return twitter.parse(body);
    });
  }

  test('behavior: delivers explicit mentions, signed as the service expects', async () => {
    const asked = network.post({ author: 'alice', text: 'hey @gigclaim claims' });
    network.post({ author: 'alice', text: 'nothing' });
    network.post({ author: 'gigclaim', text: '@gigclaim is me' });
    const mentions = await receivedMentions();
    expect(mentions.map(({ postId, text, authorUsername }) => [postId, text, authorUsername])).toEqual([
      [asked.id, 'hey @gigclaim claims', 'alice'],
    ]);
  });

  test('behavior: puts handles before a reply; a mention in it that is the author’s own makes two events of one post', async () => {
    const own = network.post({ author: 'gigclaim', text: 'for @bob' });
    network.post({ author: 'alice', text: 'thanks', replyTo: own.id });
    const explicit = network.post({ author: 'alice', text: '@gigclaim claims', replyTo: own.id });
    const mentions = await receivedMentions();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(mentions.map(({ postId, text }) => `${postId} ${text}`))).toEqual(
      new Set([`${explicit.id} @gigclaim claims`]),
    );
    const shown = receiver.received.map(({ body }) => body.toString());
    expect(shown.some((body) => body.includes('"text":"@gigclaim @bob thanks"'))).toBe(true);
    expect(shown.some((body) => body.includes('"display_text_range":[15,21]'))).toBe(true);
  });

  test('behavior: an edit is delivered with its history', async () => {
    const first = network.post({ author: 'alice', text: '@gigclaim claism' });
    const second = network.post({ author: 'alice', text: '@gigclaim claims', editOf: first.id });
    const mentions = await receivedMentions();
    expect(mentions.map(({ postId }) => postId)).toEqual([first.id, first.id]);
    expect(mentions.map(({ replyTo }) => replyTo).sort()).toEqual([first.id, second.id].sort());
  });

  test('behavior: a webhook is registered only when it answers the challenge, and events need a subscription', async () => {
    network.setWebhook(null);
    const silent = await openReceiver();
    expect((await asApp('POST', '/2/webhooks', { url: silent.url })).status).toBe(400);
    await silent.close();
    const made = await asApp('POST', '/2/webhooks', { url: receiver.url });
    expect(made.json).toMatchObject({ data: { url: receiver.url, valid: true } });
    network.post({ author: 'alice', text: '@gigclaim one' });
    expect(await receivedMentions()).toEqual([]);
    // The network's own answer.
    const { id } = (made.json as { data: { id: string } }).data;
    const subscription = { event_type: 'post.mention.create', filter: { user_id: CONFIG.botUserId }, webhook_id: id };
    expect((await asApp('POST', '/2/activity/subscriptions', subscription)).status).toBe(403);
    expect((await asBot('POST', '/2/activity/subscriptions', subscription)).status).toBe(200);
    expect((await asBot('POST', '/2/activity/subscriptions', subscription)).status).toBe(409);
    network.post({ author: 'alice', text: '@gigclaim two' });
    expect((await receivedMentions()).map(({ text }) => text)).toEqual(['@gigclaim two']);
    expect((await asApp('PUT', `/2/webhooks/${id}`)).json).toEqual({ data: { valid: true } });
    await receiver.close();
    expect((await asApp('PUT', `/2/webhooks/${id}`)).status).toBe(400);
    const twitter = await client();
    const [, check] = await twitter.check(receiver.url);
    expect(check?.detail).toBe(`X reports the webhook for ${receiver.url} as invalid and delivers nothing`);
    expect((await asApp('DELETE', `/2/webhooks/${id}`)).json).toEqual({ data: { deleted: true } });
    expect((await asApp('GET', '/2/webhooks')).json).toEqual({ data: [], meta: { result_count: 0 } });
  });

  test('error: a wrong token, body, query or route is refused as X refuses it', async () => {
    const tweets = `${network.url}/2/tweets`;
    expect((await send('POST', tweets, { text: 'hello' })).status).toBe(401);
    const other = { authorization: BOT.replace('access-token', 'other-token') };
    expect((await send('POST', tweets, { text: 'hello' }, other)).status).toBe(401);
    expect((await asBot('POST', '/2/tweets', { status: 'hello' })).status).toBe(400);
    expect((await asBot('POST', '/2/tweets', { text: '漢'.repeat(141) })).status).toBe(400);
    const mentions = `/2/users/${CONFIG.botUserId}/mentions`;
    expect((await asBot('GET', `${mentions}?max_results=4`)).status).toBe(400);
    expect((await asBot('GET', `${mentions}?post.fields=entities&tweet.fields=entities`)).status).toBe(400);
    expect((await asBot('GET', '/2/webhooks')).status).toBe(403);
    const lost = await asBot('GET', '/1.1/statuses/show.json');
    expect([lost.status, lost.json]).toMatchObject([404, { title: 'Not Found', status: 404 }]);
    expect(network.posts()).toEqual([]);
  });

  const bearer = { authorization: 'Bearer sandbox-app-only-token' };

  /** What the network answers about a post, by these parameters, when it knows this vocabulary. */
  async function shown(knows: 'old' | 'new' | 'both', id: string, query: Record<string, string>) {
    network.manners.dialect = knows;
    return (await asBot('GET', `/2/tweets/${id}?${new URLSearchParams(query)}`)).json;
  }

  test('behavior: the names of an answer follow the parameter that was sent, where both are known', async () => {
    const own = network.post({ author: 'gigclaim', text: 'hello' });
    const { id } = network.post({ author: 'alice', text: '@gigclaim claims', replyTo: own.id });
    const text = '@gigclaim @gigclaim claims';
    const references = [{ type: 'replied_to', id: own.id }];
    const authorId = '1700000000000001001';
    const user = { id: authorId, username: 'alice', name: 'alice', protected: false, verified: false };
    const byOld = { 'tweet.fields': 'author_id,referenced_tweets', expansions: 'author_id' };
    const byNew = { 'post.fields': 'conversation_id', expansions: 'author_id,edit_history_post_ids,referenced_posts' };
    expect(await shown('both', id, byOld)).toEqual({
      data: { id, text, author_id: authorId, edit_history_tweet_ids: [id], referenced_tweets: references },
      includes: { users: [user] },
    });
    const alices = { author_id: authorId, conversation_id: own.id, edit_history_post_ids: [id] };
    const asked = { id, text, ...alices, referenced_posts: references };
    const bots = { author_id: CONFIG.botUserId, conversation_id: own.id, edit_history_post_ids: [own.id] };
    const posts = [asked, { id: own.id, text: 'hello', ...bots }];
    expect(await shown('both', id, byNew)).toEqual({ data: asked, includes: { users: [user], posts } });
  });

  test('behavior: unknown parameters and values are passed over: 200, and the field is absent', async () => {
    const own = network.post({ author: 'gigclaim', text: 'hello' });
    const { id } = network.post({ author: 'alice', text: 'hi', replyTo: own.id });
    const text = '@gigclaim hi';
    const byOld = { 'tweet.fields': 'author_id,referenced_tweets,conversation_id' };
    const byNew = { 'post.fields': 'conversation_id', expansions: 'edit_history_post_ids,referenced_posts' };
    expect(await shown('new', id, byOld)).toEqual({ data: { id, text } });
    expect(await shown('old', id, byNew)).toEqual({ data: { id, text, edit_history_tweet_ids: [id] } });
    // Values of an expansion are none of the fields parameter.
    const misplaced = { 'post.fields': 'author_id,referenced_posts,edit_history_post_ids,note_tweet' };
    expect(await shown('both', id, misplaced)).toEqual({ data: { id, text } });
  });

  test.each([
    ['old', ['edit_history_tweet_ids', 'referenced_tweets', 'in_reply_to_tweet_id']],
    ['both', ['edit_history_tweet_ids', 'referenced_tweets', 'in_reply_to_tweet_id']],
    ['new', ['edit_history_post_ids', 'referenced_posts']],
  ] as const)('behavior: events of a network that knows %s have its names', async (knows, names) => {
    network.manners.dialect = knows;
    const own = network.post({ author: 'gigclaim', text: 'hello' });
    network.post({ author: 'alice', text: '@gigclaim claims', replyTo: own.id });
    await network.settled();
    const all = ['edit_history_tweet_ids', 'referenced_tweets', 'in_reply_to_tweet_id'];
    const every = [...all, 'edit_history_post_ids', 'referenced_posts'];
    for (const { body } of receiver.received) {
      const { payload } = JSON.parse(body.toString()).data;
      expect(every.filter((name) => name in payload)).toEqual([...names]);
    }
    expect(receiver.received).toHaveLength(2);
  });

  test('behavior: errors come as problem documents, and some as a code with a message', async () => {
    const problem = await fetch(`${network.url}/2/webhooks/5`, { method: 'PUT', headers: bearer });
    expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    const told = { title: 'Not Found Error', detail: 'No such webhook', type: 'about:blank', status: 404 };
    expect(await problem.json()).toEqual(told);
    const moved = `${network.url}/2/activity/subscriptions/5`;
    const plain = await fetch(moved, { method: 'PUT', headers: bearer, body: '{}' });
    expect([plain.status, plain.headers.get('content-type')]).toEqual([503, 'application/json']);
    expect(await plain.json()).toEqual({ code: 503, message: 'Service Unavailable' });
  });

  test('behavior: the same words to the same author are a duplicate elsewhere only when the network is told so', async () => {
    const strict = createTwitterNetwork({ ...CONFIG, duplicatesAnywhere: true });
    for (const [x, expected] of [
      [network, 'sent'],
      [strict, 'duplicate'],
    ] as const) {
      if (x === strict) await strict.start();
      x.addUser({ id: '1700000000000001001', username: 'alice' });
      x.addUser({ id: '1700000000000001002', username: 'bob' });
      const twitter = await createXPlatform({ ...CONFIG, baseUrl: x.url, clock: Date.now });
      const answer = async (author: string) => {
        const { id: replyTo } = x.post({ author, text: '@gigclaim claims' });
        const reply = { replyTo, authorId: author, text: 'nothing yet', idem: '', notAfter: Number.MAX_SAFE_INTEGER };
        return twitter.reply(reply).then(
          () => 'sent',
          (error: unknown) => (error instanceof Error && 'reason' in error ? error.reason : error),
        );
      };
      expect([await answer('alice'), await answer('bob'), await answer('alice')]).toEqual(['sent', 'sent', expected]);
    }
    await strict.stop();
  });

  test('error: a rate limit of one call leaves the next alone', async () => {
    const twitter = await client();
    Object.assign(network.faults, { api: 'rate_limited', remaining: 1 });
    const failure = await twitter.resolveAccount({ username: 'alice' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'rate_limited', retry: 'safe' });
    expect((await twitter.resolveAccount({ username: 'alice' }))?.platformUserId).toBe('1700000000000001001');
  });

  test.each([
    ['payment_required', 'payment_required', 'safe'],
    ['unauthorized', 'unauthorized', 'safe'],
    ['server_error', 'server_error', 'unknown'],
    ['html', 'server_error', 'unknown'],
    ['hang', 'timeout', 'unknown'],
    ['drop_answer', 'unreachable', 'unknown'],
  ] as const)('error: the fault %s hits replies alone, as often as told', async (api, reason, retry) => {
    const twitter = await createXPlatform({ ...CONFIG, baseUrl: network.url, clock: Date.now, timeoutMs: 300 });
    const { id, threadId } = network.post({ author: 'alice', text: '@gigclaim claims' });
    Object.assign(network.faults, { api, route: 'reply', remaining: 1 });
    expect(await twitter.findReply({ replyTo: id, threadId })).toBeNull();
    const reply = { replyTo: id, authorId: '1', text: 'hello', idem: '', notAfter: Number.MAX_SAFE_INTEGER };
    await expect(twitter.reply(reply)).rejects.toMatchObject({ reason, retry });
    const found = await twitter.findReply({ replyTo: id, threadId });
    expect(found).toBe(api === 'drop_answer' ? (network.repliesTo(id)[0]?.id ?? 'missing') : null);
  });
});
