import { describe, expect, test } from 'vitest';
import { openActs } from './acts.ts';
import { byPath, FARCASTER, failureOf, json, NOW, openFarcaster, openTwitter, openWire, TWITTER } from './setup.ts';

const FIRST = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const HASH = `0x${'c2'.repeat(20)}`;
const URL = 'https://gigs.example/webhooks/farcaster';

async function facing(body: object): Promise<string> {
  return (await openWire(json(body))).url;
}

describe('an entry that is not understood costs no other', () => {
  test.each([
    { eth_addresses: [FIRST, '0x123'] },
    { eth_addresses: ['0x123', null, 7, FIRST] },
    { eth_addresses: [FIRST], primary: [] },
  ])('error: of an account’s addresses: %j', async (verified_addresses) => {
    const farcaster = openFarcaster(await facing({ users: [{ fid: 1001, verified_addresses }] }));
    expect(await farcaster.payoutAddresses('1001')).toEqual([FIRST.toLowerCase()]);
  });

  test.each([{ fid: 'x' }, null, { fid: 1002, verified_addresses: [] }, 'nothing'])(
    'error: another account in the answer: %j',
    async (odd) => {
      const users = [odd, { fid: 1001, verified_addresses: { eth_addresses: [FIRST] } }];
      const url = await facing({ users });
      expect(await openFarcaster(url).payoutAddresses('1001')).toEqual([FIRST.toLowerCase()]);
      const found = await openActs(url).readAccounts(['1001', '1003'], { following: null });
      expect([...found.values()].map(({ addresses }) => addresses)).toEqual([[FIRST.toLowerCase()]]);
    },
  );

  test('security: an answer of which nothing is understood is no answer', async () => {
    const url = await facing({ users: [{ fid: '1001' }] });
    expect((await failureOf(openFarcaster(url).payoutAddresses('1001'))).reason).toBe('bad_response');
    const facts = openActs(url).readAccounts(['1001'], { following: null });
    expect((await failureOf(facts)).reason).toBe('bad_response');
  });

  test('security: an account of which is not told whether it follows costs no other, and is no stranger', async () => {
    const users = [{ fid: 1001, viewer_context: { followed_by: true } }, { fid: 1002 }];
    const found = await openActs(await facing({ users })).readAccounts(['1001', '1002'], { following: '5' });
    expect([...found.values()].map(({ follows }) => follows)).toEqual([true, null]);
  });

  test('error: a notification, and a reply in a conversation', async () => {
    const cast = {
      hash: HASH,
      text: '@gigclaim claims',
      author: { fid: 7 },
      timestamp: new Date(NOW).toISOString(),
      mentioned_profiles: [null, { fid: FARCASTER.botFid }],
    };
    const notifications = [null, 5, { most_recent_timestamp: 7, cast }, { cast: {} }];
    const poll = await openFarcaster(await facing({ notifications })).pollEvents({ cursor: null, since: NOW });
    expect(poll.events.map(({ postId }) => postId)).toEqual([HASH]);
    const own = { hash: HASH, author: { fid: FARCASTER.botFid } };
    const direct_replies = [null, { hash: 'x', author: { fid: 1 } }, { hash: HASH }, own];
    const farcaster = openFarcaster(await facing({ conversation: { cast: { hash: HASH, direct_replies } } }));
    expect(await farcaster.findReply({ replyTo: HASH, threadId: HASH })).toBe(HASH);
  });

  test('error: a cast in a bulk answer', async () => {
    const casts = [{ hash: 7 }, null, { hash: HASH, text: 'hi' }];
    const acts = openActs(await facing({ result: { casts } }));
    expect(await acts.readTexts([HASH])).toEqual(new Map([[HASH, 'hi']]));
  });

  test('error: a webhook, a FID of its filters, and a secret', async () => {
    const { botFid } = FARCASTER;
    const filters = { 'cast.created': { mentioned_fids: ['x', null, botFid], parent_author_fids: [botFid] } };
    const ours = { webhook_id: 'w1', target_url: URL, active: true, subscription: { filters } };
    const webhooks = [{ webhook_id: 5 }, null, { ...ours, webhook_id: 'w2', subscription: 7 }, ours];
    const listed = await openFarcaster(await facing({ webhooks })).listWebhooks();
    expect(listed.map(({ id, events }) => [id, events.length])).toEqual([
      ['w2', 0],
      ['w1', 2],
    ]);
    const secrets = [{ value: '' }, null, { value: 'new-secret' }];
    const kept = { success: true, webhook: { webhook_id: 'w1', active: true, secrets } };
    const { url } = await openWire(byPath((path) => (path.includes('/list') ? { webhooks } : kept)));
    expect(await openFarcaster(url).registerWebhook(URL)).toMatchObject({ secret: 'new-secret' });
  });

  test('error: the FID of the signer', async () => {
    const url = await facing({ status: 'approved', fid: 'x', webhooks: [] });
    const [signer] = await openFarcaster(url).check(URL);
    expect(signer?.detail).toBe('The signer belongs to FID none, not to 9001');
  });

  test('error: on X, a webhook, a subscription and a user', async () => {
    const url = 'https://gigs.example/webhooks/twitter';
    const event = { event_type: 'post.mention.create', filter: { user_id: TWITTER.botUserId } };
    const subscriptions = [{ subscription_id: 'x' }, null, { subscription_id: '3', ...event, webhook_id: '2' }];
    const wire = await openWire(
      byPath((path) => {
        if (path.startsWith('/oauth2')) return { token_type: 'bearer', access_token: 'fake' };
        const webhooks = [{ id: 'x' }, null, { id: '2', url, valid: true }];
        return { data: path.startsWith('/2/webhooks') ? webhooks : subscriptions };
      }),
    );
    expect(await (await openTwitter(wire.url)).listWebhooks()).toEqual([
      { id: '2', url, active: true, events: ['post.mention.create'] },
    ]);
  });
});
