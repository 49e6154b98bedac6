import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Chains } from '../../../src/domain/chains/chain.ts';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { changeGig } from '../../../src/services/gigs/change-gig.ts';
import type { GigContext } from '../../../src/services/gigs/context.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { SAMPLE_RULES, SAMPLE_TARGET } from '../../support/earning.ts';
import { storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedAddress, seedGig } from '../../support/store.ts';
import { createLedger, keepLog } from '../fakes.ts';

const { store } = storePerCase();
let gigId: number;
beforeEach(async () => {
  ({ id: gigId } = await seedGig(store));
});

/** The chain Base in memory, on which something happens while a token is read. */
function chainsDuring(happens: () => Promise<unknown>): Chains {
  const { chains } = createLedger();
  return {
    ...chains,
    reader: (chainId) => {
      const reader = chains.reader(chainId);
      return {
        ...reader,
        tokenMetadata: async (address) => {
          await happens();
          return await reader.tokenMetadata(address);
        },
      };
    },
  };
}

const deps = (chains = createLedger().chains): GigContext => ({
  store,
  chains,
  clock: () => SEEDED_AT,
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
});
const busy = { refusal: { code: 'gig_in_progress' } };
type GigChanges = Parameters<typeof changeGig>[1]['changes'];
const newToken = { tokenAddress: seedAddress(99) };
const change = (changes: GigChanges, using = deps(), id = gigId) =>
  changeGig(using, { gigId: id, changes, actor: COMMAND_LINE });
/** A change of the token, in the middle of which something happens. */
const changeDuring = (happens: () => Promise<unknown>, more: GigChanges = {}) =>
  change({ ...newToken, ...more }, deps(chainsDuring(happens)));

const lock = (tx: StoreTx) => tx.lockGig(gigId, { holder: 'start', now: SEEDED_AT, until: SEEDED_AT + 60_000 });

test('error: a change that came in between is not undone', async () => {
  await expect(changeDuring(() => change({ howToEarn: 'Say hello.' }))).rejects.toMatchObject(busy);
  expect(await store.gig(gigId)).toMatchObject({ howToEarn: 'Say hello.', token: { symbol: 'DEGEN' } });
});

test('error: rules that were changed in between are not undone', async () => {
  const kept = { given: null, rules: storeRules(SAMPLE_RULES), target: SAMPLE_TARGET };
  const keep = () => store.transaction((tx) => tx.storeEarningRules(gigId, kept));
  await expect(changeDuring(keep, { howToEarn: 'Say hello.' })).rejects.toMatchObject(busy);
  expect(await store.earningRules(gigId)).toEqual({ gigId, ...kept });
});

test('error: a start that began in between keeps the terms it counts with', async () => {
  const before = await store.gig(gigId);
  await expect(changeDuring(() => store.transaction(lock))).rejects.toMatchObject(busy);
  expect(await store.gig(gigId)).toEqual(before);
});

test('error: a gig that went live in between is refused as live', async () => {
  const start = () =>
    store.transaction(async (tx) => {
      await lock(tx);
      await tx.markLive(gigId, { holder: 'start', startTime: SEEDED_AT, endTime: SEEDED_AT + 86_400_000 });
    });
  await expect(changeDuring(start)).rejects.toMatchObject({ refusal: { code: 'gig_already_live', gigId } });
  expect(await store.gig(gigId)).toMatchObject({ status: 'live', rewardAmount: 100n * 10n ** 18n });
});

test('behavior: what came in between and changed nothing disturbs nothing', async () => {
  const owner = () => store.transaction((tx) => tx.addGigOwner(gigId, { platform: 'twitter', platformUserId: '1' }, 1));
  const changed = await changeDuring(() => Promise.all([change({ amount: '100' }), owner()]), { amount: '3' });
  expect(changed).toMatchObject({ rewardAmount: 3n * 10n ** 18n, feeAmount: 15n * 10n ** 16n });
  expect(await store.gig(gigId)).toEqual(changed);
});

test('behavior: the fee is counted anew with the one that is configured now', async () => {
  const changed = await change({ howToEarn: 'Say hello.' }, { ...deps(), feeBps: 1 });
  expect(changed).toMatchObject({ rewardAmount: 100n * 10n ** 18n, feeAmount: 10n ** 16n });
});

test('behavior: a duration that clients cannot choose stays when others change', async () => {
  const { id } = await seedGig(store, { duration: 12_345 });
  const changed = await change({ startTime: SEEDED_AT + 1_000 }, deps(), id);
  expect(changed).toMatchObject({ duration: 12_345, startTime: SEEDED_AT + 1_000, endTime: SEEDED_AT + 13_345 });
});
