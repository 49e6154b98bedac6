import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { createFarcaster } from '../../../src/platforms/farcaster/adapter.ts';
import { FARCASTER } from '../../platforms/setup.ts';
import { openReceiver, send } from './receiver.ts';

describe('the local Farcaster', () => {
  let network: FarcasterNetwork;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;

  beforeEach(async () => {
    network = createFarcasterNetwork(FARCASTER);
    network.addUser({ id: '1001', username: 'alice', verifiedAddresses: [`0x${'a'.repeat(40)}`] });
    receiver = await openReceiver();
    await network.start();
    network.setWebhook(receiver.url);
  });
  afterEach(async () => {
    await network.stop();
    await receiver.close();
  });

  const client = () => createFarcaster({ ...FARCASTER, baseUrl: network.url, clock: Date.now });
  const key = { 'x-api-key': FARCASTER.apiKey };
  /** Reads a path of Neynar's with the key. */
  const get = (path: string) => send('GET', `${network.url}/v2/farcaster/${path}`, undefined, key);

  test('behavior: delivers mentions and direct replies, signed as the service expects, and nothing else', async () => {
    const farcaster = await client();
    const asked = network.post({ author: 'alice', text: 'hey @gigclaim claims' });
    const own = network.post({ author: 'gigclaim', text: '@gigclaim is me' });
    const answer = network.post({ author: '1001', text: 'thanks', replyTo: own.id });
    network.post({ author: 'alice', text: 'mail me at alice@gigclaim' });
    await network.settled();
    const mentions = receiver.received.flatMap(({ body, headers }) => {
      const signature = headers['x-neynar-signature'];
      expect(farcaster.verify(body, typeof signature === 'string' ? signature : undefined)).toBe(true);
      return farcaster.parse(body).filter((event) => event.kind === 'mention');
    });
    expect(mentions.map(({ postId }) => postId).sort()).toEqual([asked.id, answer.id].sort());
    expect(mentions.find(({ postId }) => postId === answer.id)?.threadId).toBe(own.id);
  });

  test('behavior: a post is delivered again as often as asked, with the same bytes', async () => {
    const { id } = network.post({ author: 'alice', text: '@gigclaim claims' });
    await network.settled();
    expect(await network.redeliver(id, 2)).toEqual([200, 200]);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  test.each([
    ['normal', 1],
    ['twice', 2],
    ['late', 1],
    ['never', 0],
  ] as const)('behavior: with webhooks %s an event arrives %i times', async (webhook, times) => {
    Object.assign(network.faults, { webhook, lateMs: 20 });
    network.post({ author: 'alice', text: '@gigclaim claims' });
    await network.settled();
    expect(receiver.received).toHaveLength(times);
  });

  test('behavior: webhooks are made, switched off and listed as Neynar does it', async () => {
    network.setWebhook(null);
    const sdk = new NeynarAPIClient(new Configuration({ apiKey: FARCASTER.apiKey, basePath: network.url }));
    const filters = { mentioned_fids: [9001], parent_author_fids: [9001], exclude_author_fids: [9001] };
    const subscription = { 'cast.created': filters };
    const made = await sdk.publishWebhook({ name: 'bot', url: receiver.url, subscription });
    const webhookId = made.webhook?.webhook_id ?? '';
    network.post({ author: 'alice', text: '@gigclaim one' });
    await network.settled();
    await sdk.updateWebhookActiveStatus({ webhookId, active: 'false' });
    network.post({ author: 'alice', text: '@gigclaim two' });
    await network.settled();
    expect(receiver.received).toHaveLength(1);
    const { webhooks } = await sdk.fetchWebhooks();
    expect(webhooks.map(({ active, target_url }) => [active, target_url])).toEqual([[false, receiver.url]]);
    const farcaster = await client();
    const [, check] = await farcaster.check(receiver.url);
    expect(check?.detail).toBe(`The webhook for ${receiver.url} is not active`);
    const half = { 'cast.created': { mentioned_fids: [9001] } };
    await sdk.updateWebhook({ webhookId, name: 'bot', url: receiver.url, subscription: half });
    await sdk.updateWebhookActiveStatus({ webhookId, active: 'true' });
    expect((await farcaster.check(receiver.url))[1]?.ok).toBe(false);
  });

  test('error: a wrong key, signer, body or route is refused as Neynar refuses it', async () => {
    const cast = `${network.url}/v2/farcaster/cast/`;
    const body = { signer_uuid: FARCASTER.signerUuid, text: 'hello' };
    expect((await send('POST', cast, body)).status).toBe(401);
    expect((await send('POST', cast, body, { 'x-api-key': 'another' })).status).toBe(401);
    expect((await send('POST', cast, { ...body, signer_uuid: 'another' }, key)).status).toBe(403);
    expect((await send('POST', cast, { post_cast_req_body: body }, key)).status).toBe(400);
    expect((await send('POST', cast, { ...body, text: 'x'.repeat(1025) }, key)).status).toBe(400);
    const parent = network.post({ author: 'alice', text: 'hello' }).id;
    expect((await send('POST', cast, { ...body, parent, parent_author_fid: 5 }, key)).status).toBe(400);
    const lost = await send('GET', `${network.url}/v2/v2/farcaster/cast/`, undefined, key);
    expect([lost.status, lost.json]).toEqual([
      404,
      { code: 'NotFound', message: 'no route GET /v2/v2/farcaster/cast' },
    ]);
    expect(network.posts()).toHaveLength(1);
  });

  test('behavior: an unknown cast is a 400, and a path is the same with and without a slash at its end', async () => {
    const { id } = network.post({ author: 'alice', text: 'hello' });
    const unknown = `0x${'0'.repeat(40)}`;
    const message = 'Cast not found';
    for (const path of ['cast', 'cast/', 'cast/conversation', 'cast/conversation/']) {
      const look = (identifier: string) => get(`${path}?type=hash&identifier=${identifier}`);
      expect((await look(id)).status).toBe(200);
      expect(await look(unknown)).toMatchObject({ status: 400, json: { message } });
    }
    for (const path of ['webhook/list', 'webhook/list/', 'signer/?signer_uuid=x', 'user/bulk?fids=1001']) {
      expect((await get(path)).status).toBe(path.startsWith('signer') ? 404 : 200);
    }
    for (const [index, path] of ['cast', 'cast/'].entries()) {
      const body = { signer_uuid: FARCASTER.signerUuid, text: `hello ${index}` };
      Object.assign(network.faults, { api: 'rate_limited', route: 'reply', remaining: 1 });
      expect((await send('POST', `${network.url}/v2/farcaster/${path}`, body, key)).status).toBe(429);
      expect((await send('POST', `${network.url}/v2/farcaster/${path}`, body, key)).status).toBe(200);
    }
  });

  test('behavior: shows verified addresses', async () => {
    const { json } = await get('user/by_username/?username=alice');
    const address = `0x${'a'.repeat(40)}`;
    expect(json).toMatchObject({
      user: { fid: 1001, verified_addresses: { eth_addresses: [address], primary: { eth_address: address } } },
    });
  });

  test.each([
    ['rate_limited', 'rate_limited', 'safe'],
    ['payment_required', 'payment_required', 'safe'],
    ['unauthorized', 'unauthorized', 'safe'],
    ['server_error', 'server_error', 'unknown'],
    ['html', 'server_error', 'unknown'],
    ['hang', 'timeout', 'unknown'],
    ['drop_answer', 'unreachable', 'unknown'],
  ] as const)('error: the fault %s hits replies alone, as often as told', async (api, reason, retry) => {
    const farcaster = await createFarcaster({ ...FARCASTER, baseUrl: network.url, clock: Date.now, timeoutMs: 300 });
    const { id, threadId } = network.post({ author: 'alice', text: '@gigclaim claims' });
    Object.assign(network.faults, { api, route: 'reply', remaining: 1 });
    expect(await farcaster.findReply({ replyTo: id, threadId })).toBeNull();
    const sending = { idem: '0123456789abcdef', notAfter: Number.MAX_SAFE_INTEGER };
    const reply = { replyTo: id, authorId: '1001', text: 'hello', ...sending };
    await expect(farcaster.reply(reply)).rejects.toMatchObject({ reason, retry });
    expect(network.repliesTo(id)).toHaveLength(api === 'drop_answer' ? 1 : 0);
    await farcaster.reply(reply);
    expect(network.repliesTo(id)).toHaveLength(1);
  });
});
