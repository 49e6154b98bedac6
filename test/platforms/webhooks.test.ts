import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import { createTwitterNetwork, type TwitterNetwork } from '../../sandbox/networks/twitter.ts';
import { openReceiver } from '../sandbox/networks/receiver.ts';
import {
  answering,
  FARCASTER,
  failureOf,
  NOW,
  openFarcaster,
  openTwitter,
  openWire,
  TWITTER,
  type Wire,
} from './setup.ts';

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

describe('registering the webhook with Neynar', () => {
  let network: FarcasterNetwork;
  let receiver: Receiver;

  beforeEach(async () => {
    network = createFarcasterNetwork({ ...FARCASTER, clock: () => NOW });
    network.addUser({ id: '1001', username: 'alice' });
    await network.start();
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await network.stop();
    await receiver.close();
  });

  /** How many events came for one mention, one direct reply, and one cast of the bot's own that mentions it. */
  async function delivered(): Promise<number> {
    const before = receiver.received.length;
    network.post({ author: 'alice', text: '@gigclaim claims' });
    const own = network.post({ author: 'gigclaim', text: '@gigclaim is me' });
    network.post({ author: 'alice', text: 'thanks', replyTo: own.id });
    await network.settled();
    return receiver.received.length - before;
  }

  test('behavior: makes a webhook for mentions and direct replies, and leaves it as it is the second time', async () => {
    const farcaster = await openFarcaster(network.url);
    const expected = {
      detail: `Neynar delivers mentions of and replies to FID 9001 to ${receiver.url}`,
      next: '',
      secret: null,
    };
    expect(await farcaster.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect(await farcaster.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect((await farcaster.check(receiver.url)).map(({ ok }) => ok)).toEqual([true, true]);
  });

  test('behavior: turns a webhook on again and mends its filters', async () => {
    const { NeynarAPIClient, Configuration } = await import('@neynar/nodejs-sdk');
    const sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
    const half = { 'cast.created': { mentioned_fids: [4] } };
    const made = await sdk.publishWebhook({ name: 'by hand', url: receiver.url, subscription: half });
    await sdk.updateWebhookActiveStatus({ webhookId: made.webhook?.webhook_id ?? '', active: 'false' });
    expect(await delivered()).toBe(0);
    const farcaster = await openFarcaster(network.url);
    await farcaster.registerWebhook(receiver.url);
    expect(await delivered()).toBe(2);
    expect((await sdk.fetchWebhooks()).webhooks).toHaveLength(1);
  });

  test('behavior: lists webhooks with what of the bot they deliver, and deletes one', async () => {
    const { NeynarAPIClient, Configuration } = await import('@neynar/nodejs-sdk');
    const sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
    const elsewhere = 'https://other.example.invalid/';
    const half = { 'cast.created': { mentioned_fids: [9001, 4], parent_author_fids: [4] } };
    await sdk.publishWebhook({ name: 'by hand', url: elsewhere, subscription: half });
    const farcaster = await openFarcaster(network.url);
    await farcaster.registerWebhook(receiver.url);
    const ours = {
      id: 'webhook-2',
      url: receiver.url,
      active: true,
      events: ['mentioned_fids', 'parent_author_fids'],
    };
    const other = { id: 'webhook-1', url: elsewhere, active: true, events: ['mentioned_fids'] };
    expect(await farcaster.listWebhooks()).toEqual([other, ours]);
    await farcaster.deleteWebhook('webhook-1');
    expect(await farcaster.listWebhooks()).toEqual([ours]);
    expect((await failureOf(farcaster.deleteWebhook('webhook-1'))).reason).toBe('not_found');
  });

  test('behavior: hands over the secret that the configuration does not hold yet', async () => {
    await network.stop();
    const webhookSecrets = ['fake-webhook-secret', 'fake-newer-secret'];
    network = createFarcasterNetwork({ ...FARCASTER, webhookSecrets, clock: () => NOW });
    await network.start();
    const farcaster = await openFarcaster(network.url);
    const { next, secret } = await farcaster.registerWebhook(receiver.url);
    expect(secret).toBe('fake-newer-secret');
    expect(next).toMatch(/NEYNAR_WEBHOOK_SECRETS/);
  });

  const hook = (secrets: unknown) =>
    JSON.stringify({
      success: true,
      webhooks: [],
      webhook: { webhook_id: 'w1', active: true, target_url: 'https://bot.example.invalid/', secrets },
    });

  test.each([
    ['no secrets', undefined],
    ['secrets of another shape', ['fake-secret-as-text']],
    ['a secret that was deleted', [{ value: 'fake-old', deleted_at: '2026-11-01T00:00:00Z' }]],
    ['a secret that has expired', [{ value: 'fake-old', deleted_at: null, expires_at: '2026-11-21T11:59:59Z' }]],
  ])('behavior: with %s in the answer, says where the secret is', async (_name, secrets) => {
    wire = await openWire(answering(200, hook(secrets)));
    const farcaster = await openFarcaster(wire.url);
    expect(await farcaster.registerWebhook('https://bot.example.invalid/')).toMatchObject({
      next: "Copy the webhook's secret from dev.neynar.com, under Webhooks, into NEYNAR_WEBHOOK_SECRETS and restart the service.",
      secret: null,
    });
  });

  test('error: a refusal says what was refused and shows no credential', async () => {
    wire = await openWire(answering(403, '{"message":"fake-neynar-api-key may not have webhooks"}'));
    const farcaster = await openFarcaster(wire.url);
    const failure = await failureOf(farcaster.registerWebhook('https://bot.example.invalid/'));
    expect(failure.message).toBe('Neynar answered 403 to “list the webhooks”: [redacted] may not have webhooks');
  });
});

describe('registering the webhook with X', () => {
  let network: TwitterNetwork;
  let receiver: Receiver;
  /** Whether the receiver answers X's challenge. */
  let answers: boolean;

  beforeEach(async () => {
    network = createTwitterNetwork({ ...TWITTER, clock: () => NOW });
    network.addUser({ id: '2222222222222222222', username: 'OtherUser' });
    await network.start();
    const twitter = await openTwitter(network.url);
    answers = true;
    receiver = await openReceiver((token) => (answers ? twitter.answerChallenge(token) : null));
  });
  afterEach(async () => {
    await network.stop();
    await receiver.close();
  });

  /** How many events came for one mention and one direct reply without one. */
  async function delivered(): Promise<number> {
    const before = receiver.received.length;
    network.post({ author: 'OtherUser', text: '@ExampleUser claims' });
    const own = network.post({ author: 'ExampleUser', text: 'hello' });
    network.post({ author: 'OtherUser', text: 'thanks', replyTo: own.id });
    await network.settled();
    return receiver.received.length - before;
  }

  async function asApp(method: string, path: string): Promise<unknown> {
    const { APP_TOKEN } = await import('../../sandbox/networks/twitter-auth.ts');
    const headers = { authorization: `Bearer ${APP_TOKEN}` };
    return await (await fetch(`${network.url}/2/${path}`, { method, headers })).json();
  }

  test('behavior: registers a webhook that answers the challenge, subscribed to both events, once', async () => {
    const twitter = await openTwitter(network.url);
    const expected = {
      detail: `X delivers post.mention.create and post.reply.create of @ExampleUser to ${receiver.url}`,
      next: '',
      secret: null,
    };
    expect(await twitter.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    expect(await twitter.registerWebhook(receiver.url)).toEqual(expected);
    expect(await delivered()).toBe(2);
    const subscriptions = [
      { event_type: 'post.mention.create', filter: { user_id: '1111111111111111111' } },
      { event_type: 'post.reply.create', filter: { user_id: '1111111111111111111' } },
    ];
    const listed = await asApp('GET', 'activity/subscriptions');
    expect(listed).toMatchObject({ data: subscriptions });
    expect(listed).toHaveProperty('data.length', 2);
    expect((await twitter.check(receiver.url)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  test('error: a webhook that does not answer the challenge is not registered', async () => {
    answers = false;
    const twitter = await openTwitter(network.url);
    const failure = await failureOf(twitter.registerWebhook(receiver.url));
    expect(failure.message).toBe(
      'X answered 400 to “register the webhook”: One or more parameters to your request was invalid. CrcValidationFailed: The webhook did not answer the challenge',
    );
    expect(await asApp('GET', 'webhooks')).toMatchObject({ data: [] });
  });

  test('behavior: has an invalid webhook validated again', async () => {
    const twitter = await openTwitter(network.url);
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
    const twitter = await openTwitter(network.url);
    await twitter.registerWebhook(receiver.url);
    const [there] = await twitter.listWebhooks();
    const failure = await failureOf(twitter.registerWebhook('https://new.example.invalid/webhooks/twitter'));
    expect([failure.reason, failure.retry, failure.message]).toEqual([
      'rejected',
      'never',
      `X allows this app no more webhooks (WebhookLimitExceeded); it has ${there?.id} for ${receiver.url}. See \`npm run admin -- webhooks list\`, delete the one that is not needed with \`npm run admin -- webhooks delete x <id>\`, then register again`,
    ]);
  });

  /** The paths that were asked for, with their methods, and how often the app logged in. */
  async function watched(): Promise<{ twitter: Awaited<ReturnType<typeof openTwitter>>; requests: string[] }> {
    const requests: string[] = [];
    wire = await openWire((response, { method, url, headers }) => {
      const body = wire?.requests.at(-1)?.body ?? '';
      requests.push(`${method} ${url?.replace(/\?.*$/, '').replace(/[0-9]{5,}/, ':id')}`);
      const { authorization = '', 'content-type': type = '' } = headers;
      const sent = { method: method ?? '', headers: { authorization, 'content-type': type } };
      fetch(`${network.url}${url}`, body === '' ? sent : { ...sent, body }).then(async (answer) => {
        answering(answer.status, await answer.text())(response);
      }, response.destroy);
    });
    return { twitter: await openTwitter(wire.url), requests };
  }

  test('behavior: moving to another URL, with a PUT that X refuses, subscribes anew, and the app logs in once', async () => {
    await (await openTwitter(network.url)).registerWebhook(receiver.url);
    const elsewhere = receiver.url.replace('/webhook', '/elsewhere');
    const { twitter, requests } = await watched();
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
    expect(wire?.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(1);
    expect((await twitter.check(elsewhere)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
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
    await (await openTwitter(network.url)).registerWebhook(receiver.url);
    const { twitter, requests } = await watched();
    const [old] = await twitter.listWebhooks();
    await twitter.deleteWebhook(old?.id ?? '');
    await twitter.registerWebhook(receiver.url.replace('/webhook', '/elsewhere'));
    expect(requests.filter((path) => path.startsWith('DELETE /2/activity'))).toEqual([]);
    expect(await delivered()).toBe(2);
  });

  test('behavior: a webhook that is there is validated by a PUT without a body', async () => {
    const { twitter } = await watched();
    await twitter.registerWebhook(receiver.url);
    await twitter.registerWebhook(receiver.url);
    const [put] = wire?.requests.filter(({ method }) => method === 'PUT') ?? [];
    expect([put?.body, put?.headers['content-type'], put?.headers['content-length']]).toEqual(['', undefined, '0']);
  });

  test('behavior: subscriptions are read page by page', async () => {
    const { twitter, requests } = await watched();
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
    await twitter.registerWebhook(receiver.url);
    requests.length = 0;
    expect(await twitter.listWebhooks()).toEqual([
      { id: webhook?.id, url: receiver.url, active: true, events: ['post.mention.create', 'post.reply.create'] },
    ]);
    expect(requests.filter((path) => path === 'GET /2/activity/subscriptions')).toHaveLength(3);
    expect((await twitter.check(receiver.url)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  test('error: a webhook that is not there, or whose id is none, is not found', async () => {
    const twitter = await openTwitter(network.url);
    for (const id of ['1900000000000000099', '../activity/subscriptions/5']) {
      expect((await failureOf(twitter.deleteWebhook(id))).reason).toBe('not_found');
    }
  });

  test('error: a login that failed, and a token that X has withdrawn, are not kept', async () => {
    let refusals = 1;
    let token = 1;
    wire = await openWire((response, request) => {
      if (request.url === '/oauth2/token') {
        if (refusals > 0) answering(503, '{"code":503,"message":"Service Unavailable"}')(response);
        else answering(200, `{"token_type":"bearer","access_token":"fake-token-${token}"}`)(response);
        refusals -= 1;
      } else if (request.headers.authorization === `Bearer fake-token-${token}`)
        answering(200, '{"data":[]}')(response);
      else
        answering(401, '{"title":"Unauthorized","detail":"Unauthorized","type":"about:blank","status":401}')(response);
    });
    const twitter = await openTwitter(wire.url);
    expect((await failureOf(twitter.listWebhooks())).message).toBe(
      'X answered 503 to “log in as the app”: Service Unavailable',
    );
    expect(await twitter.listWebhooks()).toEqual([]);
    token = 2;
    expect((await failureOf(twitter.listWebhooks())).reason).toBe('unauthorized');
    expect(await twitter.listWebhooks()).toEqual([]);
    expect(wire.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(3);
  });

  test('behavior: takes a subscription that X calls a duplicate, and does not list, for made', async () => {
    const requests: string[] = [];
    wire = await openWire((response, request) => {
      const path = `${request.method} ${request.url}`;
      requests.push(path);
      if (path === 'POST /oauth2/token')
        answering(200, '{"token_type":"bearer","access_token":"fake-token"}')(response);
      else if (path === 'GET /2/webhooks') {
        const data = [{ id: '5', url: 'https://bot.example.invalid/', valid: true }];
        answering(200, JSON.stringify({ data }))(response);
      } else if (path === 'PUT /2/webhooks/5') answering(200, '{"data":{"attempted":true}}')(response);
      else if (path.startsWith('GET /2/activity/subscriptions?')) answering(200, '{"meta":{}}')(response);
      else answering(400, '{"title":"Invalid Request","detail":"Duplicate subscription"}')(response);
    });
    const twitter = await openTwitter(wire.url);
    expect((await twitter.registerWebhook('https://bot.example.invalid/')).detail).toMatch(/^X delivers /);
    expect(requests.filter((path) => path === 'POST /2/activity/subscriptions')).toHaveLength(2);
  });

  test('error: any other refusal of a subscription ends the work', async () => {
    await network.stop();
    network = createTwitterNetwork({ ...TWITTER, accessToken: 'another', clock: () => NOW });
    await network.start();
    const twitter = await openTwitter(network.url);
    const failure = await failureOf(twitter.registerWebhook(receiver.url));
    expect([failure.reason, failure.message]).toEqual([
      'unauthorized',
      'X answered 401 to “subscribe to post.mention.create”: Unauthorized',
    ]);
  });
});
