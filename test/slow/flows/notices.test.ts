import { afterEach, beforeEach, expect, test } from 'vitest';
import { fundToken } from '../../support/anvil.ts';
import { openWatchedWorld, type WatchedWorld } from '../../support/watched-world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const OWNERS = [
  { platform: 'farcaster', platform_user_id: '1002', username: 'bob' },
  { platform: 'x', platform_user_id: '1700000000000001002', username: 'bob' },
];
const LIVE = /^Gig 1 is live until \d+ \w{3} 20\d\d, \d\d:\d\d UTC\.$/;
const MOSTLY = 'Gig 1 has awarded 80 % of its reward: 8 of 10 USDC.';
const ENDED = /^Gig 1 ended at \d+ \w{3} 20\d\d, \d\d:\d\d UTC\. Awarded: 8 of 10 USDC\.$/;

let watched: WatchedWorld;
beforeEach(async () => {
  watched = await openWatchedWorld();
});
afterEach(() => watched.close());

/** A manual gig of 10 USDC that bob owns on both networks; what it takes to fund it. */
async function createGig() {
  const terms = watched.terms({ gig_type: 'mention', earning_criteria: 'Be kind.', owners: OWNERS });
  const created = await watched.send<{ gig_id: number }>('POST', '/api/gigs/create', terms);
  expect(created).toMatchObject({ status: 201, body: { gig_id: 1 } });
}

/** Funds the gig's wallet with exactly what it needs. */
async function fund(): Promise<void> {
  const wallet = (await watched.store.gig(1))?.walletAddress ?? '0x';
  await fundToken(watched.token, wallet, 10_500_000n, watched.rpcUrl);
}

async function award(value: number): Promise<void> {
  const tips = [{ platform: 'farcaster', platform_user_id: '1001', value }];
  expect(await watched.send('POST', '/api/gigs/1/tips', { tips })).toMatchObject({ status: 201 });
}

type Network = 'farcaster' | 'x';
const under = (network: Network, id: string) => watched.world[network].repliesTo(id).map(({ text }) => text);

/** Waits until the bot has posted so many replies under a post. */
async function told(network: Network, id: string, count: number): Promise<string[]> {
  await expect.poll(() => under(network, id).length).toBe(count);
  return under(network, id);
}

test('behavior: who starts a gig by a cast is told under it what becomes of the gig, once through kills and lost answers', async () => {
  const { farcaster } = watched.world;
  await createGig();
  await fund();
  const start = farcaster.post({ author: 'bob', text: '@gigclaim start gig 1' });
  expect((await told('farcaster', start.id, 1))[0]).toMatch(LIVE);
  // The network does what it is told, and cuts the connection: the process ends while the outcome is unknown.
  Object.assign(farcaster.faults, { api: 'drop_answer', route: 'reply', remaining: null });
  await award(8);
  await told('farcaster', start.id, 2);
  await watched.world.stop();
  Object.assign(farcaster.faults, { api: 'none' });
  await watched.world.start();
  const notice = async () => (await watched.world.runtime.store.replies({ limit: 1 }))[0];
  await expect.poll(async () => (await notice())?.state).toBe('sent');
  // It is recorded, and the process ends before it is sent.
  Object.assign(farcaster.faults, { api: 'rate_limited', route: 'reply', remaining: null });
  await watched.later(8 * DAY_MS);
  await expect.poll(async () => (await notice())?.notice?.event).toBe('ended');
  await watched.world.stop();
  Object.assign(farcaster.faults, { api: 'none' });
  await watched.world.start();
  const texts = await told('farcaster', start.id, 3);
  expect(texts[1]).toBe(MOSTLY);
  expect(texts[2]).toMatch(ENDED);
  expect(farcaster.posts().filter(({ text }) => text.startsWith('Gig 1 '))).toHaveLength(3);
});

test('behavior: who asks on X is told there of the funding and of the start, and nothing after "unnotify"', async () => {
  const { x } = watched.world;
  await createGig();
  const asked = x.post({ author: 'bob', text: '@gigclaim notify gig 1' });
  expect((await told('x', asked.id, 1))[0]).toContain('updates on gig 1 as replies');
  await fund();
  await watched.later(60_000);
  expect((await told('x', asked.id, 2))[1]).toContain('Gig 1 is funded: its wallet holds exactly 10.5 USDC.');
  expect(await watched.send('POST', '/api/gigs/start', { gig_id: 1 })).toMatchObject({ status: 200 });
  expect((await told('x', asked.id, 3))[2]).toContain('Gig 1 is live until ');
  const off = x.post({ author: 'bob', text: '@gigclaim unnotify gig 1' });
  await told('x', off.id, 1);
  await award(8);
  await watched.later(8 * DAY_MS);
  const open = async () => (await watched.world.runtime.store.openTellings()).length;
  await expect.poll(open).toBe(0);
  expect(under('x', asked.id)).toHaveLength(3);
  expect(watched.world.farcaster.posts().filter(({ author }) => author.username === 'gigclaim')).toEqual([]);
});
