import { describe, expect, test } from 'vitest';
import { answering, failureOf, json, openFarcaster, openTwitter, openWire } from './setup.ts';

const PRIMARY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FIRST = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const CUSTODY = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** What is found of FID 1001 when Neynar answers this, and what Neynar was asked. */
async function found(users: unknown, fid = '1001') {
  const wire = await openWire(json({ users }));
  const addresses = await openFarcaster(wire.url).payoutAddresses(fid);
  return { addresses, asked: wire.requests.map(({ method, path }) => `${method} ${path}`) };
}

const user = (verified_addresses: unknown, fid = 1001) => {
  return { object: 'user', fid, username: 'alice', custody_address: CUSTODY, verified_addresses };
};

describe('the address that a Farcaster account is paid at', () => {
  test('behavior: is its primary one', async () => {
    const { addresses, asked } = await found([
      user({ eth_addresses: [FIRST, PRIMARY], primary: { eth_address: PRIMARY } }),
    ]);
    expect(addresses[0]).toBe(PRIMARY.toLowerCase());
    expect(asked).toEqual(['GET /v2/farcaster/user/bulk/?fids=1001']);
  });

  test('behavior: of several the primary one comes first, and each once', async () => {
    const verified = { eth_addresses: [FIRST, PRIMARY, FIRST.toLowerCase()], primary: { eth_address: PRIMARY } };
    expect((await found([user(verified)])).addresses).toEqual([PRIMARY.toLowerCase(), FIRST.toLowerCase()]);
  });

  test.each<[string, unknown]>([
    ['no primary one', { eth_addresses: [FIRST, PRIMARY], primary: { eth_address: null } }],
    ['a primary one on Solana alone', { eth_addresses: [FIRST], primary: { eth_address: null, sol_address: 'abc' } }],
    ['an answer from before there were primary ones', { eth_addresses: [FIRST], sol_addresses: [] }],
    ['a primary one that is no address', { eth_addresses: [FIRST], primary: { eth_address: '0x12' } }],
    ['a primary one that is something else', { eth_addresses: [FIRST], primary: 7 }],
  ])('behavior: with %s is the first one it verified', async (_, verified) => {
    expect((await found([user(verified)])).addresses[0]).toBe(FIRST.toLowerCase());
  });

  test.each<[string, unknown]>([
    ['verified none', { eth_addresses: [], primary: { eth_address: null } }],
    ['has none in the answer', undefined],
    ['has null there', null],
    ['verified something that is no address', { eth_addresses: ['alice.eth'] }],
  ])('security: is none, and never its custody address, when it %s', async (_, verified) => {
    expect((await found([user(verified)])).addresses).toEqual([]);
  });

  test('security: is never another account’s', async () => {
    const other = user({ eth_addresses: [FIRST] }, 1002);
    const own = user({ eth_addresses: [PRIMARY] });
    expect((await found([other])).addresses).toEqual([]);
    expect((await found([other, own])).addresses).toEqual([PRIMARY.toLowerCase()]);
    expect((await found([])).addresses).toEqual([]);
  });

  test('behavior: of something that is no FID is none, and nobody is asked', async () => {
    for (const id of ['', '0', 'alice', '1,2', '99999999999999999999']) {
      expect(await found([user({ eth_addresses: [FIRST] })], id)).toEqual({ addresses: [], asked: [] });
    }
  });

  test.each<[number, string, string]>([
    [500, '{}', 'server_error'],
    [429, '{}', 'rate_limited'],
    [401, '{}', 'unauthorized'],
    [200, '<html>', 'bad_response'],
    [200, '{"users":[{"fid":"1001"}]}', 'bad_response'],
  ])('error: an answer with status %d and %s is a failure and not “none”', async (status, body, reason) => {
    const { url } = await openWire(answering(status, body));
    expect(await failureOf(openFarcaster(url).payoutAddresses('1001'))).toMatchObject({ reason });
  });
});

test('behavior: X knows of no addresses, and is not asked', async () => {
  const wire = await openWire(json({}, 500));
  const twitter = await openTwitter(wire.url);
  expect([await twitter.payoutAddresses('2002'), await twitter.primaryAddress('2002')]).toEqual([[], null]);
  expect(wire.requests).toEqual([]);
});

describe('the primary address of a Farcaster account, where a tap is paid', () => {
  const primaryOf = async (verified: unknown) => {
    const { url } = await openWire(json({ users: [user(verified)] }));
    return await openFarcaster(url).primaryAddress('1001');
  };

  test('behavior: is the one that it chose, in lower case', async () => {
    const verified = { eth_addresses: [FIRST, PRIMARY], primary: { eth_address: PRIMARY } };
    expect(await primaryOf(verified)).toBe(PRIMARY.toLowerCase());
  });

  test.each<[string, unknown]>([
    ['none is chosen', { eth_addresses: [FIRST, PRIMARY], primary: { eth_address: null } }],
    ['the one on Solana is', { eth_addresses: [FIRST], primary: { eth_address: null, sol_address: 'abc' } }],
    ['the answer is from before there were primary ones', { eth_addresses: [FIRST], sol_addresses: [] }],
    ['it is no address', { eth_addresses: [FIRST], primary: { eth_address: '0x12' } }],
    ['it is something else', { eth_addresses: [FIRST], primary: 7 }],
    ['nothing is verified', undefined],
  ])('security: is none where %s, and never another verified one', async (_, verified) => {
    expect(await primaryOf(verified)).toBeNull();
  });

  test('error: an answer that cannot be read is a failure and not “none”', async () => {
    const { url } = await openWire(answering(200, '{"users":[{"fid":"1001"}]}'));
    expect(await failureOf(openFarcaster(url).primaryAddress('1001'))).toMatchObject({ reason: 'bad_response' });
  });
});

describe('a post on X that claims', () => {
  const ID = '2080765813578191303';
  const lookUp = async (data: Record<string, unknown>) => {
    const known = { id: ID, author_id: '2002', created_at: '2026-11-21T09:29:00.000Z', edit_history_tweet_ids: [ID] };
    const { url } = await openWire(json({ data: { ...known, ...data } }));
    return await (await openTwitter(url)).lookUpPost(`https://x.com/bob/status/${ID}`);
  };

  test('security: by reposting somebody else’s words says nothing itself', async () => {
    const text = `RT @mallory: claim my rewards ${FIRST}`;
    const found = await lookUp({ text, referenced_tweets: [{ type: 'retweeted', id: '2080765813578191000' }] });
    expect(found).toMatchObject({ authorId: '2002', text: '' });
  });

  test('security: by quoting says only its own words', async () => {
    const quote = { type: 'quoted', id: '2080765813578191000' };
    const found = await lookUp({ text: 'look at this', referenced_tweets: [quote] });
    expect(found).toMatchObject({ authorId: '2002', text: 'look at this' });
  });
});
