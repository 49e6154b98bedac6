import { afterEach, beforeEach, expect, test } from 'vitest';
import { anvilClients, deployToken, mined } from '../support/anvil.ts';
import { run } from '../support/process.ts';
import { openWorld, type World } from '../support/world.ts';
import { ask } from './posts.ts';

const URL_OF_POST = 'https://x.com/alice/status/1541815603606036480';

let world: World;
let key: string;

beforeEach(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: '10000' } });
  const args = ['api-key', 'create', '--name', 'flow'];
  const made = run('src/admin.ts', { args, env: { DATABASE_URL: world.config.databaseUrl } });
  expect(await made.ended, made.output()).toBe(0);
  key = made.output().trimEnd().split('\n').at(-1) ?? '';
});

afterEach(() => world.close());

async function post<T>(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // The tests of each route hold the shapes.
  return { status: response.status, body: (await response.json()) as T };
}

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`${world.url}${path}`)).json()) as T;
}

interface Created {
  gig_id: number;
  gig_wallet_address: `0x${string}`;
  gig_token_address: `0x${string}`;
  total_amount: string;
  tx_data: `0x${string}`;
}

test('behavior: a gig goes from creation over funding and start to 500 tips that people look up', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC', name: 'USD Coin' });
  const created = await post<Created>('/api/gigs/create', {
    chain: 'anvil',
    token_address: token.address,
    amount: 1000,
    start_time: new Date().toISOString(),
    duration: '1week',
    gig_type: 'like',
    platform: 'x',
    url: URL_OF_POST,
    owners: [{ platform: 'farcaster', platform_user_id: '1001', username: 'alice' }],
  });
  expect(created.status).toBe(201);
  expect(created.body.total_amount).toBe('1050.0');
  const gigId = created.body.gig_id;

  expect((await post<{ error: { message: string } }>('/api/gigs/start', { gig_id: gigId })).body.error.message).toBe(
    `Gig with id ${gigId} is not funded`,
  );
  const { wallet } = anvilClients();
  const hash = await wallet.sendTransaction({
    account: token.holder,
    to: created.body.gig_token_address,
    data: created.body.tx_data,
  });
  expect((await mined(hash)).status).toBe('success');

  expect(await ask(world.farcaster, 'alice', `@gigclaim start gig ${gigId}`)).toMatch(`Gig ${gigId} is live until`);
  const late = await post('/api/gigs/start', { gig_id: gigId });
  expect(late).toMatchObject({ status: 400, body: { error: 'Gig is already live' } });

  for (const query of ['status=active', 'status=active&platforms=x']) {
    const [gig] = (await get<{ data: object[] }>(`/api/gigs?${query}`)).data;
    const gig_type = { display: { x: { label: 'Like' } } };
    expect(gig).toMatchObject({ id: gigId, platform: 'x', external_url: URL_OF_POST, gig_type });
  }
  expect((await get<{ data: object[] }>('/api/gigs?status=active&platforms=farcaster')).data).toEqual([]);

  const tips = Array.from({ length: 500 }, (_, index) => ({
    platform: index % 2 === 0 ? 'farcaster' : 'x',
    platform_user_id: String(50_000 + index),
    value: 1.5,
    ...(index === 1 ? { username: 'Somebody' } : {}),
  }));
  const awarded = await post<{ data: unknown[]; remaining: string }>(
    `/api/gigs/${gigId}/tips`,
    { tips },
    { 'idempotency-key': 'batch-1' },
  );
  expect(awarded.status).toBe(201);
  expect(awarded.body.data).toHaveLength(500);
  expect(awarded.body.remaining).toBe('250');
  const again = await post(`/api/gigs/${gigId}/tips`, { tips }, { 'idempotency-key': 'batch-1' });
  expect(again).toEqual(awarded);

  const claimable = await get<{ data: Record<string, { totalValue: number; tips: object[] }>; summary: object }>(
    '/api/claim?identifiers=50000,somebody',
  );
  expect(claimable.summary).toEqual({ total_tokens: 1, total_gigs: 1 });
  const [group] = Object.values(claimable.data);
  expect(group?.totalValue).toBe(3);
  expect(group?.tips).toHaveLength(2);
  const check = (platformUserId: string) => post('/api/tasks/check-completed', { gigId, platformUserId });
  expect((await check('50001')).body).toEqual({ success: true, isCompleted: true });
  expect((await check('somebody')).body).toEqual({ success: true, isCompleted: true });
  expect((await check('49999')).body).toEqual({ success: true, isCompleted: false });
});
