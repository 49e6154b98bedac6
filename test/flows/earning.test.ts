import { afterEach, beforeEach, expect, test } from 'vitest';
import { anvilClients, deployToken, freshAddress, mined } from '../support/anvil.ts';
import { run } from '../support/process.ts';
import { openWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 20_000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let world: World;
let key: string;
let ahead: number;

beforeEach(async () => {
  ahead = 0;
  world = await openWorld({ clock: () => Date.now() + ahead, env: { EARNING_LOOK_SECONDS: '1' } });
  const args = ['api-key', 'create', '--name', 'flow'];
  const made = run('src/cli/main.ts', { args, env: { DATABASE_URL: `file:${world.databasePath}` } });
  expect(await made.ended, made.output()).toBe(0);
  key = made.output().trimEnd().split('\n').at(-1) ?? '';
});

afterEach(() => world.close());

async function post<T>(path: string, body: unknown) {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // The tests of each route hold the shapes.
  return { status: response.status, body: (await response.json()) as T };
}

interface Created {
  gig_id: number;
  gig_token_address: `0x${string}`;
  tx_data: `0x${string}`;
}

/** A like gig of 10 USDC over a week that pays by this rule, or the default one, funded and live. */
async function startLikeGig(url: string, rule?: object): Promise<number> {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const created = await post<Created>('/api/gigs/create', {
    chain: 'anvil',
    token_address: token.address,
    amount: 10,
    start_time: new Date(Date.now() + ahead).toISOString(),
    duration: '1week',
    gig_type: 'like',
    url,
    ...(rule === undefined ? {} : { earning_criteria: { rule } }),
  });
  expect(created).toMatchObject({ status: 201 });
  const { gig_id: gigId, gig_token_address: to, tx_data: data } = created.body;
  const { wallet } = anvilClients();
  await mined(await wallet.sendTransaction({ account: token.holder, to, data }));
  expect(await post('/api/gigs/start', { gig_id: gigId })).toMatchObject({ status: 200 });
  return gigId;
}

function addPerson(
  name: string,
  { score = 0.9, age = 400 * DAY_MS, followers = 0 }: { score?: number; age?: number; followers?: number } = {},
): string {
  const id = String(5_000 + world.farcaster.users().length);
  const registeredAt = Date.now() - age;
  world.farcaster.addUser({ id, username: name, score, followers, registeredAt, verifiedAddresses: [freshAddress()] });
  return id;
}

async function claimable(ids: readonly string[]): Promise<number[]> {
  const amounts: number[] = [];
  for (const id of ids) {
    const response = await fetch(`${world.url}/api/claim?identifiers=${id}`);
    const { data } = (await response.json()) as { data: Record<string, { totalValue: number }> };
    amounts.push(Object.values(data).reduce((sum, { totalValue }) => sum + totalValue, 0));
  }
  return amounts;
}

test('behavior: a gig that says "like this cast" pays those who like it, and who stands', async () => {
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const gigId = await startLikeGig(cast.url, { type: 'fixed', amount: 2 });
  const people = [addPerson('one'), addPerson('two'), addPerson('three'), addPerson('young', { age: DAY_MS })];
  for (const who of ['one', 'two', 'three', 'young']) world.farcaster.act({ who, kind: 'like', post: cast.id });
  const { store } = world.runtime;
  const count = async () => (await store.earningCounts(gigId)).map(({ state, count }) => `${count} ${state}`);
  await expect.poll(count, { timeout: PATIENCE_MS }).toEqual(['4 held']);
  expect(await claimable(people)).toEqual([0, 0, 0, 0]);

  world.farcaster.act({ who: 'three', kind: 'unlike', post: cast.id });
  ahead = 12 * HOUR_MS + 60_000;
  await expect.poll(() => claimable(people), { timeout: PATIENCE_MS }).toEqual([2, 2, 0, 0]);
  const account = (platformUserId: string) => ({ platform: 'farcaster', platformUserId });
  expect(await store.earning(gigId, account(people[2] ?? ''))).toMatchObject({ state: 'refused', reason: 'withdrawn' });
  expect(await store.earning(gigId, account(people[3] ?? ''))).toMatchObject({ state: 'refused', reason: 'too_young' });
});

test('behavior: a gig that is split divides a seventh of its reward after a day and the hold, and goes on', async () => {
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const gigId = await startLikeGig(cast.url, { type: 'split' });
  const people = [addPerson('one'), addPerson('two'), addPerson('three')];
  for (const who of ['one', 'two', 'three']) world.farcaster.act({ who, kind: 'like', post: cast.id });
  const { store } = world.runtime;
  const count = async () => (await store.earningCounts(gigId)).map(({ state, count }) => `${count} ${state}`);
  await expect.poll(count, { timeout: PATIENCE_MS }).toEqual(['3 held']);
  ahead = DAY_MS + 12 * HOUR_MS + 60_000;
  await expect.poll(() => claimable(people), { timeout: PATIENCE_MS }).toEqual([0.47619, 0.47619, 0.47619]);
  await expect.poll(() => store.lastRound(gigId)).toMatchObject({ number: 1, state: 'over', pool: 1_428_571n });
  expect(await store.gig(gigId)).toMatchObject({ awardedAmount: 1_428_570n, reservedAmount: 0n });
});

test('behavior: a gig that says nothing of who earns divides by score and reach what tips by request have left', async () => {
  const cast = world.farcaster.post({ author: 'alice', text: 'Like this' });
  const gigId = await startLikeGig(cast.url);
  const people = [addPerson('one'), addPerson('known', { score: 0.6, followers: 1 }), addPerson('friend')];
  for (const who of ['one', 'known']) world.farcaster.act({ who, kind: 'like', post: cast.id });
  const tips = [{ platform: 'farcaster', platform_user_id: people[2], value: 1 }];
  expect(await post(`/api/gigs/${gigId}/tips`, { tips })).toMatchObject({ status: 201 });
  const { store } = world.runtime;
  const count = async () => (await store.earningCounts(gigId)).map(({ state, count }) => `${count} ${state}`);
  await expect.poll(count, { timeout: PATIENCE_MS }).toEqual(['2 held']);
  ahead = DAY_MS + 12 * HOUR_MS + 60_000;
  // A seventh of the nine that are left, by the weights 900,000 × 1 and 600,000 × 2.
  await expect.poll(() => claimable(people), { timeout: PATIENCE_MS }).toEqual([0.55102, 0.734693, 1]);
  const record = await (await fetch(`${world.url}/api/gigs/${gigId}`)).json();
  expect(record).toMatchObject({
    data: {
      earning_rules: { rule: { type: 'weighted', by: 'score_reach', round_hours: 24, max_amount: '1' } },
      earning: { counts: { awarded: 2 }, sums: { held: '0', eligible: '0', awarded: '1.285713', refused: '0' } },
      payout_interval_ms: DAY_MS,
    },
  });
});
