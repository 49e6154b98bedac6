import { expect, test } from 'vitest';
import { bothPlatforms, castEvent, postEvent, signFarcaster, signTwitter } from './platforms.ts';
import { forThisTest, openService, type Service, type ServiceOptions, service, useService } from './service.ts';
import { published, refusal, told } from './terms.ts';

async function open(options: ServiceOptions = {}): Promise<Service> {
  return await openService({ platforms: await bothPlatforms(), ...options });
}

useService(open);

async function deliver(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>, to = service) {
  return await to.app.request('/webhooks/farcaster', {
    method: 'POST',
    headers: headers ?? { 'x-neynar-signature': signFarcaster(body) },
    body,
  });
}

async function deliverX(body: string, signature = signTwitter(body)): Promise<Response> {
  return await service.app.request('/webhooks/twitter', {
    method: 'POST',
    headers: { 'x-twitter-webhooks-signature': signature },
    body,
  });
}

const stored = () => service.store.mentions({ limit: 100 });

test('behavior: a signed mention from Farcaster is on disk when it is answered', async () => {
  const response = await deliver(castEvent());
  expect(await told(response)).toEqual({ status: 200, body: { ok: true } });
  expect(await stored()).toMatchObject([
    {
      platform: 'farcaster',
      postId: '0x00000000000000000000000000000000000000c1',
      authorId: '1001',
      authorUsername: 'alice',
      text: '@gigclaim claims',
      postedAt: 1_795_253_340_000,
      receivedAt: 1_795_253_400_000,
      source: 'webhook',
      state: 'received',
    },
  ]);
  expect(service.woken()).toBe(1);
});

test('behavior: a signed mention from X is on disk when it is answered', async () => {
  const response = await deliverX(postEvent());
  expect(response.status).toBe(200);
  expect(await stored()).toMatchObject([
    { platform: 'twitter', postId: '2080765813578191303', authorId: '2002', authorUsername: 'bob', state: 'received' },
  ]);
  expect(await service.store.account({ platform: 'twitter', platformUserId: '2002' })).toMatchObject({
    username: 'bob',
  });
});

test('behavior: a redelivered mention is stored once and wakes nobody again', async () => {
  for (let times = 0; times < 3; times += 1) expect((await deliver(castEvent())).status).toBe(200);
  await Promise.all(Array.from({ length: 20 }, () => deliver(castEvent())));
  expect(await stored()).toHaveLength(1);
  expect(service.woken()).toBe(1);
});

test('behavior: any of the current secrets verifies', async () => {
  const body = castEvent();
  expect((await deliver(body, { 'x-neynar-signature': signFarcaster(body, 1) })).status).toBe(200);
});

test.each([
  ['a reaction', castEvent({}, 'reaction.created')],
  ['a deleted cast', castEvent({}, 'cast.deleted')],
  ['a cast that does not name the bot', castEvent({ mentioned_profiles: [] })],
  ['one of the bot’s own casts', castEvent({ author: { fid: 9001, username: 'gigclaim' } })],
  ['a cast older than a day', castEvent({ timestamp: '2026-11-20T09:29:59.000Z' })],
  ['an unknown shape', '{"hello": [1, 2, 3]}'],
  ['a bare value', 'null'],
])('behavior: %s is answered 200 and not stored', async (_, body) => {
  const response = await deliver(body);
  expect(await told(response)).toEqual({ status: 200, body: { ok: true } });
  expect(await stored()).toEqual([]);
  expect(service.woken()).toBe(0);
});

test('security: a missing, wrong or foreign signature is refused, and nothing is stored', async () => {
  const body = castEvent();
  const right = signFarcaster(body);
  const wrong: Record<string, string>[] = [
    {},
    { 'x-neynar-signature': '' },
    { 'x-neynar-signature': right.slice(1) },
    { 'x-neynar-signature': `${right}0` },
    { 'x-neynar-signature': signFarcaster(`${body} `) },
    { 'x-neynar-signature': signTwitter(body) },
    { 'x-twitter-webhooks-signature': right },
  ];
  for (const headers of wrong) {
    const response = await deliver(body, headers);
    expect({ status: response.status, body: published(response, await response.json()) }).toEqual(
      refusal(401, 'Invalid signature'),
    );
  }
  expect((await deliverX(postEvent(), `sha256=${Buffer.alloc(32).toString('base64')}`)).status).toBe(401);
  expect(await stored()).toEqual([]);
});

test('security: the signature is checked over the raw bytes, before anything is parsed', async () => {
  const broken = '{"not json';
  expect((await deliver(broken, { 'x-neynar-signature': 'ff' })).status).toBe(401);
  const spaced = ` ${castEvent()}\n`;
  expect((await deliver(spaced)).status).toBe(200);
  const withMark = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('{}')]);
  expect((await deliver(withMark, { 'x-neynar-signature': signFarcaster('{}') })).status).toBe(401);
});

test('error: a signed body that is not JSON', async () => {
  for (const response of [await deliver('{"not json'), await deliver(''), await deliverX('<html>')]) {
    expect(await told(response)).toEqual(refusal(400, 'Body is not valid JSON'));
  }
});

test('error: a platform that is off has no webhook', async () => {
  const off = await forThisTest(openService());
  const body = castEvent();
  const post = { method: 'POST', body, headers: { 'x-neynar-signature': signFarcaster(body) } };
  for (const response of [
    await off.app.request('/webhooks/farcaster', post),
    await off.app.request('/webhooks/twitter', post),
    await off.app.request('/webhooks/twitter?crc_token=fake-token-of-24-letters'),
  ]) {
    expect(await told(response)).toEqual(refusal(404, 'Not found'));
  }
});

test('error: when the store cannot keep it, the platform is asked to send it again', async () => {
  const failing = await open({
    wrap: (store) => ({
      ...store,
      storeMentions: async () => {
        throw new Error('disk full: /var/lib/secret-path');
      },
    }),
  });
  const response = await deliver(castEvent(), undefined, failing);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(published(response, await response.json())).toEqual({
    error: 'The service cannot process this request right now; try again later',
  });
  expect(failing.woken()).toBe(0);
  expect(failing.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      requestId: 'id-1',
      error: expect.objectContaining({ message: 'disk full: /var/lib/secret-path' }),
    }),
  );
  await failing.close();
});

test('behavior: X’s challenge is answered with the signature of its token', async () => {
  const token = 'ZmFrZS1jcmMtdG9rZW4tZm9yLXRlc3Rz';
  const response = await service.app.request(`/webhooks/twitter?crc_token=${token}`);
  expect(await told(response)).toEqual({ status: 200, body: { response_token: signTwitter(token) } });
  expect(service.logText()).not.toContain(token);
});

test('security: a challenge cannot be used to have an event signed', async () => {
  const forged = postEvent();
  const response = await service.app.request(`/webhooks/twitter?crc_token=${encodeURIComponent(forged)}`);
  expect(response.status).toBe(400);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ error: 'crc_token is missing or malformed', code: 'invalid_request' });
  expect(text).not.toContain('sha256=');
  expect(service.lines).toContainEqual(expect.objectContaining({ level: 'warn', tokenLength: forged.length }));
  expect(service.logText()).not.toContain('post.mention.create');
  expect((await service.app.request('/webhooks/twitter')).status).toBe(400);
});

test('security: a webhook of one platform takes no signature of the other', async () => {
  const body = castEvent();
  const response = await service.app.request('/webhooks/twitter', {
    method: 'POST',
    headers: { 'x-neynar-signature': signFarcaster(body) },
    body,
  });
  expect(response.status).toBe(401);
});

test('behavior: webhooks are not held to the limit of the API', async () => {
  const tight = await open({ config: { rateLimitPerMinute: 1 } });
  for (let times = 0; times < 5; times += 1) {
    expect((await deliver(castEvent(), undefined, tight)).status).toBe(200);
  }
  await tight.close();
});
