import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { PayerChain } from '../../../src/domain/payer-chain.ts';
import { createChainPayments } from '../../../src/services/payments/pay-chain.ts';
import { account } from './sender/bank.ts';
import { DEGEN, openWorld, paidTo, reload, standings, type World } from './sender/world.ts';

const ALICE = account(1);

let world: World;
let payer: PayerChain;
let isReady: boolean;
let pay: ReturnType<typeof createChainPayments>;
beforeEach(async () => {
  world = await openWorld();
  isReady = true;
  payer = { ...world.model.view(world.faults), isReady: async () => isReady };
  pay = createChainPayments(world.bank.deps, payer);
});
afterEach(() => world.bank.close());

/** Steps until nothing moves at once; what the last one says. */
async function payOn(): Promise<number | false> {
  for (;;) {
    const next = await pay();
    if (next !== true) return next;
  }
}

test('behavior: steps follow one another at once while something moves, and end when nothing is left', async () => {
  const { bank, model, advance } = world;
  expect(await pay()).toBe(false);
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  await bank.claim(ALICE);
  expect(await pay()).toBe(true);
  expect(await payOn()).toBe(50);
  for (let block = 0; block < 9; block += 1) {
    advance(2_000);
    model.mine();
  }
  expect(await payOn()).toBe(false);
  expect(await standings(bank)).toEqual(['payout confirmed']);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('behavior: the wait grows with the time that was waited, up to five seconds, and begins anew after progress', async () => {
  const { bank, model, advance } = world;
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  await bank.claim(ALICE);
  expect(await payOn()).toBe(50);
  advance(2_000);
  expect(await payOn()).toBe(500);
  advance(4_000);
  expect(await payOn()).toBe(1_500);
  advance(1_000_000);
  world.faults.isDown = true;
  expect(await payOn()).toBe(5_000);
  world.faults.isDown = false;
  // The clock was set back.
  advance(-2_000_000);
  expect(await payOn()).toBe(50);
  advance(2_000);
  model.mine();
  for (let block = 0; block < 9; block += 1) model.mine();
  expect(await payOn()).toBe(false);
});

test('error: a chain that does not answer is logged, and asked again', async () => {
  const { bank, faults } = world;
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  await bank.claim(ALICE);
  faults.isDown = true;
  expect(await pay()).toBe(50);
  payer = {
    ...payer,
    isReady: () => Promise.reject(new AdapterError({ retry: 'safe', reason: 'bad_response', message: 'no answer' })),
  };
  expect(await createChainPayments(bank.deps, payer)()).toBe(50);
  expect(bank.lines.map(({ msg }) => msg)).toEqual(Array(2).fill('payments wait: chain does not answer'));
  expect(await standings(bank)).toEqual(['payout planned']);
});

test('error: without the contracts payments wait with what to do, and are paid once they are deployed', async () => {
  const { bank, advance } = world;
  isReady = false;
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  const [payment] = await bank.claim(ALICE);
  if (payment === undefined) throw new Error('nothing was planned');
  expect(await pay()).toBe(50);
  const { key, name } = payer.chain;
  expect(await reload(bank, payment)).toMatchObject({
    state: 'planned',
    reason: `the payer contracts are not deployed on ${name}; run npm run admin -- payer deploy ${key}`,
  });
  isReady = true;
  advance(5_000);
  expect(await payOn()).toBeGreaterThan(0);
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent' });
});
