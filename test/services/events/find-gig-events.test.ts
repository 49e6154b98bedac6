import { beforeEach, describe, expect, test } from 'vitest';
import type { Chains } from '../../../src/domain/chains/chain.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import { tellEnded, tellFunded } from '../../../src/services/events/find-gig-events.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';
import { keepLog } from '../fakes.ts';
import { createCourier } from './world.ts';

const DAY = 86_400_000;
const NEEDED = 105n * 10n ** 18n;

const counted = countTransactions();
const { store } = storePerCase({ wrap: counted.wrap });
let now: number;
beforeEach(() => {
  now = SEEDED_AT + 1_000;
});

/** What wallets hold; the chain does not answer when it is null. */
function around(held: ReadonlyMap<string, bigint> | null = new Map()) {
  const asked: string[] = [];
  const reader = {
    async balances(queries: readonly { readonly wallet: string }[]) {
      asked.push(...queries.map(({ wallet }) => wallet));
      if (held === null) throw new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'away' });
      return queries.map(({ wallet }) => held.get(wallet) ?? 0n);
    },
  };
  const chains = { reader: () => reader } as unknown as Chains;
  return { deps: { store, clock: () => now, log: keepLog().log, chains }, asked };
}

async function told(): Promise<string[]> {
  await store.transaction((tx) => tx.releaseEvents({ holder: 'a', now, until: now + 1, limit: 100 }));
  const filter = { after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 100 };
  return (await store.eventsAfter(filter)).map(({ type, gigId, facts }) => `${type} ${gigId} ${JSON.stringify(facts)}`);
}

describe('a gig that is funded', () => {
  test('behavior: is told once, to the unit, where its client has a webhook', async () => {
    await createCourier(store).endpoint('http://127.0.0.1:1025/', { client: 'shop' });
    const exact = await seedGig(store, { client: 'shop' });
    const more = await seedGig(store, { client: 'shop' });
    const foreign = await seedGig(store, { client: 'rival' });
    const held = [exact, more, foreign].map((gig) => [gig.walletAddress, gig === more ? NEEDED + 1n : NEEDED] as const);
    const { deps, asked } = around(new Map(held));
    await tellFunded(deps);
    await tellFunded(deps);
    expect(await told()).toEqual([`gig.funded ${exact.id} {"amount":"105"}`]);
    expect(asked).toEqual([exact.walletAddress, more.walletAddress, more.walletAddress]);
  });

  test('behavior: of any client is looked for where an endpoint takes all, for 30 days after it was created', async () => {
    await createCourier(store).endpoint('http://127.0.0.1:1025/', { client: null });
    const gig = await seedGig(store, { client: null });
    now = SEEDED_AT + 30 * DAY;
    const { deps, asked } = around();
    await tellFunded(deps);
    now += 1_000;
    await tellFunded(deps);
    expect(asked).toEqual([gig.walletAddress]);
  });

  test('behavior: is looked for among all that wait, page after page, and found without a transaction for none', async () => {
    const gig = await seedGig(store);
    const pages = [Array.from({ length: 200 }, (_, each) => each + 1_000), [1_200, gig.id]];
    const queries: object[] = [];
    const gigsAwaitingFunds = async (query: object) => {
      queries.push(query);
      return pages.shift() ?? [];
    };
    const { deps, asked } = around();
    const before = counted.count();
    await tellFunded({ ...deps, store: { ...store, gigsAwaitingFunds } });
    const since = now - 30 * DAY;
    expect(queries).toEqual([0, 1_199].map((after) => ({ since, after, limit: 200, notified: [] })));
    expect([asked, counted.count()]).toEqual([[gig.walletAddress], before]);
  });

  test('error: a chain that does not answer is asked again', async () => {
    await createCourier(store).endpoint('http://127.0.0.1:1025/', { client: 'shop' });
    const gig = await seedGig(store, { client: 'shop' });
    await tellFunded(around(null).deps);
    await tellFunded(around(new Map([[gig.walletAddress, NEEDED]])).deps);
    expect(await told()).toEqual([`gig.funded ${gig.id} {"amount":"105"}`]);
  });
});

describe('a gig that has ended', () => {
  test('behavior: is told once, when its time is over', async () => {
    const gig = await seedGig(store, { live: true });
    await seedGig(store, { live: true, duration: 3 * DAY });
    await seedGig(store);
    const { deps } = around();
    const before = counted.count();
    await tellEnded(deps);
    expect(counted.count()).toBe(before);
    expect(await told()).toEqual([]);
    now = gig.endTime;
    await tellEnded(deps);
    await tellEnded(deps);
    expect(await told()).toEqual([`gig.ended ${gig.id} {}`]);
  });
});
