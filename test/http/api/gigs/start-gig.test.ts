import { beforeAll, expect, test } from 'vitest';
import { deployToken, fundNative, fundToken, type TestToken } from '../../../support/anvil.ts';
import { seedGig } from '../../../support/store.ts';
import { NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { published, refusal, told } from '../../terms.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NATIVE = {
  address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  decimals: 18,
  symbol: 'ETH',
  name: 'Ether',
  isNative: true,
} as const;

let degen: TestToken;

shareService();
beforeAll(async () => {
  degen = await deployToken({ decimals: 18, name: 'Degen', symbol: 'DEGEN' });
});

const units = (amount: bigint) => amount * 10n ** 18n;

async function fundedGig(terms?: Parameters<typeof seedLocalGig>[2]) {
  const gig = await seedLocalGig(service.store, degen, terms);
  const block = await fundToken(degen, gig.walletAddress, units(105n));
  return { gig, block };
}

async function refused(response: Response, status: number, body: unknown): Promise<void> {
  expect({ status: response.status, body: published(response, await response.json()) }).toEqual({ status, body });
}

test('behavior: a gig that holds exactly reward and fee goes live', async () => {
  const { gig, block } = await fundedGig();
  await refused(await service.start(gig.id), 200, { data: { message: 'Gig started successfully', gig_id: gig.id } });
  const live = await service.store.gig(gig.id);
  expect(live).toMatchObject({ status: 'live', production: true });
  const transactions = await service.store.gigTransactions(gig.id);
  expect(transactions).toEqual([
    {
      gigId: gig.id,
      tokenId: gig.token.id,
      chainId: 31337,
      amount: units(100n),
      commissionAmount: units(5n),
      blockNumber: expect.any(BigInt),
      checkBlock: null,
    },
  ]);
  expect(Number(transactions[0]?.blockNumber)).toBeGreaterThanOrEqual(Number(block));
});

test('behavior: a start in the future keeps its window', async () => {
  const { gig } = await fundedGig({ startTime: NOW + HOUR, duration: DAY });
  expect((await service.start(gig.id)).status).toBe(200);
  expect(await service.store.gig(gig.id)).toMatchObject({ startTime: NOW + HOUR, endTime: NOW + HOUR + DAY });
});

test('behavior: a start in the past becomes now, and the end moves with it', async () => {
  const { gig } = await fundedGig({ startTime: NOW - 3 * DAY, duration: 7 * DAY });
  expect((await service.start(gig.id)).status).toBe(200);
  expect(await service.store.gig(gig.id)).toMatchObject({ startTime: NOW, endTime: NOW + 7 * DAY, duration: 7 * DAY });
});

test('behavior: a gig in the native asset goes live on exactly its funds', async () => {
  const gig = await seedLocalGig(service.store, NATIVE, { rewardAmount: 10n ** 16n, feeAmount: 1n });
  await fundNative(gig.walletAddress, 10n ** 16n);
  await refused(await service.start(gig.id), 400, {
    error: {
      message: `Gig with id ${gig.id} is not funded`,
      details: [
        'Expected amount: 0.010000000000000001 ETH',
        'Actual amount: 0.01 ETH',
        'Token Address: 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
        'Chain: anvil',
        'Chain id: 31337',
        expect.stringMatching(/^Gig wallet address: 0x[0-9a-fA-F]{40}$/),
      ],
    },
  });
  await fundNative(gig.walletAddress, 1n);
  expect((await service.start(gig.id)).status).toBe(200);
});

test('error: an empty wallet is told what is missing', async () => {
  const walletAddress = () => '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359' as const;
  const gig = await seedLocalGig(service.store, degen, { walletAddress });
  const response = await service.start(gig.id);
  expect(response.status).toBe(400);
  const { error } = published(response, await response.json()) as { error: { message: string; details: string[] } };
  expect(error.message).toBe(`Gig with id ${gig.id} is not funded`);
  expect(error.details).toEqual([
    'Expected amount: 105 DEGEN',
    'Actual amount: 0 DEGEN',
    expect.stringMatching(/^Token Address: 0x[0-9a-fA-F]{40}$/),
    'Chain: anvil',
    'Chain id: 31337',
    // The checksum of EIP-55's own example.
    'Gig wallet address: 0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ]);
  expect(error.details[2]?.toLowerCase()).toBe(`token address: ${degen.address}`);
  expect(await service.store.gig(gig.id)).toMatchObject({ status: 'created', production: false });
  expect(await service.store.gigTransactions(gig.id)).toEqual([]);
});

test.each([
  ['one base unit short', units(105n) - 1n, 'Actual amount: 104.999999999999999999 DEGEN'],
  ['one base unit over', units(105n) + 1n, 'Actual amount: 105.000000000000000001 DEGEN'],
  ['only the reward', units(100n), 'Actual amount: 100 DEGEN'],
])('error: %s is not funded, and the lock is free again', async (_, amount, line) => {
  const gig = await seedLocalGig(service.store, degen);
  await fundToken(degen, gig.walletAddress, amount);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const response = await service.start(gig.id);
    expect(await told(response)).toMatchObject(refusal(400, { details: expect.arrayContaining([line]) }));
  }
  expect(await service.store.gig(gig.id)).toMatchObject({ status: 'created' });
});

test('error: a live gig is refused and stays as it is', async () => {
  const { gig } = await fundedGig();
  expect((await service.start(gig.id)).status).toBe(200);
  const before = await service.store.gig(gig.id);
  await refused(await service.start(gig.id), 400, { error: 'Gig is already live' });
  expect(await service.store.gig(gig.id)).toEqual(before);
  expect(await service.store.gigTransactions(gig.id)).toHaveLength(1);
});

test('error: a gig that has ended keeps the published answer of a start', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { id } = await seedLocalGig(service.store, token, { live: true, startTime: NOW - 10 * 86_400_000 });
  await refused(await service.start(id), 400, { error: 'Gig is already live' });
});

test('error: an unknown gig', async () => {
  await refused(await service.start(987654), 404, { error: 'Gig with id 987654 not found' });
});

test('error: a gig on a chain that is not enabled cannot be asked about', async () => {
  const gig = await seedGig(service.store);
  const response = await service.start(gig.id);
  expect(response.headers.get('retry-after')).toBeNull();
  await refused(response, 503, {
    error: 'The chain of this gig cannot be reached right now; nothing was changed, try again later',
  });
});

const GIG_ID = 'gig_id must be a whole number from 1 to 9007199254740991, as a JSON number';

test.each([
  ['{"gig_id": "1"}', GIG_ID],
  ['{"gig_id": 0}', GIG_ID],
  ['{"gig_id": -1}', GIG_ID],
  ['{"gig_id": 1.5}', GIG_ID],
  ['{"gig_id": 9007199254740993}', GIG_ID],
  ['{"gig_id": 1e400}', GIG_ID],
  ['{"gig_id": null}', GIG_ID],
  ['{"gig_id": true}', GIG_ID],
  ['{"gig_id": [1]}', GIG_ID],
  ['{"gigId": 1}', GIG_ID],
  ['{}', GIG_ID],
  ['[]', 'Body must be an object: send {"gig_id": 123}'],
  ['[1]', 'Body must be an object: send {"gig_id": 123}'],
  ['null', 'Body must be an object: send {"gig_id": 123}'],
  ['7', 'Body must be an object: send {"gig_id": 123}'],
  ['"x"', 'Body must be an object: send {"gig_id": 123}'],
  ['', 'Body is not valid JSON: send {"gig_id": 123}'],
  ['gig_id=1', 'Body is not valid JSON: send {"gig_id": 123}'],
  ['{"gig_id": 1', 'Body is not valid JSON: send {"gig_id": 123}'],
  ['{"gig_id": NaN}', 'Body is not valid JSON: send {"gig_id": 123}'],
])('error: body %j is refused', async (body, error) => {
  const response = await service.app.request('/api/gigs/start', {
    method: 'POST',
    headers: { 'x-api-key': service.key },
    body,
  });
  await refused(response, 400, { error });
});

test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', ''])(
  'behavior: the body is JSON under Content-Type %j',
  async (contentType) => {
    await refused(await service.start(987654, { 'content-type': contentType }), 404, {
      error: 'Gig with id 987654 not found',
    });
  },
);

test('behavior: unknown fields are ignored', async () => {
  const response = await service.app.request('/api/gigs/start', {
    method: 'POST',
    headers: { 'x-api-key': service.key },
    body: '{"gig_id": 987654, "note": "from a client"}',
  });
  expect(response.status).toBe(404);
});

test.each([
  ['missing', {}],
  ['empty', { 'x-api-key': '' }],
  ['unknown', { 'x-api-key': 'gck_not-a-key-at-all' }],
  ['in the wrong header', { authorization: 'Bearer gck_not-a-key-at-all' }],
])('security: a key that is %s is refused before the body is looked at', async (_, headers) => {
  for (const body of ['not json', JSON.stringify({ gig_id: 1 }), 'x'.repeat(100_000)]) {
    const response = await service.app.request('/api/gigs/start', { method: 'POST', headers, body });
    await refused(response, 401, { error: 'Invalid API key' });
  }
});

test('security: a revoked and an expired key are refused', async () => {
  const { store } = service;
  const revoked = await service.newKey({ name: 'revoked' });
  await store.transaction((tx) => tx.revokeApiKey(revoked.record.id, NOW));
  const expiring = await service.newKey({ name: 'expiring', expiresAt: NOW + HOUR });
  await refused(await service.start(1, { 'x-api-key': revoked.key }), 401, { error: 'Invalid API key' });
  expect((await service.start(987654, { 'x-api-key': expiring.key })).status).toBe(404);
  service.time.now = NOW + HOUR;
  await refused(await service.start(1, { 'x-api-key': expiring.key }), 401, { error: 'Invalid API key' });
  service.time.now = NOW;
});

test('security: neither keys nor their hashes reach the log', async () => {
  await service.start(987654);
  await service.start(1, { 'x-api-key': 'gck_a-wrong-key' });
  const [record] = await service.store.apiKeys();
  expect(record?.hash).toHaveLength(64);
  for (const secret of [service.key, 'gck_', record?.hash ?? '']) expect(service.logText()).not.toContain(secret);
});
