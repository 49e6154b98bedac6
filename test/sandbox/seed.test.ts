import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createLocalChain } from '../../sandbox/chain.ts';
import { MNEMONIC } from '../../sandbox/people.ts';
import { seed } from '../../sandbox/seed.ts';
import { createChains } from '../../src/chain/registry.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { changeGig } from '../../src/services/gigs/change-gig.ts';
import { keepLog } from '../services/fakes.ts';
import { openTestStore } from '../support/database.ts';

test('behavior: of every seeded gig that is not live the amount alone can be changed', async () => {
  const { store, close } = await openTestStore();
  const rpcUrl = inject('anvilUrl');
  const clock = Date.now;
  const chains = createChains({
    endpoints: CHAINS.filter(({ key }) => key === 'anvil').map((chain) => ({ chain, rpcUrls: [rpcUrl] })),
    clock,
  });
  const casts: { author: string; at: number }[] = [];
  const cast = (made: { author: string; at: number }) => {
    casts.push(made);
    return `https://farcaster.xyz/${made.author}/0x0000000${casts.length}`;
  };
  await seed({ store, chain: createLocalChain({ url: rpcUrl, mnemonic: MNEMONIC }), chains, clock, cast });
  expect(casts.map(({ author }) => author)).toEqual(['carol', 'bob', 'carol', 'carol']);
  expect((await store.gig(7))?.externalUrl).toBe('https://farcaster.xyz/carol/0x00000004');
  const deps = {
    store,
    chains,
    clock,
    feeBps: 500,
    earningOnX: true,
    platforms: new Map(),
    watchesGigs: true,
    hasLabels: false,
    wallets: null,
    payers: null,
    treasury: null,
    randomBytes,
    log: keepLog().log,
  };
  for (const gigId of [2, 3, 4, 5]) {
    const gig = await changeGig(deps, { gigId, changes: { amount: '7.5' }, actor: COMMAND_LINE });
    expect(gig.rewardAmount).toBe((15n * 10n ** BigInt(gig.token.decimals)) / 2n);
  }
  await close();
});
