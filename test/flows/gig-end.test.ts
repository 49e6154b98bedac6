import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { erc20Abi } from 'viem';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../src/domain/actor.ts';
import type { Address } from '../../src/domain/token.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { openWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 20_000;
const UNIT = 1_000_000n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: World;
let key: string;
let token: TestToken;
let refundTo: Address;
let ahead: number;
const treasury = freshAddress();

beforeEach(async () => {
  ahead = 0;
  const mnemonic = generateMnemonic(wordlist);
  world = await openWorld({
    env: { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: treasury, RATE_LIMIT_PER_MINUTE: '10000' },
    clock: () => Date.now() + ahead,
  });
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  refundTo = freshAddress();
  const { store } = world.runtime;
  const randomBytes = (size: number) => Buffer.alloc(size, 'fake');
  ({ key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'shop', expiresAt: null, scopes: ['gigs:write', 'tips:write', 'gigs:read'] },
  ));
});
afterEach(() => world.close());

async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // The tests of each route hold the shapes.
  return { status: response.status, body: (await response.json()) as T };
}

interface Made {
  gig_id: number;
  gig_wallet_address: Address;
}

async function create(terms: object = {}): Promise<Made> {
  const { status, body } = await call<Made>('POST', '/api/gigs/create', {
    chain: 'anvil',
    token_address: token.address,
    amount: 100,
    start_time: new Date(Date.now() - 1_000).toISOString(),
    duration: '1day',
    gig_type: 'like',
    url: 'https://farcaster.xyz/alice/0x947a76f1',
    earning_criteria: 'The jury decides.',
    refund_address: refundTo,
    owners: [{ platform: 'farcaster', platform_user_id: '1001' }],
    ...terms,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function startFunded(terms: object = {}): Promise<Made> {
  const made = await create(terms);
  await fundToken(token, made.gig_wallet_address, 105n * UNIT);
  expect((await call('POST', '/api/gigs/start', { gig_id: made.gig_id })).status).toBe(200);
  return made;
}

const award = (gigId: number, id: string, value: number) =>
  call<{ error: string }>('POST', `/api/gigs/${gigId}/tips`, {
    tips: [{ platform: 'farcaster', platform_user_id: id, value }],
  });

async function balanceOf(owner: Address): Promise<bigint> {
  const { public: client } = anvilClients();
  return await client.readContract({ address: token.address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
}

interface Record_ {
  data: {
    status: string;
    end_time_ms: number;
    stopped_at: string | null;
    settled_at: string | null;
    cancelled_at: string | null;
    awards_until: string;
  };
}
const record = async (gigId: number) => (await call<Record_>('GET', `/api/gigs/${gigId}`)).body.data;

describe('a gig that is awarded by request', () => {
  test('behavior: what is left returns after the award period and the delay, and what was earned is still paid', async () => {
    const { gig_id, gig_wallet_address } = await startFunded({ award_days: 2 });
    expect((await award(gig_id, '1001', 30)).status).toBe(201);
    ahead = DAY + HOUR;
    expect((await record(gig_id)).status).toBe('ended');
    // The jury decides after the end.
    expect((await award(gig_id, '1002', 17)).status).toBe(201);
    ahead = 3 * DAY + HOUR;
    await expect.poll(async () => (await record(gig_id)).settled_at, { timeout: PATIENCE_MS }).not.toBeNull();
    const late = await award(gig_id, '1003', 1);
    expect(late.status).toBe(400);
    expect(late.body.error).toBe(`Gig with id ${gig_id} is settled: nothing is awarded any more`);
    expect(await balanceOf(refundTo)).toBe(0n);
    ahead = 6 * DAY + 2 * HOUR;
    await expect.poll(() => balanceOf(refundTo), { timeout: PATIENCE_MS }).toBe(53n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(47n * UNIT);
    const paid = freshAddress();
    const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${paid}` });
    expect((await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text).toContain('Paid to');
    expect(await balanceOf(paid)).toBe(30n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(17n * UNIT);
    expect(await balanceOf(refundTo)).toBe(53n * UNIT);
  });

  test('behavior: an owner stops it, settles it early, and the refund arrives', async () => {
    const { gig_id } = await startFunded();
    expect((await award(gig_id, '1001', 40)).status).toBe(201);
    const said = async (text: string) => {
      const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim ${text}` });
      return (await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text;
    };
    expect(await said(`settle gig ${gig_id}`)).toContain(`Gig ${gig_id} has not ended.`);
    expect(await said(`stop gig ${gig_id}`)).toContain(`Gig ${gig_id} is stopped.`);
    const stopped = await record(gig_id);
    expect([stopped.status, stopped.stopped_at === null]).toEqual(['ended', false]);
    expect(await said(`settle gig ${gig_id}`)).toContain('Left: 60 USDC. It returns to 0x');
    ahead = 3 * DAY + HOUR;
    await expect.poll(() => balanceOf(refundTo), { timeout: PATIENCE_MS }).toBe(60n * UNIT);
  });

  test('security: another account cannot stop, settle or cancel it', async () => {
    const { gig_id } = await startFunded();
    for (const word of ['stop', 'settle', 'cancel']) {
      const cast = world.farcaster.post({ author: 'bob', text: `@gigclaim ${word} gig ${gig_id}` });
      const reply = await world.farcaster.waitForReply(cast.id, PATIENCE_MS);
      expect(reply?.text).toBe(`Only an owner of gig ${gig_id} can ${word} it.`);
    }
    expect((await record(gig_id)).stopped_at).toBeNull();
  });
});

describe('a gig that never started', () => {
  test('behavior: it is cancelled, and all that it holds, funded in part, returns', async () => {
    const { gig_id, gig_wallet_address } = await create();
    await fundToken(token, gig_wallet_address, 42n * UNIT);
    const { status, body } = await call<Record_>('POST', `/api/gigs/${gig_id}/cancel`);
    expect([status, body.data.status]).toEqual([200, 'cancelled']);
    await expect.poll(() => balanceOf(refundTo), { timeout: PATIENCE_MS }).toBe(42n * UNIT);
    expect(await balanceOf(gig_wallet_address)).toBe(0n);
    const start = await call<{ error: string }>('POST', '/api/gigs/start', { gig_id });
    expect([start.status, start.body.error]).toEqual([400, `Gig with id ${gig_id} is cancelled`]);
    expect((await call('PATCH', `/api/gigs/${gig_id}`, { amount: 1 })).status).toBe(400);
    const again = await call<Record_>('POST', `/api/gigs/${gig_id}/cancel`);
    expect(again.body.data.cancelled_at).toBe(body.data.cancelled_at);
    const open = await call<{ data: { id: number }[] }>('GET', '/api/gigs?status=created');
    expect(open.body.data).toEqual([]);
    const all = await call<{ data: { id: number }[] }>('GET', '/api/gigs?status=all');
    expect(all.body.data.map(({ id }) => id)).toEqual([gig_id]);
  });

  test('security: where its money returns to stays as it was when the money came', async () => {
    const { gig_id, gig_wallet_address } = await create({ refund_address: null });
    const change = (refund_address: Address | null) =>
      call<{ details: string[] }>('PATCH', `/api/gigs/${gig_id}`, { refund_address });
    expect((await change(refundTo)).status).toBe(200);
    await fundToken(token, gig_wallet_address, 1n);
    for (const address of [freshAddress(), null]) {
      const { status, body } = await change(address);
      expect(status).toBe(400);
      expect(body.details).toEqual([
        'refund_address cannot be changed: the wallet of this gig holds 0.000001 USDC already',
      ]);
    }
    expect((await call('PATCH', `/api/gigs/${gig_id}`, { amount: 7, refund_address: refundTo })).status).toBe(200);
  });

  test('error: a live gig is not cancelled', async () => {
    const { gig_id } = await startFunded();
    const { status, body } = await call<{ error: string }>('POST', `/api/gigs/${gig_id}/cancel`);
    expect([status, body.error]).toEqual([400, 'Gig is already live']);
  });
});

test('behavior: nothing returns when all was awarded, and the books are closed', async () => {
  const { gig_id } = await startFunded({ award_days: 0 });
  expect((await award(gig_id, '1001', 100)).status).toBe(201);
  const { store } = world.runtime;
  ahead = 2 * DAY;
  await expect.poll(async () => (await record(gig_id)).settled_at, { timeout: PATIENCE_MS }).not.toBeNull();
  ahead = 6 * DAY;
  await expect.poll(async () => (await store.gig(gig_id))?.refundedAt ?? null, { timeout: PATIENCE_MS }).not.toBeNull();
  expect((await store.paymentsOfGig(gig_id)).map(({ kind }) => kind)).toEqual(['fee']);
});
