import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import { chainByKey } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { cancelUnfunded } from '../../../src/services/ends/cancel-unfunded.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { deployToken, freshAddress, fundToken, type TestToken } from '../../support/anvil.ts';
import { openTestStore } from '../../support/database.ts';
import { createPayer } from '../../support/payer.ts';
import { type GigSeed, seedGig, seedToken } from '../../support/store.ts';
import { keepSteps } from '../fakes.ts';

const WEEK = 7 * 24 * 3_600_000;
const NOW = 1_795_253_400_000;
let store: Store;
let token: TestToken;
let tokenId: number;
let close: () => Promise<void>;

beforeEach(async () => {
  ({ store, close } = await openTestStore({ clock: () => NOW }));
  token = await deployToken({ decimals: 0, symbol: 'COIN' });
  const { address, decimals, symbol, name } = token;
  tokenId = (await seedToken(store, { chainId: 31337, address, decimals, symbol, name })).id;
});
afterEach(() => close());

/** A gig that needs 105. */
function seed(overrides: GigSeed = {}): Promise<Gig> {
  const money = { tokenId, rewardAmount: 100n, feeAmount: 5n, walletAddress: freshAddress };
  return seedGig(store, { ...money, client: 'owner:farcaster:1003', createdAt: NOW - WEEK, ...overrides });
}

async function run(rpcUrl = inject('anvilUrl')) {
  const chain = chainByKey('anvil');
  if (chain === undefined) throw new Error('anvil is not a known chain');
  const clock = () => NOW;
  const chains = createChains({ endpoints: [{ chain, rpcUrls: [rpcUrl] }], clock, retries: 0, timeoutMs: 2_000 });
  const { log, lines, heldSteps } = keepSteps(clock);
  const { payer } = createPayer({ url: rpcUrl, clock });
  await cancelUnfunded({
    store,
    chains,
    payers: { payer: () => payer },
    clock,
    log,
    heldSteps,
    newId: () => 'attempt',
  });
  return lines;
}

const cancelledAt = async ({ id }: Gig) => (await store.gig(id))?.cancelledAt;

test('behavior: a week after its creation an owner’s gig without its funds is cancelled, and no other', async () => {
  const gigs = {
    empty: await seed(),
    partly: await seed(),
    funded: await seed(),
    more: await seed(),
    young: await seed({ createdAt: NOW - WEEK + 1 }),
    clients: await seed({ client: 'acme' }),
    live: await seed({ live: true }),
  };
  await fundToken(token, gigs.partly.walletAddress, 104n);
  await fundToken(token, gigs.funded.walletAddress, 105n);
  await fundToken(token, gigs.more.walletAddress, 106n);
  await run();
  const found = await Promise.all(Object.entries(gigs).map(async ([name, gig]) => [name, await cancelledAt(gig)]));
  expect(Object.fromEntries(found)).toEqual({
    empty: NOW,
    partly: NOW,
    funded: null,
    more: null,
    young: null,
    clients: null,
    live: null,
  });
  const [event] = await store.auditEvents({ limit: 1, before: undefined });
  expect([event?.action, event?.actor, event?.actorName]).toEqual(['gig.cancel', 'job', 'cancel unfunded gigs']);
});

test('security: where places are scarce an hour is enough, the oldest first, and never for an allowed owner', async () => {
  await store.transaction((tx) => tx.allowOwner('farcaster:7', NOW));
  const hour = { createdAt: NOW - 3_600_000 };
  const funded = await seed(hour);
  await fundToken(token, funded.walletAddress, 105n);
  const allowed = await seed({ ...hour, client: 'owner:farcaster:7' });
  const strangers: Gig[] = [];
  for (let each = 0; each < 84; each += 1)
    strangers.push(await seed({ ...hour, client: `owner:farcaster:${each + 20}` }));
  const young = await seed({ createdAt: NOW - 3_599_999 });
  await run();
  const found = await Promise.all(strangers.map(cancelledAt));
  const kept = found.filter((at) => at === null).length;
  expect([await cancelledAt(funded), await cancelledAt(allowed), await cancelledAt(young)]).toEqual([null, null, null]);
  // The funded one and the young one hold places as well.
  expect([kept <= 73, kept >= 63]).toEqual([true, true]);
  expect(found.slice(0, 84 - kept)).toEqual(Array(84 - kept).fill(NOW));
  await run();
  expect((await Promise.all(strangers.map(cancelledAt))).filter((at) => at === null)).toHaveLength(kept);
});

test('security: where places are scarce, strangers’ funded gigs that nobody starts make room after two weeks, the oldest first', async () => {
  await store.transaction((tx) => tx.allowOwner('farcaster:7', NOW));
  const dust = { rewardAmount: 1n, feeAmount: 0n, createdAt: NOW - 2 * WEEK };
  const fund = async (gig: Gig, amount = 1n) => {
    await fundToken(token, gig.walletAddress, amount);
    return gig;
  };
  const allowed = await fund(await seed({ ...dust, client: 'owner:farcaster:7' }));
  const strangers: Gig[] = [];
  for (let each = 0; each < 76; each += 1)
    strangers.push(await fund(await seed({ ...dust, client: `owner:farcaster:${each + 20}` }), each === 0 ? 2n : 1n));
  const young = await fund(await seed({ ...dust, createdAt: NOW - 2 * WEEK + 1 }));
  const [oldest, ...others] = strangers;
  // While those without funds make room, the others keep their places.
  const empty: Gig[] = [];
  for (let each = 0; each < 4; each += 1) empty.push(await seed({ ...dust, client: `owner:farcaster:${each + 200}` }));
  await run();
  expect(await Promise.all(empty.map(cancelledAt))).toEqual(Array(4).fill(NOW));
  const found = await Promise.all(others.map(cancelledAt));
  const kept = found.filter((at) => at === null).length;
  expect(oldest && (await cancelledAt(oldest))).toBe(NOW);
  expect([await cancelledAt(allowed), await cancelledAt(young)]).toEqual([null, null]);
  expect([kept <= 74, kept >= 65]).toEqual([true, true]);
  expect(found.slice(0, 75 - kept)).toEqual(Array(75 - kept).fill(NOW));
  await run();
  expect((await Promise.all(others.map(cancelledAt))).filter((at) => at === null)).toHaveLength(kept);
});

test('error: what the chain does not tell cancels nothing', async () => {
  const gig = await seed();
  expect(await run('http://127.0.0.1:1')).toEqual([expect.objectContaining({ level: 'warn' })]);
  expect(await cancelledAt(gig)).toBeNull();
  await run();
  expect(await cancelledAt(gig)).toBe(NOW);
});
