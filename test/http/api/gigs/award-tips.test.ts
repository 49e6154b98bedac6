import { expect, test } from 'vitest';
import { type seedGig, seedToken } from '../../../support/store.ts';
import { label, NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { dataOf, invalid, published, refusal, told } from '../../terms.ts';

const DAY = 86_400_000;
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const VALUE = 'value must be a positive decimal number such as 10 or "0.5", without sign or exponent';
const USER_ID =
  'platform_user_id must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits, as a string if it has more than 15; GET /api/accounts finds the id of a handle';

shareService();

const award = (id: number | string, tips: unknown, headers?: Record<string, string>) =>
  told(service.send('POST', `/api/gigs/${id}/tips`, { tips }, headers));

/** A live gig for 100 USDC of 6 decimals, inside its window, unless said otherwise. */
async function liveGig(terms: Parameters<typeof seedGig>[1] = {}): Promise<number> {
  const token = await seedToken(service.store, { chainId: 31337, symbol: 'USDC', decimals: 6 });
  return (await seedLocalGig(service.store, token, { live: true, startTime: NOW - 1, duration: DAY, ...terms })).id;
}

const to = (id: number | string, value: unknown = 1, more: object = {}) => ({
  platform: 'farcaster',
  platform_user_id: id,
  value,
  ...more,
});

const awarded = async (id: number) => (await service.store.gig(id))?.awardedAmount;

async function claimable(identifier: string): Promise<unknown> {
  const response = await service.app.request(`/api/claim?identifiers=${identifier}`);
  // Its own tests hold the shape.
  const { data } = published(response, await response.json()) as {
    data: Record<string, { totalValue: number; tips: unknown[] }>;
  };
  return Object.values(data).map(({ totalValue, tips }) => ({ totalValue, tips }));
}

test('behavior: tips are told as the look-up tells them, with what is left of the reward', async () => {
  const id = await liveGig();
  const answer = await award(id, [
    to('70001', 12.5, { username: '@Alice', user_address: WALLET }),
    { platform: 'x', platform_user_id: '1541815603606036480', value: '0.000001' },
  ]);
  const tip = {
    created_at: '2026-11-21T09:30:00.000Z',
    token_id: 1,
    tx_hash: null,
    claimed_at: null,
    status: 'pending',
    gig_id: id,
    claim_nonce: null,
    claim_started_at: null,
    lock_timeout: null,
  };
  const alice = {
    ...tip,
    id: 1,
    value: 12.5,
    platform: 'farcaster',
    platform_user_id: '70001',
    username: 'Alice',
    user_address: WALLET,
  };
  const stranger = {
    ...tip,
    id: 2,
    value: 0.000001,
    platform: 'twitter',
    platform_user_id: '1541815603606036480',
    username: null,
    user_address: '',
  };
  expect(answer).toEqual({ status: 201, body: { data: [alice, stranger], remaining: '87.499999' } });
  expect(await claimable('70001')).toEqual([{ totalValue: 12.5, tips: [alice] }]);
});

test('behavior: values come as numbers and as text, and are counted exactly', async () => {
  const id = await liveGig({ rewardAmount: 10_000_000n });
  const values = [0.1, 0.2, '0.1', '0.200000', 1, '1', 1e-6, '0.000001', 7.399998];
  expect(
    await award(
      id,
      values.map((value, index) => to(index + 1, value)),
    ),
  ).toMatchObject({ status: 201, body: { remaining: '0' } });
  expect(await awarded(id)).toBe(10_000_000n);
  expect(await award(id, [to(1, '0.000001')])).toEqual(
    refusal(400, `The tips exceed the reward of gig with id ${id}: 0 USDC are left`),
  );
});

test('behavior: an account may get a tip again in another batch', async () => {
  const id = await liveGig();
  expect(await award(id, [to(71_001, 1)])).toMatchObject({ body: { remaining: '99' } });
  expect(await award(id, [to(71_001, 2)])).toMatchObject({ body: { remaining: '97' } });
  expect(await claimable('71001')).toMatchObject([{ totalValue: 3, tips: [{ value: 1 }, { value: 2 }] }]);
});

test('security: a username labels an account without one, and moves no handle that its platform told', async () => {
  const id = await liveGig();
  await label(service.store, 'twitter', '901', 'dana');
  const x = (userId: string, username?: string | null) => ({
    platform: 'x',
    platform_user_id: userId,
    value: 1,
    ...(username === undefined ? {} : { username }),
  });
  await award(id, [x('901')]);
  expect(await claimable('dana')).toMatchObject([{ tips: [{ platform_user_id: '901', username: 'dana' }] }]);
  expect(await dataOf(award(id, [x('902', 'Dana'), x('901', null), x('903', 'Eve')]))).toMatchObject([
    { username: null },
    { username: 'dana' },
    { username: 'Eve' },
  ]);
  expect(await claimable('dana')).toMatchObject([
    {
      tips: [
        { platform_user_id: '901', username: 'dana' },
        { platform_user_id: '901', username: 'dana' },
      ],
    },
  ]);
  expect(await claimable('eve')).toMatchObject([{ tips: [{ platform_user_id: '903', username: 'Eve' }] }]);
});

test('behavior: 500 tips at once, and not 501', async () => {
  const id = await liveGig();
  const tips = Array.from({ length: 501 }, (_, index) => to(index + 1, 0.01));
  expect(await award(id, tips)).toEqual(invalid('tips must be a list of 1 to 500 tips'));
  expect(await awarded(id)).toBe(0n);
  const answer = await award(id, tips.slice(1));
  expect(answer).toMatchObject({ status: 201, body: { remaining: '95' } });
  expect(await awarded(id)).toBe(5_000_000n);
});

test('error: all or nothing, and every problem of the batch is told with its place', async () => {
  const id = await liveGig();
  const tips = [
    to('72001'),
    to(2 ** 60),
    to('72002', '-1', { user_address: '0x1', username: '' }),
    'tip',
    { platform: 'z' },
    to('72001', 2),
    to(72_001, 3, { username: 'x' }),
    { ...to('72001'), platform: 'x' },
    { ...to('72001'), platform: 'twitter' },
  ];
  expect(await award(id, tips)).toEqual(
    invalid(
      `tips[1].${USER_ID}`,
      'tips[2].username must be a handle: 1 to 64 letters, digits, _, . or -',
      `tips[2].${VALUE}`,
      'tips[2].user_address must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum',
      'tips[3] must be an object',
      'tips[4].platform must be one of farcaster, x, twitter',
      `tips[4].${USER_ID}`,
      `tips[4].${VALUE}`,
      'tips[5] is for the same account as tips[0]: give each account one tip',
      'tips[6] is for the same account as tips[0]: give each account one tip',
      'tips[8] is for the same account as tips[7]: give each account one tip',
    ),
  );
  expect(await award(id, [to('72001'), to('72002', 1.1234567), to('72003', '2.0000000')])).toEqual(
    invalid(
      'tips[1].value has more decimals than USDC, which has 6',
      'tips[2].value has more decimals than USDC, which has 6',
    ),
  );
  expect(await award(id, [to('72001'), to('72002', '9'.repeat(80))])).toEqual(
    invalid('tips[1].value is more than a token can count'),
  );
  expect(await awarded(id)).toBe(0n);
  expect(await claimable('72001')).toEqual([]);
  expect(await service.store.account({ platform: 'farcaster', platformUserId: '72001' })).toBeNull();
});

test.each([[undefined], [null], [[]], [{}], ['tips'], [5]])('error: %j is no batch', async (tips) => {
  expect(await award(await liveGig(), tips)).toEqual(invalid('tips must be a list of 1 to 500 tips'));
});

test('error: a batch that exceeds what is left is refused whole, with what is left', async () => {
  const id = await liveGig();
  expect((await award(id, [to(1, 97.5)])).status).toBe(201);
  const exceeded = refusal(400, `The tips exceed the reward of gig with id ${id}: 2.5 USDC are left`);
  expect(await award(id, [to(2, 2, { username: 'never' }), to(3, '0.500001')])).toEqual(exceeded);
  expect(await awarded(id)).toBe(97_500_000n);
  expect(await service.store.accountByHandle('farcaster', 'never')).toBeNull();
  // The fee is not part of the reward.
  expect(await award(id, [to(2, 5)])).toEqual(exceeded);
  expect(await award(id, [to(2, 2), to(3, 0.5)])).toMatchObject({ status: 201, body: { remaining: '0' } });
});

test('error: no sum is too large to be refused', async () => {
  const id = await liveGig({ rewardAmount: 2n ** 256n - 1n, feeAmount: 0n });
  const max = '115792089237316195423570985008687907853269984665640564039457584007913129.639935';
  expect((await award(id, [to(1, max), to(2, '0.000001')])).body).toEqual({
    error: `The tips exceed the reward of gig with id ${id}: ${max} USDC are left`,
  });
  expect(await award(id, [to(1, max)])).toMatchObject({ status: 201, body: { remaining: '0' } });
});

test('error: only a live gig inside its window gives tips', async () => {
  const created = await liveGig({ live: false });
  const scheduled = await liveGig({ startTime: NOW + 1 });
  const ended = await liveGig({ startTime: NOW - DAY, duration: DAY });
  expect(await award(created, [to(1)])).toEqual(refusal(400, `Gig with id ${created} is not live`));
  expect(await award(scheduled, [to(1)])).toEqual(
    refusal(400, `Gig with id ${scheduled} is live, but its window has not begun`),
  );
  expect(await award(ended, [to(1)])).toEqual(refusal(400, `Gig with id ${ended} has ended`));
  const first = await liveGig({ startTime: NOW });
  const last = await liveGig({ startTime: NOW - DAY + 1, duration: DAY });
  for (const id of [first, last]) expect((await award(id, [to(1)])).status).toBe(201);
});

test('security: of fifty batches at the same time exactly those that fit are awarded', async () => {
  const id = await liveGig();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => award(id, [to(index * 2 + 1, 3), to(index * 2 + 2, '4.000001')])),
  );
  const won = answers.filter(({ status }) => status === 201);
  // 14 times 7.000001 is 98.000014.
  expect(won).toHaveLength(14);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: `The tips exceed the reward of gig with id ${id}: 1.999986 USDC are left` });
  }
  expect(await awarded(id)).toBe(98_000_014n);
});

test('error: a gig that is not there, an id that is none, and a key that is none', async () => {
  expect(await award(987_654, [])).toEqual(refusal(404, 'Gig with id 987654 not found'));
  expect(await award('01', [to(1)])).toEqual(
    refusal(400, 'The gig id in the path must be a positive whole number of at most 15 digits'),
  );
  expect(await award(await liveGig(), [to(1)], { 'x-api-key': 'wrong' })).toEqual(refusal(401, 'Invalid API key'));
  expect(await told(service.send('POST', '/api/gigs/1/tips', '[{]'))).toMatchObject(
    refusal(400, expect.stringMatching(/^Body is not valid JSON: send \{"tips":\[/)),
  );
  expect(await told(service.send('POST', `/api/gigs/${await liveGig()}/tips`, [to(1)]))).toEqual(
    invalid('tips must be a list of 1 to 500 tips'),
  );
});
