import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import type { TwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { APP_TOKEN } from '../../sandbox/networks/twitter-auth.ts';
import problemList from '../fixtures/twitter/problem.json' with { type: 'json' };
import {
  answering,
  FARCASTER,
  failureOf,
  json,
  openFarcaster,
  openReceiver,
  openTwitter,
  openWire,
  startFarcaster,
  startTwitter,
  TWITTER,
} from './setup.ts';

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

const BOT_URL = 'https://bot.example.invalid/';

/** Whether each check of a platform is passed. */
async function passed(checks: Promise<readonly { readonly ok: boolean }[]>) {
  return (await checks).map(({ ok }) => ok);
}

/** How many events came of what is done on a network. */
async function deliveredOf(network: SocialNetwork, { received }: Receiver, work: () => void) {
  const before = received.length;
  work();
  await network.settled();
  return received.length - before;
}

describe('registering the webhook with Neynar', () => {
  let network: FarcasterNetwork;
  let receiver: Receiver;
  let farcaster: ReturnType<typeof openFarcaster>;
  let sdk: NeynarAPIClient;

  beforeEach(async () => {
    network = await startFarcaster();
    network.addUser({ id: '1001', username: 'alice' });
    receiver = await openReceiver();
    farcaster = openFarcaster(network.url);
    sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
  });

  /** How many events came for one mention, one direct reply, and one cast of the bot's own that mentions it. */
  const delivered = () =>
    deliveredOf(network, receiver, () => {
      network.post({ author: 'alice', text: '@gigclaim claims' });
      const own = network.post({ author: 'gigclaim', text: '@gigclaim is me' });
      network.post({ author: 'alice', text: 'thanks', replyTo: own.id });
    });

  test('behavior: makes a webhook for mentions and direct replies, and leaves it as it is the second time', async () => {
    const detail = `Neynar delivers mentions of and replies to FID 9001 to ${receiver.url}`;
    const expected = { detail, next: '', secret: null };
    expect(await farcaster.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect(await farcaster.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect(await passed(farcaster.check(receiver.url))).toEqual([true, true]);
  });

  test('behavior: turns a webhook on again and mends its filters', async () => {
    const half = { 'cast.created': { mentioned_fids: [4] } };
    const made = await sdk.publishWebhook({ name: 'by hand', url: receiver.url, subscription: half });
    await sdk.updateWebhookActiveStatus({ webhookId: made.webhook?.webhook_id ?? '', active: 'false' });
    expect(await delivered()).toBe(0);
    await farcaster.registerWebhook(receiver.url);
    expect(await delivered()).toBe(2);
    expect((await sdk.fetchWebhooks()).webhooks).toHaveLength(1);
  });

  test('behavior: lists webhooks with what of the bot they deliver, and deletes one', async () => {
    const elsewhere = 'https://other.example.invalid/';
    const half = { 'cast.created': { mentioned_fids: [9001, 4], parent_author_fids: [4] } };
    await sdk.publishWebhook({ name: 'by hand', url: elsewhere, subscription: half });
    await farcaster.registerWebhook(receiver.url);
    const events = ['mentioned_fids', 'parent_author_fids'];
    const ours = { id: 'webhook-2', url: receiver.url, active: true, events };
    const other = { id: 'webhook-1', url: elsewhere, active: true, events: ['mentioned_fids'] };
    expect(await farcaster.listWebhooks()).toEqual([other, ours]);
    await farcaster.deleteWebhook('webhook-1');
    expect(await farcaster.listWebhooks()).toEqual([ours]);
    expect((await failureOf(farcaster.deleteWebhook('webhook-1'))).reason).toBe('not_found');
  });

  test('behavior: hands over the secret that the configuration does not hold yet', async () => {
    const { url } = await startFarcaster({ webhookSecrets: ['fake-webhook-secret', 'fake-newer-secret'] });
    expect(await openFarcaster(url).registerWebhook(receiver.url)).toMatchObject({
      next: expect.stringContaining('NEYNAR_WEBHOOK_SECRETS'),
      secret: 'fake-newer-secret',
    });
  });

  test.each([
    ['no secrets', undefined],
    ['secrets of another shape', ['fake-secret-as-text']],
    ['a secret that was deleted', [{ value: 'fake-old', deleted_at: '2026-11-01T00:00:00Z' }]],
    ['a secret that has expired', [{ value: 'fake-old', deleted_at: null, expires_at: '2026-11-21T12:00:00Z' }]],
  ])('behavior: with %s in the answer, says where the secret is', async (_name, secrets) => {
    const webhook = { webhook_id: 'w1', active: true, target_url: BOT_URL, secrets };
    const { url } = await openWire(json({ success: true, webhooks: [], webhook }));
    expect(await openFarcaster(url).registerWebhook(BOT_URL)).toMatchObject({
      next: "Copy the webhook's secret from dev.neynar.com, under Webhooks, into NEYNAR_WEBHOOK_SECRETS and restart the service.",
      secret: null,
    });
  });

  test('behavior: of two webhooks for one URL the active one is changed, and not turned on again', async () => {
    const webhook = { webhook_id: 'w2', active: true, target_url: BOT_URL };
    const webhooks = [{ ...webhook, webhook_id: 'w1', active: false }, webhook];
    const { url, requests } = await openWire(json({ success: true, webhooks, webhook }));
    await openFarcaster(url).registerWebhook(BOT_URL);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    expect(JSON.parse(requests[1]?.body ?? '')).toMatchObject({ webhook_id: 'w2' });
  });

  test('error: a refusal says what was refused and shows no credential', async () => {
    const { url } = await openWire(json({ message: 'fake-neynar-api-key may not have webhooks' }, 403));
    const failure = await failureOf(openFarcaster(url).registerWebhook(BOT_URL));
    expect(failure.message).toBe('Neynar answered 403 to “list the webhooks”: [redacted] may not have webhooks');
  });
});

describe('registering the webhook with X', () => {
  let network: TwitterNetwork;
  let receiver: Receiver;
  let twitter: Awaited<ReturnType<typeof openTwitter>>;
  /** Whether the receiver answers X's challenge. */
  let answers: boolean;

  beforeEach(async () => {
    network = await startTwitter();
    network.addUser({ id: '2222222222222222222', username: 'OtherUser' });
    twitter = await openTwitter(network.url);
    answers = true;
    receiver = await openReceiver((token) => (answers ? twitter.answerChallenge(token) : null));
  });

  /** How many events came for one mention and one direct reply without one. */
  const delivered = () =>
    deliveredOf(network, receiver, () => {
      network.post({ author: 'OtherUser', text: '@ExampleUser claims' });
      const own = network.post({ author: 'ExampleUser', text: 'hello' });
      network.post({ author: 'OtherUser', text: 'thanks', replyTo: own.id });
    });

  async function asApp(method: string, path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${APP_TOKEN}` };
    return await (await fetch(`${network.url}/2/${path}`, { method, headers })).json();
  }

  test('behavior: registers a webhook that answers the challenge, subscribed to both events, once', async () => {
    const detail = `X delivers post.mention.create and post.reply.create of @ExampleUser to ${receiver.url}`;
    const expected = { detail, next: '', secret: null };
    expect(await twitter.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect(await twitter.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    const filter = { user_id: TWITTER.botUserId };
    const subscriptions = ['post.mention.create', 'post.reply.create'].map((event_type) => ({ event_type, filter }));
    expect(await asApp('GET', 'activity/subscriptions')).toMatchObject({ data: subscriptions });
    expect(await passed(twitter.check(receiver.url))).toEqual([true, true, true, true]);
  });

  test('error: a webhook that does not answer the challenge is not registered', async () => {
    answers = false;
    const failure = await failureOf(twitter.registerWebhook(receiver.url));
    expect(failure.message).toBe(
      'X answered 400 to “register the webhook”: One or more parameters to your request was invalid. CrcValidationFailed: The webhook did not answer the challenge',
    );
    expect(await asApp('GET', 'webhooks')).toMatchObject({ data: [] });
  });

  test('behavior: has an invalid webhook validated again', async () => {
    await twitter.registerWebhook(receiver.url);
    answers = false;
    expect((await failureOf(twitter.registerWebhook(receiver.url))).reason).toBe('rejected');
    expect(await delivered()).toBe(0);
    const [, webhook] = await twitter.check(receiver.url);
    expect(webhook?.remedy).toContain('npm run admin -- webhooks register');
    answers = true;
    await twitter.registerWebhook(receiver.url);
    expect(await delivered()).toBe(2);
  });

  test('error: a second webhook is refused, with what is there and what to do', async () => {
    await twitter.registerWebhook(receiver.url);
    const [there] = await twitter.listWebhooks();
    expect(await failureOf(twitter.registerWebhook('https://new.example.invalid/webhooks/twitter'))).toMatchObject({
      reason: 'rejected',
      retry: 'never',
      message: `X allows this app no more webhooks (WebhookLimitExceeded); it has ${there?.id} for ${receiver.url}. See \`npm run admin -- webhooks list\`, delete the one that is not needed with \`npm run admin -- webhooks delete x <id>\`, then register again`,
    });
  });

  /** X behind a wire, and the paths that were asked for, with their methods. */
  async function watched() {
    const requests: string[] = [];
    const wire = await openWire((response, { method, url, headers }) => {
      const body = wire.requests.at(-1)?.body ?? '';
      requests.push(`${method} ${url?.replace(/\?.*$/, '').replace(/[0-9]{5,}/, ':id')}`);
      const { authorization = '', 'content-type': type = '' } = headers;
      const sent = { method: method ?? '', headers: { authorization, 'content-type': type } };
      fetch(`${network.url}${url}`, body === '' ? sent : { ...sent, body }).then(async (answer) => {
        answering(answer.status, await answer.text())(response);
      }, response.destroy);
    });
    return { twitter: await openTwitter(wire.url), requests, wire };
  }

  test('behavior: moving to another URL, with a PUT that X refuses, subscribes anew, and the app logs in once', async () => {
    await twitter.registerWebhook(receiver.url);
    const elsewhere = receiver.url.replace('/webhook', '/elsewhere');
    const { wire, requests, ...watching } = await watched();
    twitter = watching.twitter;
    const [old] = await twitter.listWebhooks();
    await twitter.deleteWebhook(old?.id ?? '');
    requests.length = 0;
    await twitter.registerWebhook(elsewhere);
    const anew = [
      'POST /2/activity/subscriptions',
      'PUT /2/activity/subscriptions/:id',
      'DELETE /2/activity/subscriptions/:id',
      'POST /2/activity/subscriptions',
    ];
    expect(requests).toEqual([
      'GET /2/webhooks',
      'POST /2/webhooks',
      'GET /2/webhooks',
      'GET /2/activity/subscriptions',
      ...anew,
      ...anew,
    ]);
    expect(wire.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(1);
    expect(await passed(twitter.check(elsewhere))).toEqual([true, true, true, true]);
    const [, , subscriptions] = await twitter.check(receiver.url);
    expect(subscriptions).toMatchObject({
      name: 'x subscriptions',
      ok: false,
      detail: `X has no subscription that delivers post.mention.create and post.reply.create of the bot to ${receiver.url}`,
    });
    expect(await asApp('GET', 'activity/subscriptions')).toHaveProperty('data.length', 2);
    expect(await delivered()).toBe(2);
  });

  test('behavior: where X moves subscriptions they are moved', async () => {
    network.manners.movesSubscriptions = true;
    await twitter.registerWebhook(receiver.url);
    const { twitter: moving, requests } = await watched();
    const [old] = await moving.listWebhooks();
    await moving.deleteWebhook(old?.id ?? '');
    await moving.registerWebhook(receiver.url.replace('/webhook', '/elsewhere'));
    expect(requests.filter((path) => path.startsWith('DELETE /2/activity'))).toEqual([]);
    expect(await delivered()).toBe(2);
  });

  test('behavior: a webhook that is there is validated by a PUT without a body', async () => {
    const watching = await watched();
    for (let times = 0; times < 2; times++) await watching.twitter.registerWebhook(receiver.url);
    const [put] = watching.wire.requests.filter(({ method }) => method === 'PUT');
    expect([put?.body, put?.headers['content-type'], put?.headers['content-length']]).toEqual(['', undefined, '0']);
  });

  test('behavior: subscriptions are read page by page', async () => {
    const { twitter: paging, requests } = await watched();
    network.setWebhook(receiver.url);
    const [webhook] = await twitter.listWebhooks();
    const listed = await asApp('GET', 'activity/subscriptions');
    for (const [, id] of JSON.stringify(listed).matchAll(/"subscription_id":"([0-9]+)"/g)) {
      await asApp('DELETE', `activity/subscriptions/${id}`);
    }
    const headers = {
      authorization: `OAuth oauth_consumer_key="${TWITTER.appKey}", oauth_token="${TWITTER.accessToken}", oauth_signature_method="HMAC-SHA1", oauth_signature="x", oauth_nonce="y"`,
      'content-type': 'application/json',
    };
    for (let count = 0; count < 240; count++) {
      const filter = { user_id: String(7000 + count) };
      const body = JSON.stringify({ event_type: 'post.mention.create', filter, webhook_id: webhook?.id });
      await fetch(`${network.url}/2/activity/subscriptions`, { method: 'POST', headers, body });
    }
    await paging.registerWebhook(receiver.url);
    requests.length = 0;
    expect(await paging.listWebhooks()).toEqual([
      { id: webhook?.id, url: receiver.url, active: true, events: ['post.mention.create', 'post.reply.create'] },
    ]);
    expect(requests.filter((path) => path === 'GET /2/activity/subscriptions')).toHaveLength(3);
    expect(await passed(paging.check(receiver.url))).toEqual([true, true, true, true]);
  });

  test('error: a webhook that is not there, or whose id is none, is not found', async () => {
    for (const id of ['1900000000000000099', '../activity/subscriptions/5']) {
      expect((await failureOf(twitter.deleteWebhook(id))).reason).toBe('not_found');
    }
  });

  test('error: a login that failed, and a token that X has withdrawn, are not kept', async () => {
    let refusals = 1;
    let token = 1;
    const unauthorized = { title: 'Unauthorized', detail: 'Unauthorized', type: 'about:blank', status: 401 };
    const wire = await openWire((response, { url, headers }) => {
      if (url === '/oauth2/token') {
        refusals -= 1;
        if (refusals >= 0) json({ code: 503, message: 'Service Unavailable' }, 503)(response);
        else json({ token_type: 'bearer', access_token: `fake-token-${token}` })(response);
      } else if (headers.authorization === `Bearer fake-token-${token}`) json({ data: [] })(response);
      else json(unauthorized, 401)(response);
    });
    const app = await openTwitter(wire.url);
    const { message } = await failureOf(app.listWebhooks());
    expect(message).toBe('X answered 503 to “log in as the app”: Service Unavailable');
    expect(await app.listWebhooks()).toEqual([]);
    token = 2;
    expect((await failureOf(app.listWebhooks())).reason).toBe('unauthorized');
    expect(await app.listWebhooks()).toEqual([]);
    expect(wire.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(3);
  });

  /** X with these answers, by method and path: bodies, or statuses of a refusal. It refuses all else with 400. */
  async function answeringX(given: Record<string, object | number>, refusal: object) {
    const token = { token_type: 'bearer', access_token: 'fake-token' };
    const answers: Record<string, object | number> = { 'POST /oauth2/token': token, ...given };
    const { url, requests } = await openWire((response, request) => {
      const path = `${request.method} ${request.url?.split('?')[0]}`;
      const answer = answers[path] ?? 400;
      (typeof answer === 'number' ? json(refusal, answer) : json(answer))(response);
    });
    return { x: await openTwitter(url), requests };
  }

  test('behavior: takes a subscription that X calls a duplicate, and does not list, for made', async () => {
    const there = {
      'GET /2/webhooks': { data: [{ id: '5', url: BOT_URL, valid: true }] },
      'PUT /2/webhooks/5': { data: { attempted: true } },
      'GET /2/activity/subscriptions': { meta: {} },
    };
    const { x, requests } = await answeringX(there, { title: 'Invalid Request', detail: 'Duplicate subscription' });
    expect((await x.registerWebhook(BOT_URL)).detail).toMatch(/^X delivers /);
    const subscribed = requests.filter(({ method, path }) => method === 'POST' && path === '/2/activity/subscriptions');
    expect(subscribed).toHaveLength(2);
  });

  test('error: a webhook that X has registered, and does not list, is no webhook', async () => {
    const { x } = await answeringX({ 'GET /2/webhooks': { data: [] }, 'POST /2/webhooks': { data: {} } }, {});
    const message = 'X gave no usable answer to “register the webhook”: it does not list the webhook';
    expect(await failureOf(x.registerWebhook(BOT_URL))).toMatchObject({ message });
  });

  test('behavior: a subscription that is gone when it is to be deleted counts as deleted', async () => {
    const elsewhere = { subscription_id: '3', filter: { user_id: TWITTER.botUserId }, webhook_id: '9' };
    const given = {
      'GET /2/webhooks': { data: [{ id: '5', url: BOT_URL, valid: true }] },
      'PUT /2/webhooks/5': { data: { attempted: true } },
      'GET /2/activity/subscriptions': { data: [{ ...elsewhere, event_type: 'post.mention.create' }] },
      'PUT /2/activity/subscriptions/3': 503,
      'DELETE /2/activity/subscriptions/3': 404,
    };
    const duplicate = { title: 'Invalid Request', detail: 'Duplicate subscription' };
    const { x, requests } = await answeringX(given, duplicate);
    expect((await failureOf(x.registerWebhook(BOT_URL))).message).toMatch(/^X answered 400 to “subscribe to /);
    expect(requests.at(-1)).toMatchObject({ method: 'POST', path: '/2/activity/subscriptions' });
    const kept = await answeringX({ ...given, 'DELETE /2/activity/subscriptions/3': 403 }, duplicate);
    const { message } = await failureOf(kept.x.registerWebhook(BOT_URL));
    expect(message).toMatch(/^X answered 403 to “delete the subscription to post.mention.create”/);
  });

  test('error: at the limit without a webhook that X lists, the refusal says so', async () => {
    const { x } = await answeringX({ 'GET /2/webhooks': { data: [] } }, problemList);
    const { message } = await failureOf(x.registerWebhook(BOT_URL));
    expect(message).toContain('(WebhookLimitExceeded); it has some that it does not list. See ');
  });

  test('error: any other refusal of a subscription ends the work', async () => {
    const { url } = await startTwitter({ accessToken: 'another' });
    expect(await failureOf((await openTwitter(url)).registerWebhook(receiver.url))).toMatchObject({
      reason: 'unauthorized',
      message: 'X answered 401 to “subscribe to post.mention.create”: Unauthorized',
    });
  });
});
