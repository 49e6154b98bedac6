import { expect, test } from 'vitest';
import { SEEDED_AT, seedGig, seedTips, seedToken } from '../../../support/store.ts';
import { label, NOW, service, useService } from '../../service.ts';
import { published, refusal, told } from '../../terms.ts';

const DEGEN = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';

useService();

const claim = (identifiers: string) =>
  told(service.app.request(`/api/claim?identifiers=${encodeURIComponent(identifiers)}`));

const fid = (platformUserId: string) => ({ platform: 'farcaster' as const, platformUserId });
const xId = (platformUserId: string) => ({ platform: 'twitter' as const, platformUserId });

async function listedTips(identifiers: string): Promise<number[]> {
  const { status, body } = await claim(identifiers);
  expect(status).toBe(200);
  const { data } = body as { data: Record<string, { tips: { id: number }[] }> };
  return Object.values(data).flatMap(({ tips }) => tips.map(({ id }) => id));
}

test('behavior: answers exactly the documented fields, grouped by token', async () => {
  const gig = await seedGig(service.store);
  await label(service.store, 'farcaster', '8004', 'Alice');
  await seedTips(service.store, gig, [
    { ...fid('8004'), amount: 12_500_000_000_000_000_000n, userAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' },
  ]);
  const response = await service.app.request('/api/claim?identifiers=8004');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(published(response, await response.json())).toEqual({
    data: {
      [DEGEN]: {
        token: {
          id: 1,
          created_at: '2026-01-01T00:00:00.000Z',
          address: DEGEN,
          chain_id: 8453,
          decimals: 18,
          image_url: '',
          name: 'Degen',
          symbol: 'DEGEN',
          is_native: false,
          coingecko_id: null,
        },
        totalValue: 12.5,
        tips: [
          {
            id: 1,
            created_at: '2026-01-01T00:00:00.000Z',
            token_id: 1,
            value: 12.5,
            tx_hash: null,
            platform_user_id: '8004',
            username: 'Alice',
            user_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
            claimed_at: null,
            status: 'pending',
            gig_id: 1,
            platform: 'farcaster',
            claim_nonce: null,
            claim_started_at: null,
            lock_timeout: null,
          },
        ],
        gigCount: 1,
      },
    },
    summary: { total_tokens: 1, total_gigs: 1 },
  });
});

test('behavior: what is not known of a tip is null, but its address is an empty string', async () => {
  await seedTips(service.store, await seedGig(service.store), [fid('8004')]);
  expect((await claim('8004')).body).toMatchObject({
    data: { [DEGEN]: { tips: [{ username: null, tx_hash: null, user_address: '' }] } },
  });
});

test('security: a name cannot break out of its text', async () => {
  await label(service.store, 'farcaster', '8004', '","status":"claimed');
  await seedTips(service.store, await seedGig(service.store), [fid('8004')]);
  expect((await claim('8004')).body).toMatchObject({
    data: { [DEGEN]: { tips: [{ username: '","status":"claimed', status: 'pending' }] } },
  });
});

test('behavior: a tip that is being paid stays listed and says so', async () => {
  await seedTips(service.store, await seedGig(service.store), [fid('8004')]);
  await service.sql(
    "update tips set claim_nonce = 'c-1', claim_started_at = ?, lock_timeout = ?, tx_hash = '0xabc'",
    1_795_253_400_000,
    1_795_253_460_000,
  );
  expect((await claim('8004')).body).toMatchObject({
    data: {
      [DEGEN]: {
        tips: [
          {
            status: 'pending',
            claim_nonce: 'c-1',
            claim_started_at: '2026-11-21T09:30:00.000Z',
            lock_timeout: '2026-11-21T09:31:00.000Z',
            tx_hash: '0xabc',
            claimed_at: null,
          },
        ],
      },
    },
  });
});

test('behavior: claimed tips are never listed', async () => {
  const gig = await seedGig(service.store);
  await seedTips(service.store, gig, [fid('8004'), fid('8004')]);
  await service.sql("update tips set status = 'claimed', claimed_at = ? where id = 1", NOW);
  expect(await listedTips('8004')).toEqual([2]);
  await service.sql("update tips set status = 'claimed', claimed_at = ? where id = 2", NOW);
  expect(await claim('8004')).toEqual({ status: 200, body: { data: {}, summary: { total_tokens: 0, total_gigs: 0 } } });
});

test('behavior: tips come oldest first', async () => {
  const gig = await seedGig(service.store);
  await seedTips(service.store, gig, [
    { ...fid('8004'), createdAt: SEEDED_AT + 3_000 },
    { ...fid('8005'), createdAt: SEEDED_AT + 1_000 },
    { ...fid('8004'), createdAt: SEEDED_AT + 2_000 },
  ]);
  expect(await listedTips('8004,8005')).toEqual([2, 3, 1]);
});

test('behavior: an account that nobody knows is not an error', async () => {
  const nothing = { status: 200, body: { data: {}, summary: { total_tokens: 0, total_gigs: 0 } } };
  expect(await claim('404404')).toEqual(nothing);
  expect(await claim('nobody')).toEqual(nothing);
  expect(await claim('@nobody, 404404')).toEqual(nothing);
});

test('behavior: FIDs and X handles mix; items are trimmed, empty ones dropped, repeated ones folded', async () => {
  const gig = await seedGig(service.store);
  await label(service.store, 'twitter', '55501', 'Bob_B');
  await seedTips(service.store, gig, [fid('8004'), xId('55501')]);
  expect(await listedTips('8004,bob_b')).toEqual([1, 2]);
  expect(await listedTips(' 8004 ,, 08004,BOB_B , @Bob_b,8004,')).toEqual([1, 2]);
});

test('behavior: an old account of X with a handle of twenty characters is found', async () => {
  const gig = await seedGig(service.store);
  await label(service.store, 'twitter', '55501', 'Very_Old_Handle_2007');
  await seedTips(service.store, gig, [xId('55501')]);
  expect(await listedTips('very_old_handle_2007')).toEqual([1]);
});

test('behavior: a repeated parameter is one longer list', async () => {
  await seedTips(service.store, await seedGig(service.store), [fid('8004'), fid('8005')]);
  const response = await service.app.request('/api/claim?identifiers=8004&identifiers=8005');
  expect(published(response, await response.json())).toMatchObject({
    data: { [DEGEN]: { tips: [{ id: 1 }, { id: 2 }] } },
  });
});

test('behavior: digits are a FID, and a leading @ makes them a handle', async () => {
  const gig = await seedGig(service.store);
  await label(service.store, 'twitter', '55501', '12345');
  await seedTips(service.store, gig, [fid('12345'), xId('55501'), xId('12345')]);
  expect(await listedTips('12345')).toEqual([1]);
  expect(await listedTips('@12345')).toEqual([2]);
});

test('security: tips follow the account, not the handle, when the handle changes hands', async () => {
  const gig = await seedGig(service.store);
  await label(service.store, 'twitter', '55501', 'bob');
  await seedTips(service.store, gig, [xId('55501'), xId('55502')]);
  expect(await listedTips('bob')).toEqual([1]);
  await label(service.store, 'twitter', '55502', 'bob');
  expect(await listedTips('bob')).toEqual([2]);
  await label(service.store, 'twitter', '55501', 'robert');
  expect(await listedTips('robert')).toEqual([1]);
});

test('security: a Farcaster username is no identifier, even when it is known', async () => {
  await label(service.store, 'farcaster', '8004', 'alice');
  await seedTips(service.store, await seedGig(service.store), [fid('8004')]);
  expect(await listedTips('alice')).toEqual([]);
});

test('behavior: of two chains with one token address the lower id keeps the plain key, and nothing is merged', async () => {
  const base = await seedToken(service.store);
  const optimism = await seedToken(service.store, { chainId: 10 });
  const anvil = await seedToken(service.store, { chainId: 31337 });
  for (const { id } of [base, optimism, anvil]) {
    await seedTips(service.store, await seedGig(service.store, { tokenId: id }), [fid('8004')]);
  }
  const { body } = await claim('8004');
  expect(body).toMatchObject({
    data: {
      [DEGEN]: { token: { chain_id: 10 }, totalValue: 1 },
      [`${DEGEN}:8453`]: { token: { chain_id: 8453 }, totalValue: 1 },
      [`${DEGEN}:31337`]: { token: { chain_id: 31337 }, totalValue: 1 },
    },
    summary: { total_tokens: 3, total_gigs: 3 },
  });
  expect(Object.keys((body as { data: object }).data)).toHaveLength(3);
});

test('behavior: the native asset goes by its EIP-7528 address', async () => {
  const address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
  const { id } = await seedToken(service.store, { address, isNative: true, symbol: 'ETH', name: 'Ether' });
  await seedTips(service.store, await seedGig(service.store, { tokenId: id }), [fid('8004')]);
  expect((await claim('8004')).body).toMatchObject({
    data: { '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE': { token: { is_native: true } } },
  });
});

test('behavior: gigs are counted once in a group and once in the whole answer', async () => {
  const usdc = await seedToken(service.store, {
    address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    decimals: 6,
    symbol: 'USDC',
    name: 'USD Coin',
  });
  const [first, second] = [await seedGig(service.store), await seedGig(service.store)];
  const third = await seedGig(service.store, { tokenId: usdc.id });
  await seedTips(service.store, first, [fid('8004'), fid('8004')]);
  await seedTips(service.store, second, [fid('8004')]);
  await seedTips(service.store, third, [{ ...fid('8004'), amount: 1_500_000n }]);
  expect((await claim('8004')).body).toMatchObject({
    data: {
      [DEGEN]: { gigCount: 2, totalValue: 3 },
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': { gigCount: 1, totalValue: 1.5 },
    },
    summary: { total_tokens: 2, total_gigs: 3 },
  });
});

test('behavior: integers are summed before anything becomes a float', async () => {
  const gig = await seedGig(service.store);
  const amounts = [100_000_000_000_000_000n, 200_000_000_000_000_000n, 9_007_199_254_740_993_000_000_000_000_000_000n];
  await seedTips(
    service.store,
    gig,
    amounts.slice(0, 2).map((amount) => ({ ...fid('8004'), amount })),
  );
  // 0.1 + 0.2 in floats would be 0.30000000000000004.
  expect((await claim('8004')).body).toMatchObject({ data: { [DEGEN]: { totalValue: 0.3 } } });
  await seedTips(
    service.store,
    gig,
    amounts.slice(2).map((amount) => ({ ...fid('8005'), amount })),
  );
  expect((await claim('8005')).body).toMatchObject({
    data: { [DEGEN]: { totalValue: 9007199254740992, tips: [{ value: 9007199254740992 }] } },
  });
});

const REQUIRED = 'identifiers is required: a comma-separated list of Farcaster FIDs and X usernames';

test.each(['', ' , ,'])('error: identifiers %j are refused', async (identifiers) => {
  expect(await claim(identifiers)).toEqual(refusal(400, REQUIRED));
});

test.each([
  ...['alice bob', '@', '@@alice', 'twenty_one_letters_12', '-1', "x' or 1=1"].map((name) => [name, name]),
  ['8004,al.ice', 'al.ice'],
])('error: identifiers %j are refused', async (identifiers = '', name = '') => {
  const kinds =
    'neither a Farcaster FID (a whole number of at most 20 digits) nor an X username (1 to 20 letters, digits or _)';
  expect(await claim(identifiers)).toEqual(refusal(400, `identifiers: "${name}" is ${kinds}`));
});

test('error: a missing parameter is refused', async () => {
  expect(await told(service.app.request('/api/claim'))).toEqual(refusal(400, REQUIRED));
});

test('error: a hundred identifiers are answered and one more is refused', async () => {
  const hundred = Array.from({ length: 100 }, (_, index) => String(index + 1));
  expect((await claim(hundred.join(','))).status).toBe(200);
  expect((await claim([...hundred, '1', '01'].join(','))).status).toBe(200);
  expect(await claim([...hundred, '101'].join(','))).toEqual(
    refusal(400, 'identifiers: at most 100 are allowed, got 101'),
  );
});
