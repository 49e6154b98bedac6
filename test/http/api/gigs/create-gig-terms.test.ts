import { beforeAll, expect, test } from 'vitest';
import { placeCode } from '../../../support/anvil.ts';
import { forThisTest, openService, service, shareService } from '../../service.ts';
import { create, invalid, knowDegen, refusal, TERMS, told } from '../../terms.ts';

const CAST = 'https://farcaster.xyz/alice/0x1234abcd';
const POST = 'https://x.com/alice/status/1541815603606036480';

const CHAIN = 'chain must be the key of a chain, such as base';
const ADDRESS =
  'token_address must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum';
const AMOUNT = 'amount must be a positive decimal number such as 10 or "0.5", without sign or exponent';
const START = 'start_time must be an ISO 8601 time with its zone, such as 2027-03-01T15:00:00Z';
const AHEAD = 'start_time must be at most a year in the future';
const DURATION = 'duration must be one of 1day, 3days, 1week, 2weeks, 3months, 6months';
const TYPE = 'gig_type must be one of mention, like, recast, boost, reply, follow, custom_bounty, hold';
const PLATFORM = 'platform must be one of farcaster, x, twitter';
const CAST_URL = "url must be the URL of a post on the gig's platform, such as https://farcaster.xyz/alice/0x1234abcd";
const POST_URL = "url must be the URL of a post on the gig's platform, such as https://x.com/alice/status/123";
/** Of an account, which follow and mention gigs may be about. */
const PROFILES = ['https://farcaster.xyz/alice', 'https://x.com/alice'];
const USER_ID =
  'platform_user_id must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits, as a string if it has more than 15; GET /api/accounts finds the id of a handle';

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

const refuse = async (terms: object, details: readonly string[]) => {
  const before = await service.store.gigs({ phase: 'all', now: 0, limit: 1 });
  expect(await told(service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }))).toEqual(invalid(...details));
  expect(await service.store.gigs({ phase: 'all', now: 0, limit: 1 })).toEqual(before);
};

test.each<[field: string, values: unknown[], problem: string]>([
  ['chain', [undefined, null, '', 8453, ['anvil']], CHAIN],
  [
    'token_address',
    [
      ...[undefined, null, '', 42, 'degen.eth', '4ed4E862860beD51a9570b96d89aF5E1B0Efefed'],
      ...['0x4ed4E862860beD51a9570b96d89aF5E1B0Efefe', '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed0'],
      ...['0x4Ed4E862860beD51a9570b96d89aF5E1B0Efefed', ' 0x4ed4e862860bed51a9570b96d89af5e1b0efefed'],
      '0x4ed4e862860bed51a9570b96d89af5e1b0efefeg',
    ],
    ADDRESS,
  ],
  [
    'amount',
    [
      ...[undefined, null, true, [], {}, 0, -1, -0.5, 1e21, '', ' ', '0', '0.0', '-1', '+1', '1e3', '1E3', '1e-3'],
      ...[
        'NaN',
        'Infinity',
        '-Infinity',
        'null',
        '0x10',
        '1,5',
        '1_000',
        '1.',
        '.5',
        '01',
        '1 ',
        ' 1',
        '1.5.5',
        '１０',
      ],
      ...['1'.repeat(161), `0.${'0'.repeat(400)}1`],
    ],
    AMOUNT,
  ],
  [
    'start_time',
    [
      ...[undefined, null, 1_795_339_800_000, '', 'tomorrow'],
      ...['2026-11-22', '2026-11-22T09:30:00', '2026-11-22 09:30:00Z'],
      ...['2026-13-01T00:00:00Z', '2026-02-29T00:00:00Z', '2026-11-22T25:00:00Z', '2026-11-22T09:30:00+99:00'],
      '22.11.2026 09:30 UTC',
    ],
    START,
  ],
  [
    'start_time',
    ['2027-02-29T15:00Z', '2027-03-01T24:00Z', '2027-03-01T15Z', '2027-03-01T15:00', '2027-03-01T15:0Z'],
    START,
  ],
  [
    'start_time',
    [
      ...['2019-12-31T23:59:59.999Z', '2020-01-01T00:00+00:01', '1999-01-01T00:00:00Z'],
      ...['1970-01-21T19:58:33Z', '0001-01-01T00:00Z'],
    ],
    'start_time must not be before the year 2020',
  ],
  ['start_time', ['2027-11-21T09:30:00.001Z', '2027-11-21T10:30:01+01:00', '9999-12-31T23:59:59Z'], AHEAD],
  ['duration', [undefined, null, '', '2days', '1Day', 86_400_000, 'toString'], DURATION],
  ['gig_type', [undefined, null, '', 'retweet', 'Mention', 3], TYPE],
  ['platform', [null, '', 'X', 'bluesky', 1, '__proto__'], PLATFORM],
  ['how_to_earn', [5, 'a'.repeat(2001), ['text']], 'how_to_earn must be a string of at most 2000 characters'],
  ['earning_criteria', [5, true, ['text']], 'earning_criteria must be a string or an object of rules'],
  ['earning_criteria', ['a'.repeat(2001)], 'earning_criteria must be a string of at most 2000 characters'],
  ['verifier', [5, 'a'.repeat(501), false], 'verifier must be a string of at most 500 characters'],
  ['url', [5, `https://x.com/${'a'.repeat(500)}`, [CAST]], 'url must be a string of at most 500 characters'],
  [
    'owners',
    [null, 'alice', {}, 5],
    'owners must be a list of accounts, each like {"platform":"farcaster","platform_user_id":"1001"}',
  ],
])('error: %s is refused in %j', async (field, values, problem) => {
  for (const value of values) await refuse({ [field]: value }, [problem]);
});

test('error: every problem of the terms is told at once, those of the owners by their place', async () => {
  const bad = { platform: 'x', platform_user_id: 2 ** 60, username: 'a b' };
  await refuse(
    {
      chain: '',
      token_address: '0x',
      amount: '1e3',
      start_time: 'soon',
      duration: 'ever',
      gig_type: 'steal',
      how_to_earn: 1,
      earning_criteria: 2,
      url: 3,
      platform: 'y',
      verifier: 4,
      owners: [{ platform: 'x', platform_user_id: '1' }, {}, 'alice', bad],
    },
    [
      ...[CHAIN, ADDRESS, AMOUNT, START, DURATION, TYPE],
      'how_to_earn must be a string of at most 2000 characters',
      'earning_criteria must be a string or an object of rules',
      'url must be a string of at most 500 characters',
      PLATFORM,
      'verifier must be a string of at most 500 characters',
      `owners[1].${PLATFORM}`,
      `owners[1].${USER_ID}`,
      'owners[2] must be an object',
      `owners[3].${USER_ID}`,
      'owners[3].username must be a handle: 1 to 64 letters, digits, _, . or -',
    ],
  );
  await refuse(
    { gig_type: 'custom_bounty', start_time: '2030-01-01T00:00:00Z', url: 'https://example.com', owners: 7 },
    [
      'owners must be a list of accounts, each like {"platform":"farcaster","platform_user_id":"1001"}',
      AHEAD,
      CAST_URL,
      'how_to_earn is required for custom_bounty gigs',
      'verifier is required for custom_bounty gigs',
    ],
  );
});

test('error: the body must be an object, and JSON', async () => {
  for (const body of ['null', '[]', '5', '"text"', '[{"chain":"anvil"}]']) {
    expect(await told(service.send('POST', '/api/gigs/create', body))).toEqual(
      invalid('The body must be a JSON object'),
    );
  }
  for (const body of ['', '{', '{"amount": NaN}', '{"amount": 1e}', "{'chain': 'anvil'}"]) {
    expect(await told(service.send('POST', '/api/gigs/create', body))).toMatchObject(
      refusal(400, expect.stringMatching(/^Body is not valid JSON: send \{"chain":"base",/)),
    );
  }
  // Nothing is a field that the body does not hold itself.
  const inherited = `{"__proto__":${JSON.stringify(TERMS)}}`;
  expect(await told(service.send('POST', '/api/gigs/create', inherited))).toMatchObject({
    body: { details: [CHAIN, ADDRESS, AMOUNT, START, DURATION, TYPE] },
  });
});

test('error: an amount must fit into the token, with its fee', async () => {
  const max = '115792089237316195423570985008687907853269984665640564039457.584007913129639935';
  await refuse({ amount: '0.0000000000000000001' }, ['amount has more decimals than DEGEN, which has 18']);
  await refuse({ amount: '1.0000000000000000000' }, ['amount has more decimals than DEGEN, which has 18']);
  await refuse({ amount: 1e-19 }, ['amount has more decimals than DEGEN, which has 18']);
  await refuse({ amount: max }, ['amount and its fee together are more than a token can count']);
  const beyond = '115792089237316195423570985008687907853269984665640564039457.584007913129639936';
  await refuse({ amount: beyond }, ['amount is more than a token can count']);
  await refuse({ amount: '9'.repeat(160) }, ['amount is more than a token can count']);
});

test.each(['like', 'recast', 'boost', 'reply'])('error: a gig of type %s is about a post', async (type) => {
  for (const url of [undefined, null, '', '  \n ']) {
    await refuse({ gig_type: type, url }, [`url is required for ${type} gigs`]);
  }
});

test.each<[platform: string, problem: string, urls: string[]]>([
  [
    'farcaster',
    CAST_URL,
    [
      ...[POST, 'alice', 'ftp://farcaster.xyz/alice/0x1234abcd', 'https://farcaster.xyz.example.com/alice/0x1234abcd'],
      ...['https://farcaster.xyz@example.com/alice/0x1234abcd', 'https://farcaster.xyz/alice', 'javascript:alert(1)'],
      ...['https://farcaster.xyz:8443/alice/0x1234abcd', 'https://example.com/?https://farcaster.xyz/alice/0x1234abcd'],
    ],
  ],
  [
    'x',
    POST_URL,
    [
      ...[CAST, 'https://x.com/alice', 'ftp://x.com/alice/status/1', 'https://x.com/alice/status/abc'],
      ...['https://x.com.example.com/alice/status/1', 'https://example.com/alice/status/1'],
      ...['https://x.com/alice/likes/1', 'https://user:pass@x.com/alice/status/1', 'x.com:8443/alice/status/1'],
    ],
  ],
])('error: the url of a gig on %s is that of a post there', async (platform, problem, urls) => {
  for (const url of urls) await refuse({ platform, gig_type: 'like', url }, [problem]);
  const wider = problem.replace('a post', 'a profile or a post');
  for (const url of urls.filter((each) => !PROFILES.includes(each))) {
    for (const gigType of ['mention', 'follow']) await refuse({ platform, gig_type: gigType, url }, [wider]);
  }
});

test('error: at most twenty owners', async () => {
  const owner = (id: number) => ({ platform: 'farcaster', platform_user_id: id });
  const owners = Array.from({ length: 21 }, (_, index) => owner(index + 1));
  await refuse({ owners }, ['owners must be at most 20 accounts']);
  const { gig_id: id } = await create(service, { owners: owners.slice(1) });
  expect(await service.store.gigOwners(id)).toHaveLength(20);
});

test('error: where earning on X is off, a gig there is refused with how to turn it on', async () => {
  const other = await forThisTest(openService({ config: { earningOnX: false } }));
  await knowDegen(other);
  for (const platform of ['x', 'twitter']) {
    expect(await told(other.send('POST', '/api/gigs/create', { ...TERMS, platform }))).toEqual(
      invalid(
        'platform: earning on X is off here, because X forbids paying for posts; the operator can allow it with ALLOW_X_EARNING=true',
      ),
    );
  }
  expect((await create(other, { platform: 'farcaster' })).gig_id).toBe(1);
});

test.each<[terms: Record<string, unknown>, kept: object]>([
  [{ start_time: '2026-11-22T10:30:00.5+01:00' }, { startTime: 1_795_339_800_500 }],
  [{ start_time: '2027-11-21T09:30:00Z' }, { startTime: 1_826_789_400_000 }],
  [{ start_time: '2020-01-01T00:00:00Z' }, { startTime: 1_577_836_800_000, endTime: 1_578_441_600_000 }],
  [{ start_time: '2027-03-01T15:00Z' }, { startTime: 1_803_913_200_000 }],
  [{ start_time: '2027-03-01T15:00+01:30' }, { startTime: 1_803_907_800_000 }],
  ...['farcaster.xyz/Alice/0x1234abcd?x=1', 'http://www.farcaster.xyz/alice/0x1234ABCD#x'].map(
    (url): [Record<string, unknown>, object] => [
      { gig_type: 'like', url },
      { externalUrl: 'https://farcaster.xyz/alice/0x1234abcd' },
    ],
  ),
  [{ duration: '1day' }, { duration: 86_400_000 }],
  [{ duration: '3days' }, { duration: 259_200_000 }],
  [{ duration: '2weeks' }, { duration: 1_209_600_000 }],
  [{ duration: '3months' }, { duration: 7_776_000_000 }],
  [{ duration: '6months' }, { duration: 15_552_000_000 }],
  [
    { gig_type: 'follow', platform: 'x' },
    { gigType: 'follow', platform: 'twitter', externalUrl: null },
  ],
  [
    { gig_type: 'like', url: CAST },
    { gigType: 'like', platform: 'farcaster', externalUrl: CAST },
  ],
  [
    { gig_type: 'like', platform: 'twitter', url: ` ${POST} ` },
    { platform: 'twitter', externalUrl: POST },
  ],
  [
    { gig_type: 'boost', platform: 'x', url: 'https://X.com/alice/sta\ntus/1541815603606036480' },
    { externalUrl: POST },
  ],
  ...['?s=20', '?s=20&t=abc#top', '/', '/photo/1', '/photo/1?s=20'].map(
    (more): [terms: Record<string, unknown>, kept: object] => [
      { gig_type: 'like', platform: 'x', url: `${POST}${more}` },
      { externalUrl: POST },
    ],
  ),
  [
    { gig_type: 'like', platform: 'x', url: 'https://mobile.twitter.com/i/web/status/1541815603606036480?s=20' },
    { externalUrl: 'https://x.com/i/status/1541815603606036480' },
  ],
  [{ gig_type: 'recast', url: 'https://www.warpcast.com/Alice/0x1234ABCD/?utm=1#x' }, { externalUrl: CAST }],
  [
    { gig_type: 'recast', url: `https://warpcast.com/~/conversations/0x${'AB'.repeat(20)}/` },
    { externalUrl: `https://farcaster.xyz/~/conversations/0x${'ab'.repeat(20)}` },
  ],
  [{ url: `${CAST}?utm=1` }, { gigType: 'mention', externalUrl: CAST }],
  [
    { gig_type: 'custom_bounty', how_to_earn: ' Draw a cat. ', earning_criteria: '', verifier: '0x00' },
    { gigType: 'custom_bounty', howToEarn: 'Draw a cat.', earningCriteria: null, verifier: '0x00' },
  ],
  [
    { how_to_earn: 'a'.repeat(2000), verifier: 'b'.repeat(500) },
    { howToEarn: 'a'.repeat(2000), verifier: 'b'.repeat(500) },
  ],
  [{ owners: [], unknown_field: 'is ignored' }, { gigType: 'mention' }],
])('behavior: terms %j are kept', async (terms, kept) => {
  const { gig_id: id } = await create(service, terms);
  expect(await service.store.gig(id)).toMatchObject(kept);
});

test('security: nor to a token that the service does not know, which its chain does; a wallet that is a contract may be named', async () => {
  const LOSES =
    'refund_address must be the address of a wallet that you control, not the zero address, a token or a wallet of this service';
  // The first answers everything with one word, as a token answers a balance; the second answers nothing.
  const token = await placeCode('0x600160005260206000f3');
  const wallet = await placeCode('0x00');
  await refuse({ refund_address: token }, [LOSES]);
  const { gig_id: id } = await create(service, { refund_address: wallet });
  expect((await service.store.gig(id))?.refundAddress).toBe(wallet);
  const changed = await service.send('PATCH', `/api/gigs/${id}`, { refund_address: token });
  expect(changed.status).toBe(400);
  expect((await service.store.gig(id))?.refundAddress).toBe(wallet);
});

test('security: money cannot be said to return to where it is lost, whichever way that is found out', async () => {
  const { gig_wallet_address } = await create(service);
  for (const lost of ['0x0000000000000000000000000000000000000000', TERMS.token_address, gig_wallet_address]) {
    await refuse({ refund_address: lost }, [
      'refund_address must be the address of a wallet that you control, not the zero address, a token or a wallet of this service',
    ]);
  }
});
