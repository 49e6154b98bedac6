import { describe, expect, test } from 'vitest';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { freshAddress, fundNative } from '../../support/anvil.ts';
import { SEEDED_AT, seedGig, seedToken } from '../../support/store.ts';
import { desk, failure, output, refusal, useDesk } from '../admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'twitter', platformUserId: '1700000000000001002' } as const;
const DAY = 86_400_000;

useDesk();

/** A gig for 2 ether and a fee of 0.1 on the local chain, whose wallet holds this many wei. */
async function seedNativeGig(held: bigint, options: { live?: boolean } = {}) {
  const terms = { chainId: 31337, address: NATIVE_TOKEN_ADDRESS, name: 'Ether', symbol: 'ETH', isNative: true };
  const token = await seedToken(desk.store, terms);
  const wallet = freshAddress();
  if (held > 0n) await fundNative(wallet, held);
  return await seedGig(desk.store, {
    tokenId: token.id,
    rewardAmount: 2n * 10n ** 18n,
    feeAmount: 10n ** 17n,
    walletAddress: () => wallet,
    owners: [ALICE],
    startTime: SEEDED_AT + DAY,
    ...options,
  });
}

describe('gig list', () => {
  test('behavior: shows gigs with their state and owners, the newest first', async () => {
    await desk.store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
    await seedGig(desk.store, { owners: [ALICE, BOB] });
    await seedGig(desk.store, { live: true, startTime: SEEDED_AT + DAY });
    await seedGig(desk.store, { live: true, platform: 'twitter' });
    await seedGig(desk.store, { live: true, startTime: SEEDED_AT - DAY });
    const gigs = await desk.json('gig', 'list');
    expect(gigs).toMatchObject([
      { id: 4, state: 'ended' },
      { id: 3, state: 'live', platform: 'twitter' },
      { id: 2, state: 'scheduled' },
      { id: 1, state: 'created' },
    ]);
    expect(gigs).toHaveProperty('3', {
      id: 1,
      state: 'created',
      platform: 'farcaster',
      type: 'mention',
      title: null,
      start: 'on_request',
      start_until: null,
      start_refusal: null,
      owners_may_award: false,
      chain: 'base',
      token: { symbol: 'DEGEN', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', decimals: 18 },
      reward: '100',
      fee: '5',
      required: '105',
      awarded: '0',
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-02T00:00:00.000Z',
      wallet_address: '0x0000000000000000000000000000000000000001',
      owners: [
        { platform: 'farcaster', platform_user_id: '1001', username: 'alice' },
        { platform: 'twitter', platform_user_id: '1700000000000001002', username: null },
      ],
      created_at: '2026-01-01T00:00:00.000Z',
      client: null,
      created_by: null,
    });
    const { out } = await desk.admin(['gig', 'list']);
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 5).join('|'))).toEqual([
      'id|state|platform|type|reward',
      '4|ended|farcaster|mention|100 DEGEN',
      '3|live|twitter|mention|100 DEGEN',
      '2|scheduled|farcaster|mention|100 DEGEN',
      '1|created|farcaster|mention|100 DEGEN',
      '',
    ]);
    expect(out).toContain('farcaster:1001 (@alice), twitter:1700000000000001002');
  });

  test('behavior: is narrowed by state and platform, and goes page by page', async () => {
    await seedGig(desk.store);
    await seedGig(desk.store, { live: true, platform: 'twitter' });
    await seedGig(desk.store, { live: true });
    const shown = (...options: string[]) => desk.column('id', 'gig', 'list', ...options);
    expect(await shown('--state', 'created')).toEqual([1]);
    expect(await shown('--state', 'active')).toEqual([3, 2]);
    expect(await shown('--platform', 'x')).toEqual([2]);
    expect(await shown('--platform', 'twitter')).toEqual([2]);
    expect(await shown('--limit', '2')).toEqual([3, 2]);
    expect(await shown('--limit', '2', '--before', '2')).toEqual([1]);
  });

  test('behavior: says when there is nothing', async () => {
    expect(await output(desk.admin(['gig', 'list']))).toBe('No gigs found.\n');
    expect(await desk.json('gig', 'list')).toEqual([]);
  });
});

describe('gig show', () => {
  test('behavior: reads the wallet on the chain and says what is missing', async () => {
    await seedNativeGig(5n * 10n ** 17n);
    const out = await output(desk.admin(['gig', 'show', '1']));
    expect(out).toMatch(/^ {2}state +created$/m);
    expect(out).toMatch(/^ {2}owners +farcaster:1001$/m);
    expect(out).toMatch(/^ {2}in the wallet +0\.5 ETH at block [0-9]+: 1\.6 ETH are missing$/m);
    expect(await desk.json('gig', 'show', '1')).toMatchObject({
      id: 1,
      state: 'created',
      required: '2.1',
      funding: { required: '2.1', held: '0.5', exact: false },
    });
  });

  test.each([
    [21n * 10n ** 17n, /in the wallet +2\.1 ETH at block [0-9]+: exactly what it needs to start/],
    [
      21n * 10n ** 17n + 1n,
      /in the wallet +2\.100000000000000001 ETH at block [0-9]+: 0\.000000000000000001 ETH are too much/,
    ],
  ])('behavior: a wallet with %i wei of the 2.1 ether it needs', async (held, expected) => {
    await seedNativeGig(held);
    expect((await desk.admin(['gig', 'show', '1'])).out).toMatch(expected);
  });

  test('behavior: of a live gig only what is held is said, because it pays out', async () => {
    await seedNativeGig(10n ** 18n, { live: true });
    expect((await desk.admin(['gig', 'show', '1'])).out).toMatch(/in the wallet +1 ETH at block [0-9]+$/m);
  });

  test('error: a chain that does not answer leaves the funding open and fails; the gig is shown', async () => {
    await seedNativeGig(0n);
    const env = { RPC_URL_31337: 'http://127.0.0.1:1' };
    const { code, out, err } = await desk.admin(['gig', 'show', '1', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ id: 1, funding: null });
    expect(err).toBe(
      'The funding of gig 1 is unknown: chain anvil: the endpoint could not be reached for eth_chainId\n',
    );
  });

  test('error: a chain that is not enabled', async () => {
    await seedGig(desk.store);
    expect(await failure(desk.admin(['gig', 'show', '1']))).toBe(
      'The funding of gig 1 is unknown: chain id 8453 is not enabled\n',
    );
  });

  test('error: a gig that does not exist', async () => {
    const outcome = { code: 1, out: '', err: 'There is no gig 9; see gig list.\n' };
    expect(await desk.admin(['gig', 'show', '9'])).toEqual(outcome);
  });
});

describe('gig owner add', () => {
  test('behavior: adds an owner under its number and remembers its handle', async () => {
    await seedGig(desk.store);
    const added = await desk.admin(['gig', 'owner', 'add', '1', 'x', '1700000000000001002', '--username', '@bob']);
    expect(added).toEqual({ code: 0, err: '', out: 'twitter:1700000000000001002 (@bob) is now an owner of gig 1.\n' });
    expect(await desk.store.ownsGig(1, BOB)).toBe(true);
    expect(await desk.store.gigOwners(1)).toEqual([{ ...BOB, username: 'bob' }]);
  });

  test('behavior: an owner stays one, and without a handle keeps the one it had', async () => {
    await seedGig(desk.store);
    await desk.admin(['gig', 'owner', 'add', '1', 'farcaster', '1001', '--username', 'alice']);
    expect(await output(desk.admin(['gig', 'owner', 'add', '1', 'farcaster', '1001']))).toBe(
      'farcaster:1001 owned gig 1 already.\n',
    );
    expect(await desk.store.gigOwners(1)).toEqual([{ ...ALICE, username: 'alice' }]);
  });

  test('error: a gig that does not exist gets no owner', async () => {
    expect(await refusal(desk.admin(['gig', 'owner', 'add', '9', 'farcaster', '1001', '--username', 'alice']))).toBe(
      'There is no gig 9; see gig list.\n',
    );
    expect(await desk.store.account(ALICE)).toBeNull();
  });
});
