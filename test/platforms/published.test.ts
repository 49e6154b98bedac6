import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createEndpoint, type Read } from '../../src/chain/rpc/endpoint.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createFarcasterSignIn } from '../../src/sign-in/farcaster.ts';
import { BASE } from '../chain/endpoints.ts';
import { judgeSent, operationsOf, type Sent, type Service } from '../support/published/schemas.ts';
import { checkSent } from '../support/setup-published.ts';
import { json, NOW, openFarcaster, openTwitter, openWire, type Reaction, replyTo, TWITTER } from './setup.ts';

const CAST = `0x${'15'.repeat(20)}`;
const POST = '2080765813578191303';
const HOOK = 'https://gigs.example/webhooks';
const [ID, OTHER_ID] = ['1900000000000000001', '1900000000000000002'];

/** Asks for everything that an adapter can ask for; what it makes of the answers is for other tests. */
async function askAll(platform: SocialPlatform, postId: string, url: string): Promise<void> {
  const { acts } = platform;
  const read = (kind: 'like' | 'quote' | 'reply' | 'follow' | 'mention', target: Target) => () =>
    acts?.readActs({ kind, target, cursor: null });
  const post: Target = { kind: 'post', postId, authorId: '1001' };
  const account: Target = { kind: 'account', accountId: '1001' };
  const asked: (() => unknown)[] = [
    () => platform.reply(replyTo(postId)),
    () => platform.findReply({ replyTo: postId, threadId: postId }),
    () => platform.pollEvents({ cursor: null, since: NOW - 1 }),
    () => platform.lookUpPost(url),
    () => platform.resolveAccount({ id: '1001' }),
    () => platform.resolveAccount({ username: 'alice' }),
    () =>
      platform.notify?.({
        accountId: '1001',
        title: 'Paid',
        body: '2 DEGEN',
        url: HOOK,
        uuid: randomUUID(),
        notAfter: NOW + 60_000,
      }),
    () => platform.check(HOOK),
    () => platform.registerWebhook(HOOK),
    () => platform.deleteWebhook(ID),
    read('like', post),
    read('quote', post),
    read('reply', post),
    read('follow', account),
    read('mention', account),
    read('mention', { kind: 'keyword', keyword: 'degen' }),
    () => acts?.readTexts([postId]),
    () => acts?.readAccounts(['1001'], { following: '1002' }),
  ];
  for (const ask of asked) {
    await Promise.resolve()
      .then(ask)
      .catch(() => null);
  }
}
type Target = Parameters<NonNullable<SocialPlatform['acts']>['readActs']>[0]['target'];

/** Answers by method and path; a refusal where nothing is given. */
function byRequest(answers: Readonly<Record<string, object>>): Reaction {
  return (response, { method = '', url = '' }) => {
    const [path = ''] = url.split('?');
    const answer = answers[`${method} ${path.replace(/\/$/, '')}`];
    json(
      answer ?? { title: 'Conflict', detail: 'duplicate', type: 'about:blank' },
      answer === undefined ? 409 : 200,
    )(response);
  };
}

const LOGIN = { 'POST /oauth2/token': { token_type: 'bearer', access_token: 'fake-token' } };
const POSTS = { data: [{ id: POST, text: 'hello' }], meta: { result_count: 1 } };
/** An app without a webhook, and one whose subscription goes to another webhook; both platforms have posts of little use. */
const PLACES: Readonly<Record<'neynar' | 'x', readonly Readonly<Record<string, object>>[]>> = {
  neynar: [
    { 'GET /v2/farcaster/webhook/list': { webhooks: [] } },
    {
      'GET /v2/farcaster/webhook/list': { webhooks: [{ webhook_id: 'w', target_url: HOOK, active: false }] },
      'PUT /v2/farcaster/webhook': {},
    },
  ],
  x: [
    { ...LOGIN, 'GET /2/webhooks': { data: [] } },
    {
      ...LOGIN,
      'GET /2/webhooks': { data: [{ id: ID, url: HOOK, valid: true }] },
      [`PUT /2/webhooks/${ID}`]: { data: { valid: true } },
      [`GET /2/users/${TWITTER.botUserId}/mentions`]: POSTS,
      [`GET /2/users/${TWITTER.botUserId}/tweets`]: POSTS,
      [`GET /2/tweets/${POST}`]: { data: { id: POST, text: 'hello' } },
      'GET /2/activity/subscriptions': {
        data: [
          {
            subscription_id: ID,
            event_type: 'post.mention.create',
            filter: { user_id: TWITTER.botUserId },
            webhook_id: OTHER_ID,
          },
        ],
      },
    },
  ],
};

/** One request by each method, all that the type allows. */
const READS: { readonly [Method in Read['method']]: Read & { method: Method } } = {
  eth_chainId: { method: 'eth_chainId' },
  eth_blockNumber: { method: 'eth_blockNumber' },
  eth_gasPrice: { method: 'eth_gasPrice' },
  eth_maxPriorityFeePerGas: { method: 'eth_maxPriorityFeePerGas' },
  eth_getBalance: { method: 'eth_getBalance', params: [CAST as `0x${string}`, 'latest'] },
  eth_getCode: { method: 'eth_getCode', params: [CAST as `0x${string}`, '0x10'] },
  eth_getTransactionCount: { method: 'eth_getTransactionCount', params: [CAST as `0x${string}`, 'pending'] },
  eth_getStorageAt: { method: 'eth_getStorageAt', params: [CAST as `0x${string}`, '0x0', 'latest'] },
  eth_estimateGas: { method: 'eth_estimateGas', params: [{ to: CAST as `0x${string}`, data: '0x' }, 'latest'] },
  eth_call: { method: 'eth_call', params: [{ data: '0x6000' }, 'latest'] },
  eth_getBlockByNumber: { method: 'eth_getBlockByNumber', params: ['finalized', false] },
  eth_getTransactionByHash: { method: 'eth_getTransactionByHash', params: [`0x${'ab'.repeat(32)}`] },
  eth_getTransactionReceipt: { method: 'eth_getTransactionReceipt', params: [`0x${'ab'.repeat(32)}`] },
  eth_getLogs: {
    method: 'eth_getLogs',
    params: [{ address: [CAST as `0x${string}`], topics: [`0x${'ab'.repeat(32)}`], fromBlock: '0x1', toBlock: '0x2' }],
  },
  eth_feeHistory: { method: 'eth_feeHistory', params: ['0x5', 'latest', [10]] },
};

/** Sends whatever the service can send to one of them. */
const SEND_ALL: Readonly<Record<Service, () => Promise<void>>> = {
  async neynar() {
    for (const answers of PLACES.neynar) {
      const { url } = await openWire(byRequest(answers));
      await askAll(openFarcaster(url), CAST, `https://farcaster.xyz/~/conversations/${CAST}`);
    }
  },
  async x() {
    for (const answers of PLACES.x) {
      const { url } = await openWire(byRequest(answers));
      await askAll(await openTwitter(url), POST, `https://x.com/alice/status/${POST}`);
    }
  },
  async relay() {
    const { url } = await openWire(json({ channelToken: 'token', url: 'https://farcaster.xyz', state: 'pending' }));
    const site = { name: 'Gigs', domain: 'gigs.example', uri: 'https://gigs.example/my' };
    const relay = createFarcasterSignIn({ site, relayUrl: url, rpcUrls: [] });
    await relay.open('nonce0001', NOW);
    await relay.status('token');
  },
  async ethereum() {
    const { url: rpcUrl } = await openWire(json({ jsonrpc: '2.0', id: 1, result: '0x2105' }));
    const limits = { timeoutMs: 5_000, deadlineMs: 5_000, retries: 0 };
    await createEndpoint({ chain: BASE, rpcUrl, clock: () => NOW, ...limits }).run(async (rpc) => {
      for (const read of Object.values(READS)) await rpc.alone({ read, accept: (result) => result });
      await rpc.batch([{ read: READS.eth_chainId, accept: (result) => result }]).catch(() => null);
      await rpc.send('0x02ab');
    });
  },
};

describe('what is sent, and the published schemas', () => {
  test.each(['neynar', 'x', 'relay', 'ethereum'] as const)(
    'behavior: every operation of %s is seen, and fits',
    async (service) => {
      await SEND_ALL[service]();
      const checked = await checkSent();
      const seen = new Set(checked.map(({ operation }) => operation));
      expect(seen).toEqual(new Set(operationsOf(service).map((name) => `${service} ${name}`)));
      expect(checked.length).toBeGreaterThanOrEqual(seen.size);
      expect(checked.flatMap(({ faults }) => faults)).toEqual([]);
    },
  );

  const sent = (service: Service, line: string, body: object | string = '', contentType = 'application/json'): Sent => {
    const [method = '', path = ''] = line.split(' ');
    return { service, method, path, contentType, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  const call = (method: string, ...params: unknown[]) =>
    sent('ethereum', 'POST /', { jsonrpc: '2.0', id: 1, method, params });

  test.each([
    [
      sent('neynar', 'GET /v2/farcaster/cast?identifier=0x1'),
      "Neynar, lookup-cast-by-hash-or-url: query must have required property 'type'",
    ],
    [
      sent('neynar', 'GET /v2/farcaster/notifications?fid=1&limit=26'),
      'Neynar, fetch-all-notifications: query.limit must be <= 25',
    ],
    [
      sent('neynar', 'GET /v2/farcaster/notifications?fid=1&type=mention'),
      'Neynar, fetch-all-notifications: query.type.0 must be equal to one of the allowed values',
    ],
    [
      sent('neynar', 'POST /v2/farcaster/cast', { post_cast_req_body: {} }),
      "Neynar, publish-cast: body must have required property 'signer_uuid'",
    ],
    [sent('neynar', 'GET /v2/farcaster/casts/feed'), 'Neynar has no operation GET /v2/farcaster/casts/feed'],
    [
      sent('x', 'GET /2/tweets/1?post.fields=edit_history_tweet_ids'),
      'X, getPostsById: query.post.fields.0 must be equal to one of the allowed values',
    ],
    [
      sent('x', 'GET /2/users/me?tweet.fields=id'),
      'X, getUsersMe: query must NOT have additional properties (tweet.fields)',
    ],
    [
      sent('x', 'POST /2/tweets', { text: 'x', reply: {} }),
      "X, createPosts: body.reply must have required property 'in_reply_to_tweet_id'",
    ],
    [
      sent('x', 'POST /2/tweets', 'text=x', 'application/x-www-form-urlencoded'),
      'X, createPosts: its body is sent as application/x-www-form-urlencoded',
    ],
    [sent('x', 'DELETE /2/webhooks/12/3'), 'X has no operation DELETE /2/webhooks/12/3'],
    [
      sent('relay', 'POST /v1/channel', { siweUri: 'https://a.example' }),
      "the Farcaster relay, createChannel: body must have required property 'domain'",
    ],
    [
      call('eth_getBalance', '0x1', 'latest'),
      'a node, eth_getBalance: body.0 must match pattern "^0x[0-9a-fA-F]{40}$"',
    ],
    [
      call('eth_estimateGas', { to: CAST, gas: '0x01' }),
      'a node, eth_estimateGas: body.0.gas must match pattern "^0x(0|[1-9a-f][0-9a-f]*)$"',
    ],
    [call('eth_blockNumber', 'latest'), 'a node, eth_blockNumber: body must NOT have more than 0 items'],
    [call('debug_traceCall'), 'a node has no method debug_traceCall'],
  ])('error: %j breaks them', (request, fault) => {
    expect(judgeSent(request).flatMap(({ faults }) => faults)).toContain(fault);
  });
});
