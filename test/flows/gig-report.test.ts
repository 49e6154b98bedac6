import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../src/domain/actor.ts';
import { type Address, checksummed } from '../../src/domain/token.ts';
import { createApiKey } from '../../src/services/operators/api-keys.ts';
import { deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
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

interface Report {
  data: {
    sums: Record<string, string>;
    adds_up: boolean;
    refund: Record<string, string | null>;
    payments: { kind: string; state: string; amount: string; tx_hash: string | null }[];
    gas_used: string;
    accounts: Record<string, unknown>[] | null;
  };
}
const report = async (gigId: number) => (await call<Report>('GET', `/api/gigs/${gigId}/report`)).body.data;

test('behavior: the report of a settled and refunded gig adds up, and names each payment with its transaction', async () => {
  const { gig_id } = await startFunded({ award_days: 0 });
  expect((await award(gig_id, '1001', 30)).status).toBe(201);
  expect((await award(gig_id, '1002', 17.5)).status).toBe(201);
  const recipient = freshAddress();
  const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${recipient}` });
  expect((await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text).toContain('Paid to');
  ahead = 2 * DAY;
  const stateOf = async () => (await report(gig_id)).refund['state'];
  await expect.poll(stateOf, { timeout: PATIENCE_MS }).toBe('due');
  ahead = 6 * DAY;
  await expect.poll(stateOf, { timeout: PATIENCE_MS }).toBe('confirmed');
  const found = await report(gig_id);
  const none = { void: '0', fee_owed: '0', left: '0', beyond: '0' };
  const sums = { reward: '100', fee: '5', awarded: '47.5', paid: '30', pending: '17.5', refund: '52.5', fee_paid: '5' };
  expect(found).toMatchObject({ adds_up: true, sums: { ...none, ...sums } });
  expect(found.refund).toMatchObject({
    amount: '52.5',
    recipient: checksummed(refundTo),
    tx_hash: expect.stringMatching(/^0x/),
  });
  expect(found.payments.map(({ kind, state, amount }) => [kind, state, amount])).toEqual([
    ['fee', 'confirmed', '5'],
    ['refund', 'confirmed', '52.5'],
  ]);
  expect(found.payments[1]?.tx_hash).toBe(found.refund['tx_hash']);
  expect(Number(found.gas_used)).toBeGreaterThan(60_000);
  expect(found.accounts).toMatchObject([
    { status: 'pending', platform_user_id: '1002', amount: '17.5', recipient: null, tx_hash: null },
    {
      status: 'paid',
      platform_user_id: '1001',
      amount: '30',
      recipient: checksummed(recipient),
      tx_hash: expect.stringMatching(/^0x/),
    },
  ]);
});
