import { describe, expect, inject, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import type { Chains } from '../../../src/domain/chains/chain.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { PayerChains } from '../../../src/domain/payments/payer-chain.ts';
import { cancelUnfunded } from '../../../src/services/ends/cancel-unfunded.ts';
import type { UnfundedContext } from '../../../src/services/ends/context.ts';
import { deployToken, freshAddress, fundToken } from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { type GigSeed, seedGig } from '../../support/store.ts';
import { seedTestToken } from '../cashier.ts';
import { keepSteps } from '../fakes.ts';

const WEEK = 7 * 24 * 3_600_000;
const NOW = 1_795_253_400_000;
const { store } = storePerCase({ clock: () => NOW });
const token = perCase(() => deployToken({ decimals: 0, symbol: 'COIN' }));

/** A gig that needs 105. */
async function seed(overrides: GigSeed = {}): Promise<Gig> {
  const { id: tokenId } = await seedTestToken(store, token);
  const money = { tokenId, rewardAmount: 100n, feeAmount: 5n, walletAddress: freshAddress };
  return await seedGig(store, { ...money, client: 'owner:farcaster:1003', createdAt: NOW - WEEK, ...overrides });
}

/** Gigs of as many strangers. */
async function seedStrangers(count: number, terms: GigSeed, first = 20): Promise<Gig[]> {
  const gigs: Gig[] = [];
  for (let each = 0; each < count; each += 1)
    gigs.push(await seed({ ...terms, client: `owner:farcaster:${each + first}` }));
  return gigs;
}

async function run(rpcUrl = inject('anvilUrl')) {
  const clock = () => NOW;
  const endpoints = [{ chain: ANVIL, rpcUrls: [rpcUrl] as const }];
  const chains = createChains({ endpoints, clock, retries: 0, timeoutMs: 2_000 });
  const { lines, ...steps } = keepSteps(clock);
  const { payer } = createPayer({ url: rpcUrl, clock });
  await cancelUnfunded({ store, chains, payers: { payer: () => payer }, clock, ...steps, newId: () => 'attempt' });
  return lines;
}

const cancelledAt = async ({ id }: Gig) => (await store.gig(id))?.cancelledAt;
const allCancelledAt = (gigs: readonly Gig[]) => Promise.all(gigs.map(cancelledAt));
const countKept = async (gigs: readonly Gig[]) => (await allCancelledAt(gigs)).filter((at) => at === null).length;

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
  const kept = { funded: null, more: null, young: null, clients: null, live: null };
  expect(Object.fromEntries(found)).toEqual({ empty: NOW, partly: NOW, ...kept });
  const [event] = await store.auditEvents({ limit: 1, before: undefined });
  expect([event?.action, event?.actor, event?.actorName]).toEqual(['gig.cancel', 'job', 'cancel unfunded gigs']);
});

test('security: where places are scarce an hour is enough, the oldest first, and never for an allowed owner', async () => {
  await store.transaction((tx) => tx.allowOwner('farcaster:7', NOW));
  const hour = { createdAt: NOW - 3_600_000 };
  const funded = await seed(hour);
  await fundToken(token, funded.walletAddress, 105n);
  const allowed = await seed({ ...hour, client: 'owner:farcaster:7' });
  const strangers = await seedStrangers(84, hour);
  const young = await seed({ createdAt: NOW - 3_599_999 });
  await run();
  const [found, kept] = [await allCancelledAt(strangers), await countKept(strangers)];
  expect(await allCancelledAt([funded, allowed, young])).toEqual([null, null, null]);
  // The funded one and the young one hold places as well.
  expect([kept <= 73, kept >= 63]).toEqual([true, true]);
  expect(found.slice(0, 84 - kept)).toEqual(Array(84 - kept).fill(NOW));
  await run();
  expect(await countKept(strangers)).toBe(kept);
});

test('security: where places are scarce, strangers’ funded gigs that nobody starts make room after two weeks, the oldest first', async () => {
  await store.transaction((tx) => tx.allowOwner('farcaster:7', NOW));
  const dust = { rewardAmount: 1n, feeAmount: 0n, createdAt: NOW - 2 * WEEK };
  const fund = async (gig: Gig, amount = 1n) => {
    await fundToken(token, gig.walletAddress, amount);
    return gig;
  };
  const allowed = await fund(await seed({ ...dust, client: 'owner:farcaster:7' }));
  const [oldest, ...others] = await seedStrangers(76, dust);
  await fund(oldest ?? allowed, 2n);
  for (const other of others) await fund(other);
  const young = await fund(await seed({ ...dust, createdAt: NOW - 2 * WEEK + 1 }));
  // While those without funds make room, the others keep their places.
  const empty = await seedStrangers(4, dust, 200);
  await run();
  expect(await allCancelledAt(empty)).toEqual(Array(4).fill(NOW));
  const [found, kept] = [await allCancelledAt(others), await countKept(others)];
  expect(oldest && (await cancelledAt(oldest))).toBe(NOW);
  expect(await allCancelledAt([allowed, young])).toEqual([null, null]);
  expect([kept <= 74, kept >= 65]).toEqual([true, true]);
  expect(found.slice(0, 75 - kept)).toEqual(Array(75 - kept).fill(NOW));
  await run();
  expect(await countKept(others)).toBe(kept);
});

test('error: what the chain does not tell cancels nothing', async () => {
  const gig = await seed();
  expect(await run('http://127.0.0.1:1')).toEqual([expect.objectContaining({ level: 'warn' })]);
  expect(await cancelledAt(gig)).toBeNull();
  await run();
  expect(await cancelledAt(gig)).toBe(NOW);
});

describe('with a chain in memory on which wallets hold nothing', () => {
  /** What is asked of it, and how; what it is asked for can be refused. */
  function openChain() {
    const asked: string[] = [];
    const answers = { held: 0n, refuse: (_what: string) => undefined as Error | undefined };
    const tell = async <T>(what: string, answer: T): Promise<T> => {
      asked.push(what);
      const error = answers.refuse(what);
      if (error !== undefined) throw error;
      return answer;
    };
    const balances = (queries: readonly object[]) =>
      tell(
        'balances',
        queries.map(() => answers.held),
      );
    const payer = {
      balances,
      head: () => tell('head', { latest: { number: 1n } }),
      delegated: (wallets: readonly string[]) =>
        tell(
          'delegated',
          wallets.map(() => false),
        ),
    };
    const chains = { reader: () => ({ balances, decide: <T>(run: () => T) => run() }) } as unknown as Chains;
    const payers = { payer: () => payer } as unknown as PayerChains;
    const { heldSteps, log, lines } = keepSteps(() => NOW);
    const deps: UnfundedContext = { store, chains, payers, clock: () => NOW, heldSteps, log, newId: () => 'attempt' };
    return { asked, answers, deps, heldSteps, lines };
  }

  test('behavior: one that is being started keeps no other from its end, and a fault of ours is passed on', async () => {
    const [starting, other] = [await seed(), await seed()];
    const lock = { holder: 'start', now: NOW, until: NOW + 60_000 };
    await store.transaction((tx) => tx.lockGig(starting.id, lock));
    const { deps, lines } = openChain();
    await cancelUnfunded(deps);
    expect(await allCancelledAt([starting, other])).toEqual([null, NOW]);
    expect(lines).toMatchObject([{ level: 'info', gigId: other.id }]);
    const transaction = () => Promise.reject(new TypeError('ours'));
    await expect(cancelUnfunded({ ...deps, store: { ...store, transaction } })).rejects.toThrow('ours');
  });

  test('security: nothing more is asked where all are funded, and each page of ten is asked about together', async () => {
    for (let count = 0; count < 11; count += 1) await seed();
    const { asked, answers, deps } = openChain();
    answers.held = 105n;
    await cancelUnfunded(deps);
    expect(asked).toEqual(['balances', 'balances']);
    answers.held = 104n;
    asked.length = 0;
    await cancelUnfunded(deps);
    const page = ['balances', 'head', 'balances', 'delegated'];
    expect(asked).toEqual([...page, ...page]);
  });

  test('error: gigs of a chain that does not answer wait, and a fault of ours is passed on', async () => {
    const gig = await seed();
    const { answers, deps, lines } = openChain();
    const away = new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'away' });
    answers.refuse = (what) => (what === 'head' ? away : undefined);
    await cancelUnfunded(deps);
    expect(await cancelledAt(gig)).toBeNull();
    const msg = 'cannot read whether wallets of gigs that wait have paid';
    expect(lines).toMatchObject([{ level: 'warn', chainId: gig.token.chainId, msg }]);
    answers.refuse = () => new TypeError('ours');
    await expect(cancelUnfunded(deps)).rejects.toThrow('ours');
  });
});
