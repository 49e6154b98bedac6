import { beforeAll, expect, test } from 'vitest';
import { deployToken, fundToken } from '../../../support/anvil.ts';
import { seedGig, seedToken } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { create, invalid, knowDegen, refusal, told } from '../../terms.ts';

const CAST = 'https://farcaster.xyz/alice/0x1234abcd';
const POST = 'https://x.com/alice/status/1541815603606036480';

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

const change = (id: number, terms: unknown, headers?: Record<string, string>) =>
  told(service.send('PATCH', `/api/gigs/${id}`, terms, headers));

const busy = (id: number) => refusal(409, `Gig with id ${id} is currently being processed`);

test('behavior: each term can be changed alone; all the others stay', async () => {
  const { gig_id: id } = await create(service, { how_to_earn: 'Say hello.', verifier: 'us' });
  const before = await service.store.gig(id);
  const steps: [terms: object, kept: object][] = [
    [{ amount: 20 }, { rewardAmount: 20_000_000_000_000_000_000n, feeAmount: 1_000_000_000_000_000_000n }],
    [{ start_time: '2026-11-23T09:30:00Z' }, { startTime: 1_795_426_200_000, endTime: 1_796_031_000_000 }],
    [{ duration: '1day' }, { duration: 86_400_000, endTime: 1_795_512_600_000 }],
    [
      { gig_type: 'like', url: CAST },
      { gigType: 'like', externalUrl: CAST },
    ],
    [
      { platform: 'x', url: POST },
      { platform: 'twitter', externalUrl: POST },
    ],
    [{ how_to_earn: null }, { howToEarn: null }],
    [{ earning_criteria: 'The first ten.' }, { earningCriteria: 'The first ten.' }],
    [{ verifier: '' }, { verifier: null }],
  ];
  let expected: object = { ...before };
  for (const [terms, kept] of steps) {
    expect(await change(id, terms)).toMatchObject({ status: 200, body: { data: { id } } });
    expected = { ...expected, ...kept };
    expect(await service.store.gig(id)).toEqual(expected);
  }
});

test('behavior: the URL of the post is kept in one form, whose path ends with the id of the post', async () => {
  const { gig_id: id } = await create(service);
  const urls = [`${POST}?s=20`, `${POST}/photo/1`, POST.replace('x.com', 'mobile.twitter.com')];
  for (const url of urls) {
    const changed = await change(id, { gig_type: 'like', platform: 'x', url });
    expect(changed).toMatchObject({ status: 200, body: { data: { external_url: POST } } });
  }
  // As an earlier version kept it.
  await service.sql('update gigs set external_url = ? where id = ?', `${POST}?s=20`, id);
  expect(await change(id, { amount: 30 })).toMatchObject({ body: { data: { external_url: POST } } });
  const shown = (await (await service.app.request(`/api/gigs/${id}`)).json()) as { data: { external_url: string } };
  expect(new URL(shown.data.external_url).pathname.split('/').at(-1)).toBe('1541815603606036480');
});

test('behavior: the answer is the gig as it now is', async () => {
  const { gig_id: id, gig_wallet_address: wallet } = await create(service);
  const changed = await change(id, { amount: '12.5', platform: 'x' });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      data: { id, amount: '12.5', total_balance: '12.5', platform: 'x', gig_address: wallet, status: 'created' },
    },
  });
  const shown = await service.app.request(`/api/gigs/${id}`);
  expect(changed.body).toEqual({
    ...((await shown.json()) as object),
    funding: expect.objectContaining({
      gig_id: id,
      gig_balance: '12.5',
      platform_fee: '0.625',
      total_amount: '13.125',
    }),
  });
});

test('error: a body that names no term, or what is none, is refused and changes nothing', async () => {
  const { gig_id: id } = await create(service, { gig_type: 'like', platform: 'x', url: POST });
  const before = await service.store.gig(id);
  for (const body of [{}, { id: 7, status: 'live', gig_address: '0x', feeAmount: 0, owners: [] }]) {
    expect((await change(id, body)).status).toBe(400);
    expect(await service.store.gig(id)).toEqual(before);
  }
});

test('behavior: other terms need other funds', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { gig_id: id, gig_wallet_address: wallet } = await create(service, { token_address: token.address });
  await fundToken(token, wallet, 10_500_000n);
  expect((await change(id, { amount: 20 })).status).toBe(200);
  expect(await told(service.start(id))).toMatchObject(
    refusal(400, { details: expect.arrayContaining(['Expected amount: 21 USDC', 'Actual amount: 10.5 USDC']) }),
  );
  await fundToken(token, wallet, 10_500_000n);
  expect((await service.start(id)).status).toBe(200);
});

test('behavior: another token is read, and the amount is counted in its decimals', async () => {
  const { address } = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { gig_id: id } = await create(service, { amount: '1.1234567' });
  expect(await change(id, { token_address: address })).toEqual(
    invalid('amount has more decimals than USDC, which has 6'),
  );
  expect((await change(id, { token_address: address, amount: 1.5 })).status).toBe(200);
  expect(await service.store.gig(id)).toMatchObject({
    token: { address, decimals: 6 },
    rewardAmount: 1_500_000n,
    feeAmount: 75_000n,
  });
  expect((await change(id, { token_address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' })).status).toBe(200);
  expect(await service.store.gig(id)).toMatchObject({
    token: { isNative: true },
    rewardAmount: 1_500_000_000_000_000_000n,
  });
});

test('error: changed terms are checked as a whole, and a refusal changes nothing', async () => {
  const { gig_id: id } = await create(service, { gig_type: 'like', url: CAST });
  const before = await service.store.gig(id);
  const urlProblem = "url must be the URL of a post on the gig's platform, such as https://x.com/alice/status/123";
  expect(await change(id, { url: null })).toEqual(invalid('url is required for like gigs'));
  expect(await change(id, { platform: 'x' })).toEqual(invalid(urlProblem));
  expect(await change(id, { gig_type: 'custom_bounty', platform: 'x' })).toEqual(
    invalid(
      urlProblem,
      'how_to_earn is required for custom_bounty gigs',
      'verifier is required for custom_bounty gigs',
    ),
  );
  expect(await change(id, { amount: 0, duration: null, platform: null, start_time: '2030-01-01T00:00:00Z' })).toEqual(
    invalid(
      'amount must be a positive decimal number such as 10 or "0.5", without sign or exponent',
      'duration must be one of 1day, 3days, 1week, 2weeks, 3months, 6months',
      'platform must be one of farcaster, x, twitter',
      'start_time must be at most a year in the future',
    ),
  );
  for (const body of ['[]', 'null', '"amount"', '5']) {
    expect(await change(id, body)).toMatchObject({
      status: 400,
      body: { error: 'Validation failed', details: expect.arrayContaining(['The body must be a JSON object']) },
    });
  }
  expect(await change(id, '{')).toMatchObject(
    refusal(400, 'Body is not valid JSON: send {"amount":20,"duration":"2weeks"}'),
  );
  expect(await change(id, { chain: 'base' })).toEqual(refusal(404, 'Chain not found'));
  expect(await change(id, { token_address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' })).toEqual(
    refusal(404, 'Token with address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed not found on chain anvil'),
  );
  expect(await service.store.gig(id)).toEqual(before);
});

test('error: what is malformed, what is no term and what does not fit the rest are told at once', async () => {
  const { gig_id: id } = await create(service, { gig_type: 'like', url: CAST });
  const names =
    'chain, token_address, amount, start_time, duration, gig_type, title, how_to_earn, earning_criteria, url, platform, verifier, refund_address, award_days, start, owners_may_award, keyword';
  expect(await change(id, { amount: 0, platform: 'x', colour: 'red' })).toEqual(
    invalid(
      'amount must be a positive decimal number such as 10 or "0.5", without sign or exponent',
      `"colour" is not a term of a gig; the terms are ${names}`,
      "url must be the URL of a post on the gig's platform, such as https://x.com/alice/status/123",
    ),
  );
  expect(await change(id, {})).toEqual(invalid(`the body must name at least one term to change: ${names}`));
});

test('error: a gig that is not there, an id that is none, and a key that is none', async () => {
  expect(await change(987_654, { amount: 1 })).toEqual(refusal(404, 'Gig with id 987654 not found'));
  for (const id of ['0', '01', '9007199254740993']) {
    expect(await told(service.send('PATCH', `/api/gigs/${id}`, { amount: 1 }))).toEqual(
      refusal(400, 'The gig id in the path must be a positive whole number of at most 15 digits'),
    );
  }
  for (const id of ['-1', '1.5', 'abc', '1e3']) {
    expect(await told(service.send('PATCH', `/api/gigs/${id}`, { amount: 1 }))).toEqual(refusal(404, 'Not found'));
  }
  const { gig_id: id } = await create(service);
  expect(await change(id, { amount: 1 }, { 'x-api-key': 'wrong' })).toEqual(refusal(401, 'Invalid API key'));
});

test('security: a live gig keeps its terms, also when its window is over, and says which it is', async () => {
  const token = await seedToken(service.store, { chainId: 31337 });
  for (const startTime of [NOW, NOW - 10 * 86_400_000]) {
    const { id } = await seedLocalGig(service.store, token, { live: true, startTime });
    const error = startTime === NOW ? 'Gig is already live' : `Gig with id ${id} has ended`;
    const before = await service.store.gig(id);
    for (const body of [{ amount: 1 }, {}, { amount: 'nonsense' }]) {
      expect(await change(id, body)).toEqual(refusal(400, error));
    }
    expect(await service.store.gig(id)).toEqual(before);
  }
});

test('security: while a gig is being started its terms stay; with the lock given back they may change', async () => {
  const { gig_id: id } = await create(service);
  const before = await service.store.gig(id);
  await service.store.transaction((tx) => tx.lockGig(id, { holder: 'a start', now: NOW, until: NOW + 60_000 }));
  expect(await change(id, { amount: 1 })).toEqual(busy(id));
  expect(await service.store.gig(id)).toEqual(before);
  await service.store.transaction((tx) => tx.unlockGig(id, 'a start'));
  expect((await change(id, { amount: 1 })).status).toBe(200);
});

test('security: a start whose lock ran out finds other terms and does not go live with the old ones', async () => {
  const { gig_id: id } = await create(service);
  await service.store.transaction((tx) => tx.lockGig(id, { holder: 'slow', now: NOW - 60_000, until: NOW }));
  expect((await change(id, { amount: 1 })).status).toBe(200);
  const live = await service.store.transaction((tx) =>
    tx.markLive(id, { holder: 'slow', startTime: NOW, endTime: NOW }),
  );
  expect(live).toBe(false);
});

test('behavior: of simultaneous changes each is made or refused; none is lost without a word', async () => {
  const { gig_id: id } = await create(service, { amount: 1 });
  const texts = Array.from({ length: 20 }, (_, index) => `way ${index}`);
  const criteria = Array.from({ length: 20 }, (_, index) => `rule ${index}`);
  const answers = await Promise.all([
    ...texts.map((text) => change(id, { how_to_earn: text })),
    ...criteria.map((text) => change(id, { earning_criteria: text })),
  ]);
  const made = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
  expect(made.length).toBeGreaterThan(0);
  for (const answer of answers) if (answer.status !== 200) expect(answer).toEqual(busy(id));
  const last = (from: number) => made.filter((index) => index >= from && index < from + 20).at(-1);
  const gig = await service.store.gig(id);
  const way = last(0);
  const rule = last(20);
  expect(gig?.howToEarn).toBe(way === undefined ? null : `way ${way}`);
  expect(gig?.earningCriteria).toBe(rule === undefined ? null : `rule ${rule - 20}`);
});

test('behavior: of a start and a change at the same time, the gig goes live with funds that fit its terms', async () => {
  const token = await deployToken({ decimals: 6 });
  for (let round = 0; round < 5; round += 1) {
    const { gig_id: id, gig_wallet_address: wallet } = await create(service, { token_address: token.address });
    await fundToken(token, wallet, 10_500_000n);
    const [started, changed] = await Promise.all([service.start(id), change(id, { amount: 20 })]);
    const gig = await service.store.gig(id);
    expect(gig?.status === 'live').toBe(started.status === 200);
    expect(gig?.rewardAmount).toBe(changed.status === 200 ? 20_000_000n : 10_000_000n);
    expect([started.status, changed.status]).not.toEqual([200, 200]);
  }
});

test('error: a gig on a chain that is not enabled any more cannot be changed', async () => {
  const { id } = await seedGig(service.store);
  expect(await change(id, { amount: 1 })).toEqual(refusal(404, 'Chain not found'));
});
