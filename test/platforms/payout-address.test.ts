import { afterEach, describe, expect, test } from 'vitest';
import { answering, failureOf, openFarcaster, openTwitter, openWire, type Wire } from './setup.ts';

const PRIMARY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FIRST = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const CUSTODY = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

/** What is found of FID 1001 when Neynar answers this. */
async function addressOf(users: unknown, fid = '1001'): Promise<string | null> {
  wire = await openWire(answering(200, JSON.stringify({ users })));
  return (await (await openFarcaster(wire.url)).payoutAddresses(fid))[0] ?? null;
}

const user = (verified_addresses: unknown, fid = 1001) => ({
  object: 'user',
  fid,
  username: 'alice',
  custody_address: CUSTODY,
  verified_addresses,
});

describe('the address that a Farcaster account is paid at', () => {
  test('behavior: is its primary one', async () => {
    const eth_addresses = [FIRST, PRIMARY];
    expect(await addressOf([user({ eth_addresses, primary: { eth_address: PRIMARY } })])).toBe(PRIMARY.toLowerCase());
    expect(wire?.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v2/farcaster/user/bulk/?fids=1001',
    ]);
  });

  test('behavior: of several the primary one comes first, and each once', async () => {
    const verified = { eth_addresses: [FIRST, PRIMARY, FIRST.toLowerCase()], primary: { eth_address: PRIMARY } };
    wire = await openWire(answering(200, JSON.stringify({ users: [user(verified)] })));
    const found = await (await openFarcaster(wire.url)).payoutAddresses('1001');
    expect(found).toEqual([PRIMARY.toLowerCase(), FIRST.toLowerCase()]);
  });

  test.each<[string, unknown]>([
    ['no primary one', { eth_addresses: [FIRST, PRIMARY], primary: { eth_address: null } }],
    ['a primary one on Solana alone', { eth_addresses: [FIRST], primary: { eth_address: null, sol_address: 'abc' } }],
    ['an answer from before there were primary ones', { eth_addresses: [FIRST], sol_addresses: [] }],
    ['a primary one that is no address', { eth_addresses: [FIRST], primary: { eth_address: '0x12' } }],
    ['a primary one that is something else', { eth_addresses: [FIRST], primary: 7 }],
  ])('behavior: with %s is the first one it verified', async (_, verified) => {
    expect(await addressOf([user(verified)])).toBe(FIRST.toLowerCase());
  });

  test.each<[string, unknown]>([
    ['verified none', { eth_addresses: [], primary: { eth_address: null } }],
    ['has none in the answer', undefined],
    ['has null there', null],
    ['verified something that is no address', { eth_addresses: ['alice.eth'] }],
  ])('security: is none, and never its custody address, when it %s', async (_, verified) => {
    expect(await addressOf([user(verified)])).toBeNull();
  });

  test('security: is never another account’s', async () => {
    const other = user({ eth_addresses: [FIRST] }, 1002);
    expect(await addressOf([other])).toBeNull();
    await wire?.close();
    expect(await addressOf([other, user({ eth_addresses: [PRIMARY] })])).toBe(PRIMARY.toLowerCase());
    await wire?.close();
    expect(await addressOf([])).toBeNull();
  });

  test('behavior: of something that is no FID is none, and nobody is asked', async () => {
    for (const id of ['', '0', 'alice', '1,2', '99999999999999999999']) {
      expect(await addressOf([user({ eth_addresses: [FIRST] })], id)).toBeNull();
      expect(wire?.requests).toEqual([]);
      await wire?.close();
    }
  });

  test.each<[number, string, string]>([
    [500, '{}', 'server_error'],
    [429, '{}', 'rate_limited'],
    [401, '{}', 'unauthorized'],
    [200, '<html>', 'bad_response'],
    [200, '{"users":[{"fid":"1001"}]}', 'bad_response'],
  ])('error: an answer with status %d and %s is a failure and not “none”', async (status, body, reason) => {
    wire = await openWire(answering(status, body));
    const failure = await failureOf((await openFarcaster(wire.url)).payoutAddresses('1001'));
    expect(failure.reason).toBe(reason);
  });
});

test('behavior: X knows of no addresses, and is not asked', async () => {
  wire = await openWire(answering(500, '{}'));
  expect(await (await openTwitter(wire.url)).payoutAddresses('2002')).toEqual([]);
  expect(wire.requests).toEqual([]);
});

describe('a post on X that claims', () => {
  const ID = '2080765813578191303';
  const lookUp = async (data: Record<string, unknown>) => {
    const known = { id: ID, author_id: '2002', created_at: '2026-11-21T09:29:00.000Z', edit_history_tweet_ids: [ID] };
    const post = { ...known, ...data };
    wire = await openWire(answering(200, JSON.stringify({ data: post })));
    return await (await openTwitter(wire.url)).lookUpPost(`https://x.com/bob/status/${ID}`);
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
