import { parseEther } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { createWallets } from '../../../../src/chain/wallets.ts';
import { anvilClients, deployToken, freshAccount, mined } from '../../../support/anvil.ts';
import { forThisTest, openService, type Service, type ServiceOptions, service, shareService } from '../../service.ts';
import { create, knowDegen, published, refusal, TERMS, told } from '../../terms.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

async function withService(options: ServiceOptions, run: (other: Service) => Promise<void>): Promise<void> {
  const other = await forThisTest(openService(options));
  await knowDegen(other);
  await run(other);
}

const newestBlock = () => anvilClients().public.getBlockNumber();
const allGigs = (other: Service) => other.store.gigs({ phase: 'all', now: 0, limit: 100 });

test('behavior: a created gig is told with its wallet, its amounts and the transfer that funds it', async () => {
  // The public mnemonic of every local node; anvil itself printed what account 42 has for an address.
  const wallets = createWallets('test test test test test test test test test test test junk');
  await withService({ wallets }, async (other) => {
    await other.store.transaction(async (tx) => {
      for (let id = 1; id < 42; id += 1) expect(await tx.reserveGigId()).toBe(id);
    });
    const before = await newestBlock();
    const answer = await other.send('POST', '/api/gigs/create', TERMS);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(published(answer, await answer.json())).toEqual({
      gig_id: 42,
      gig_wallet_address: '0x9eBb83FC48833b5AA9baeb1607b3b6384C49DA08',
      gig_token_address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
      gig_chain_id: 31337,
      gig_balance: '10.0',
      platform_fee: '0.5',
      total_amount: '10.5',
      tx_data:
        '0xa9059cbb0000000000000000000000009ebb83fc48833b5aa9baeb1607b3b6384c49da08' +
        '00000000000000000000000000000000000000000000000091b77e5e5d9a0000',
    });
    expect(await other.store.gig(42)).toMatchObject({
      status: 'created',
      production: false,
      rewardAmount: 10_000_000_000_000_000_000n,
      feeAmount: 500_000_000_000_000_000n,
      awardedAmount: 0n,
      startTime: 1_795_339_800_000,
      endTime: 1_795_944_600_000,
      duration: 604_800_000,
      gigType: 'mention',
      platform: 'farcaster',
      howToEarn: null,
      earningCriteria: null,
      externalUrl: null,
      verifier: null,
      walletAddress: '0x9ebb83fc48833b5aa9baeb1607b3b6384c49da08',
      createdAt: 1_795_253_400_000,
    });
    // Other tests share the chain.
    const created = (await other.store.gig(42))?.createdBlock ?? -1n;
    expect(created >= before && created <= (await newestBlock())).toBe(true);
  });
});

test('behavior: what is told of the funding, sent as it is, funds the gig exactly, and it starts', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC', name: 'USD Coin' });
  const created = await create(service, { token_address: token.address, amount: '1234.567891' });
  expect(created).toMatchObject({ gig_balance: '1234.567891', platform_fee: '61.728394', total_amount: '1296.296285' });
  expect((await service.start(created.gig_id)).status).toBe(400);
  const { wallet } = anvilClients();
  const hash = await wallet.sendTransaction({
    account: token.holder,
    to: created.gig_token_address,
    data: created.tx_data,
  });
  expect((await mined(hash)).status).toBe('success');
  expect(await told(service.start(created.gig_id))).toEqual({
    status: 200,
    body: { data: { message: 'Gig started successfully', gig_id: created.gig_id } },
  });
  expect(await service.store.token(31337, token.address)).toMatchObject({
    name: 'USD Coin',
    symbol: 'USDC',
    decimals: 6,
    isNative: false,
    imageUrl: '',
    coingeckoId: null,
  });
  const [booked] = await service.store.gigTransactions(created.gig_id);
  expect(booked).toMatchObject({ amount: 1_234_567_891n, commissionAmount: 61_728_394n });
});

test.each([NATIVE, NATIVE.toLowerCase()])(
  'behavior: a gig in the native asset (%s) is funded by value alone',
  async (native) => {
    const created = await create(service, { token_address: native, amount: 0.25 });
    expect(created).toMatchObject({
      gig_token_address: NATIVE,
      gig_balance: '0.25',
      platform_fee: '0.0125',
      total_amount: '0.2625',
      tx_data: '0x',
    });
    expect((await service.start(created.gig_id)).status).toBe(400);
    const { wallet } = anvilClients();
    const account = await freshAccount();
    const value = parseEther('0.2625');
    const hash = await wallet.sendTransaction({ account, to: created.gig_wallet_address, data: '0x', value });
    expect((await mined(hash)).status).toBe('success');
    expect((await service.start(created.gig_id)).status).toBe(200);
    expect(await service.store.gig(created.gig_id)).toMatchObject({
      token: { isNative: true, symbol: 'ETH', name: 'Ether', decimals: 18 },
    });
  },
);

test.each([
  { decimals: 6, amount: 10, told: ['10.0', '0.5', '10.5'] },
  { decimals: 6, amount: '10', told: ['10.0', '0.5', '10.5'] },
  { decimals: 6, amount: '10.000000', told: ['10.0', '0.5', '10.5'] },
  { decimals: 0, amount: 19, told: ['19.0', '0.0', '19.0'] },
  { decimals: 0, amount: 20, told: ['20.0', '1.0', '21.0'] },
  { decimals: 2, amount: 1.23, told: ['1.23', '0.06', '1.29'] },
  { decimals: 18, amount: '0.000000000000000001', told: ['0.000000000000000001', '0.0', '0.000000000000000001'] },
  { decimals: 8, amount: 0.0000005, told: ['0.0000005', '0.00000002', '0.00000052'] },
  { decimals: 18, amount: 0.1, told: ['0.1', '0.005', '0.105'] },
  {
    decimals: 18,
    amount: 9_007_199_254_740_991,
    told: ['9007199254740991.0', '450359962737049.55', '9457559217478040.55'],
  },
  {
    decimals: 18,
    amount: '9007199254740993.000000000000000001',
    told: ['9007199254740993.000000000000000001', '450359962737049.65', '9457559217478042.650000000000000001'],
  },
  {
    decimals: 0,
    // With its fee exactly what a token can count, 2^256 - 1.
    amount: '110278180226015424212924747627321817003114271110133870513769127626583932990415',
    told: [
      '110278180226015424212924747627321817003114271110133870513769127626583932990415.0',
      '5513909011300771210646237381366090850155713555506693525688456381329196649520.0',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935.0',
    ],
  },
])('behavior: $amount of a token of $decimals decimals', async ({ decimals, amount, told: expected }) => {
  const token = await deployToken({ decimals });
  const created = await create(service, { token_address: token.address, amount });
  expect([created.gig_balance, created.platform_fee, created.total_amount]).toEqual(expected);
});

test('behavior: the fee follows the configuration and is rounded down', async () => {
  await withService({ config: { platformFeeBps: 0 } }, async (other) => {
    expect(await create(other)).toMatchObject({ platform_fee: '0.0', total_amount: '10.0' });
  });
  await withService({ config: { platformFeeBps: 1 } }, async (other) => {
    expect(await create(other, { amount: '0.000000000000019999' })).toMatchObject({
      platform_fee: '0.000000000000000001',
      total_amount: '0.00000000000002',
    });
  });
});

test('behavior: every gig has a wallet of its own', async () => {
  const gigs = await Promise.all(Array.from({ length: 20 }, () => create(service)));
  expect(new Set(gigs.map(({ gig_id: id }) => id)).size).toBe(20);
  expect(new Set(gigs.map(({ gig_wallet_address: wallet }) => wallet)).size).toBe(20);
});

test('behavior: gigs for the same unknown token at the same time share one token', async () => {
  const { address } = await deployToken({ decimals: 6, symbol: 'ONCE' });
  const gigs = await Promise.all(Array.from({ length: 10 }, () => create(service, { token_address: address })));
  const known = await Promise.all(gigs.map(async ({ gig_id: id }) => (await service.store.gig(id))?.token.id));
  expect(new Set(known).size).toBe(1);
});

test('behavior: owners are kept under their ids, with the handles they came with', async () => {
  const owners = [
    { platform: 'farcaster', platform_user_id: '8004', username: '@alice' },
    { platform: 'x', platform_user_id: '1541815603606036480' },
    { platform: 'twitter', platform_user_id: 12, username: 'Bob' },
    { platform: 'farcaster', platform_user_id: 8004 },
  ];
  const { gig_id: id } = await create(service, { owners });
  expect(await service.store.gigOwners(id)).toEqual([
    { platform: 'farcaster', platformUserId: '8004', username: 'alice' },
    { platform: 'twitter', platformUserId: '1541815603606036480', username: null },
    { platform: 'twitter', platformUserId: '12', username: 'Bob' },
  ]);
});

test('error: a chain or a token that is not there is a 404 that names it', async () => {
  const post = (terms: object) => told(service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }));
  expect(await post({ chain: 'solana' })).toEqual(refusal(404, 'Chain not found'));
  // Known to the program, not enabled in this service.
  expect(await post({ chain: 'base' })).toEqual(refusal(404, 'Chain not found'));
  expect(await post({ chain: 'Anvil' })).toEqual(refusal(404, 'Chain not found'));
  expect(await post({ chain: 'constructor' })).toEqual(refusal(404, 'Chain not found'));
  expect(await post({ token_address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' })).toEqual(
    refusal(404, 'Token with address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed not found on chain anvil'),
  );
});

test('error: without a mnemonic nothing is created, and the answer says why', async () => {
  await withService({ wallets: null }, async (other) => {
    const off = refusal(503, 'Gig wallets are turned off: the operator has not set GIG_WALLET_MNEMONIC');
    expect(await told(other.send('POST', '/api/gigs/create', TERMS))).toEqual(off);
    expect(await told(other.send('POST', '/api/gigs/create', TERMS, { 'idempotency-key': 'k' }))).toEqual(off);
    expect(await told(other.send('POST', '/api/gigs/create', {}))).toMatchObject({ status: 400 });
    expect(await allGigs(other)).toEqual([]);
  });
});

test('error: a chain that is down is a 503, and nothing is created', async () => {
  // Nothing listens on that port.
  await withService({ rpcUrl: 'http://127.0.0.1:9' }, async (other) => {
    const answer = await other.send('POST', '/api/gigs/create', {
      ...TERMS,
      token_address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(published(answer, await answer.json())).toEqual({
      error: 'The chain of this gig cannot be reached right now; nothing was changed, try again later',
    });
    expect(await allGigs(other)).toEqual([]);
    expect(await other.store.token(31337, '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toBeNull();
    // Also with a known token, whose wallet might not be fresh.
    expect((await other.send('POST', '/api/gigs/create', TERMS)).status).toBe(503);
    expect(await allGigs(other)).toEqual([]);
  });
});

test('security: creating takes a usable key, before anything is looked at', async () => {
  const before = (await allGigs(service)).length;
  for (const key of ['', 'wrong', service.key.toUpperCase()]) {
    const answer = service.send('POST', '/api/gigs/create', '{', { 'x-api-key': key });
    expect(await told(answer)).toEqual(refusal(401, 'Invalid API key'));
  }
  expect(await allGigs(service)).toHaveLength(before);
});
