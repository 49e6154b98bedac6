import { expect, test } from 'vitest';
import type { GigWallets } from '../../../src/domain/chains/chain.ts';
import { findMnemonicProblem, recordMnemonic } from '../../../src/services/payments/mnemonic.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { storePerCase } from '../../support/per-case.ts';
import { seedAddress, seedGig } from '../../support/store.ts';

const { store } = storePerCase();

/** Words whose wallets are shifted by so much; a gig is seeded with the wallet that its id spells. */
function words(shift: number): GigWallets {
  return {
    gigAddress: (gigId) => seedAddress(gigId + shift),
    gasTankAddress: () => seedAddress(0x7a00 + shift),
    contractAddresses: () => [],
  };
}

const REMEDY = 'Set the words as they were, or begin a new database';
const OTHER = 'GIG_WALLET_MNEMONIC is not the one that this database was made with: ';
const record = (shift: number) => recordMnemonic({ store, clock: () => 5 }, words(shift));

test('security: a database without gigs is tied to the first words, and takes no others', async () => {
  expect([await findMnemonicProblem(store, words(1)), await store.gasTank()]).toEqual([null, null]);
  expect([await record(1), await record(1), await store.gasTank()]).toEqual([null, null, seedAddress(0x7a01)]);
  const problem = `${OTHER}its gas tank is 0x0000000000000000000000000000000000007a01, and these words derive 0x0000000000000000000000000000000000007a02. ${REMEDY}`;
  expect((await record(2))?.toLowerCase()).toBe(problem.toLowerCase());
  expect(await store.gasTank()).toBe(seedAddress(0x7a01));
});

test('security: a database without a gas tank is known by the wallet of its newest gig', async () => {
  for (let gigs = 0; gigs < 2; gigs += 1) await seedGig(store);
  const problem = `${OTHER}the wallet of its gig 2 is ${seedAddress(2)}, and these words derive ${seedAddress(3)}. ${REMEDY}`;
  expect([await record(1), await store.gasTank()]).toEqual([problem, null]);
  expect([await record(0), await store.gasTank()]).toEqual([null, seedAddress(0x7a00)]);
});

test('security: of two that are started with other words at once the second is told', async () => {
  expect(await record(1)).toBeNull();
  // It has looked before the first one committed.
  const late: Store = {
    ...store,
    transaction: (run, options) => {
      const seen = [seedAddress(0x7a01), null];
      const within = (tx: StoreTx) => Object.assign(Object.create(tx), { gasTank: async () => seen.pop() });
      return store.transaction((tx) => run(within(tx)), options);
    },
  };
  const problem = await recordMnemonic({ store: late, clock: () => 5 }, words(2));
  expect(problem).toContain(`${OTHER}its gas tank is`);
  expect(await store.gasTank()).toBe(seedAddress(0x7a01));
});
