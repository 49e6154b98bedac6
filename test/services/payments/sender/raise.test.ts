import { describe, expect, test } from 'vitest';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { ALICE, BOB } from './bank.ts';
import { DEGEN, finish, HOSTILE, openWorld, planOne, standings } from './world.ts';

const world = perCase(openWorld);

describe('the fees of a transaction that does not land', () => {
  /** Sends a payment that no node keeps. */
  async function sendInVain(): Promise<void> {
    const { bank, faults } = world;
    faults.losesBroadcasts = true;
    world.advance(2_000);
    await planOne(world);
    await bank.run();
  }

  async function attempts() {
    const { bank, model } = world;
    return firstOf(await bank.store.openTankTransactions(model.chain.id)).attempts;
  }

  test('security: stay as they are while no block comes, whatever fees are now', async () => {
    const { bank, model } = world;
    await sendInVain();
    model.tank.maxFeePerGas = 100_000n;
    for (let minutes = 0; minutes < 90; minutes += 1) {
      world.advance(60_000);
      await bank.run();
    }
    expect(await attempts()).toHaveLength(1);
  });

  test('security: stay as they are while blocks come that ask for no more; its bytes are broadcast again', async () => {
    const { bank, model, faults } = world;
    await sendInVain();
    const view = model.view(faults);
    let offers = 0;
    const broadcast: typeof view.broadcast = (...bytes) => {
      offers += 1;
      return view.broadcast(...bytes);
    };
    for (let blocks = 0; blocks < 200; blocks += 1) {
      world.advance(2_000);
      model.mine();
      await pulse(bank.deps, { ...view, broadcast });
    }
    // Every sixteen seconds.
    expect([offers, (await attempts()).length]).toEqual([25, 1]);
    faults.losesBroadcasts = false;
    world.advance(15_000);
    await finish(world);
    expect(model.signed()).toHaveLength(1);
    expect(await standings(bank)).toEqual(['payout confirmed']);
  });

  test('security: rise in a version that its chain takes as well: its wallets get less gas', async () => {
    const { bank, model, faults } = world;
    const whole = model.view(faults);
    // A transaction takes more gas than its calls.
    const sign: typeof whole.sign = async (batch) => {
      const signed = await whole.sign(batch);
      return { ...signed, gas: signed.gas + 21_000n };
    };
    const payer = { ...whole, sign, chain: { ...whole.chain, txGas: 130_000n } };
    faults.losesBroadcasts = true;
    await planOne(world);
    await pulse(bank.deps, payer);
    model.tank.maxFeePerGas *= 2n;
    world.advance(90_000);
    model.mine();
    await pulse(bank.deps, payer);
    expect((await attempts()).map(({ gas }) => gas)).toEqual([121_000n, 130_000n]);
  });

  /** Ten per cent more than the first version's 10 wei, and 25 per cent more. */
  const [LEAST, MORE] = [12n, 13n];

  test.each<{
    what: string;
    /** Its reserved gas is 440,000 then, and 100,000 otherwise. */
    isAllowed?: boolean;
    /** Its wei for each unit of gas; null while it stays as it is. */
    raised: bigint | null;
    payer?: Partial<PayerChain>;
    balance?: bigint;
    feesNow?: bigint;
  }>([
    { what: 'to what is asked for now', feesNow: 50n, raised: 50n },
    { what: 'by a quarter, where less is asked for', feesNow: 11n, raised: MORE },
    { what: 'by a quarter, where the tank holds just that', balance: MORE * 100_000n, raised: MORE },
    { what: 'by the least that nodes take, where the tank holds less', balance: MORE * 100_000n - 1n, raised: LEAST },
    {
      what: 'by the least, publishing included',
      balance: LEAST * 100_000n + 7n,
      payer: { publishingCost: async () => 7n },
      raised: LEAST,
    },
    {
      what: 'not where the tank cannot pay for publishing',
      balance: LEAST * 100_000n + 6n,
      payer: { publishingCost: async () => 7n },
      raised: null,
    },
    { what: 'not where nothing more is asked for', feesNow: 10n, raised: null },
    { what: 'not above what a payment may cost', payer: { transferCost: async () => 199_999n }, raised: null },
    { what: 'up to what a payment may cost', payer: { transferCost: async () => 200_000n }, raised: LEAST },
    {
      what: 'not where publishing makes it cost more',
      payer: { transferCost: async () => 200_000n, publishingCost: async () => 1n },
      raised: null,
    },
    {
      what: 'up to ten times as much of an allowed token',
      isAllowed: true,
      payer: { transferCost: async () => 88_000n },
      raised: LEAST,
    },
  ])('security: rise $what', async ({ isAllowed = false, raised, payer = {}, balance, feesNow = 11n }) => {
    const { bank, model, faults, advance } = world;
    const gig = await bank.gig({ token: HOSTILE });
    if (isAllowed) {
      model.ways.set(HOSTILE, 'heavy');
      await bank.store.transaction((tx) => tx.allowToken(gig.token.id, true));
    }
    faults.losesBroadcasts = true;
    await bank.awardAndClaim(gig, ALICE, 10n);
    await bank.run();
    model.tank.maxFeePerGas = feesNow;
    if (balance !== undefined) model.tank.balance = balance;
    advance(90_000);
    model.mine();
    await pulse(bank.deps, { ...model.view(faults), ...payer });
    const prices = (await attempts()).map(({ maxFeePerGas }) => maxFeePerGas);
    expect(prices).toEqual(raised === null ? [10n] : [10n, raised]);
  });

  test.each([
    { what: 'what a payment may cost, its part of publishing included', publishing: 12n, raised: true },
    { what: 'not above that', publishing: 13n, raised: false },
    { what: 'not above that for one of them', dear: 150_000n, raised: false },
  ])('security: rise for two payments to $what', async ({ publishing = 0n, dear, raised }) => {
    const { bank, model, faults, advance } = world;
    const gigs = [await bank.gig({ token: DEGEN }), await bank.gig({ token: HOSTILE })];
    if (dear !== undefined) {
      // The second one may cost ten times as much.
      model.ways.set(HOSTILE, 'heavy');
      await bank.store.transaction((tx) => tx.allowToken(gigs[1]?.token.id ?? 0, true));
    }
    for (const gig of gigs) await bank.award(gig, ALICE, BigInt(gig.id));
    await bank.claim(ALICE);
    faults.losesBroadcasts = true;
    await bank.run();
    model.tank.maxFeePerGas = 11n;
    advance(90_000);
    model.mine();
    const costs = { publishingCost: async () => publishing, transferCost: async () => dear ?? 200_001n };
    await pulse(bank.deps, { ...model.view(faults), ...costs });
    expect((await attempts()).map(({ maxFeePerGas }) => maxFeePerGas)).toEqual(raised ? [10n, LEAST] : [10n]);
  });

  test.each([
    { what: 'bytes that are too long', gas: 1n, raw: `0x${'00'.repeat(131_073)}`, tried: 1 },
    {
      what: 'bytes that are too long, with all the gas of a transaction',
      gas: 0n,
      raw: `0x${'00'.repeat(131_073)}`,
      tried: 1,
    },
    { what: 'more gas than its chain takes, twice', gas: -1n, raw: '0x02', tried: 2 },
  ] as const)('error: stay as they are where the new version has $what', async ({ gas, raw, tried }) => {
    const { bank, model, faults } = world;
    await sendInVain();
    model.tank.maxFeePerGas *= 2n;
    world.advance(90_000);
    model.mine();
    let signed = 0;
    const sign: PayerChain['sign'] = async () => {
      signed += 1;
      return { hash: '0x01', raw, gas: gas === 1n ? gas : model.chain.txGas - gas };
    };
    await pulse(bank.deps, { ...model.view(faults), sign });
    expect([signed, (await attempts()).length]).toEqual([tried, 1]);
  });

  test('security: stay as they are when the tips of a payment have changed', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    const { number } = firstOf(await bank.award(gig, ALICE, 1n));
    await bank.store.transaction((tx) => tx.skipTipNumbers(gig.id, number + 256));
    await bank.awardAndClaim(gig, ALICE, 2n);
    faults.losesBroadcasts = true;
    await bank.run();
    model.tank.maxFeePerGas *= 2n;
    world.advance(90_000);
    model.mine();
    const store = new Proxy(bank.deps.store, {
      get: (target, key, receiver) => (key === 'tipsOfPayment' ? async () => [] : Reflect.get(target, key, receiver)),
    });
    expect(await pulse({ ...bank.deps, store }, model.view(faults))).toBe('waiting');
    expect([(await attempts()).length, bank.lines.filter(({ level }) => level === 'error')]).toEqual([1, []]);
  });

  test('security: rise for two wallets with the gas that each had', async () => {
    const { bank, model, faults, advance } = world;
    const gigs = await bank.gigs(2, { token: DEGEN });
    for (const gig of gigs) await bank.award(gig, ALICE, BigInt(gig.id));
    await bank.award(firstOf(gigs), BOB, 7n);
    for (const by of [ALICE, BOB]) await bank.claim(by);
    faults.losesBroadcasts = true;
    await bank.run();
    model.tank.maxFeePerGas = 20n;
    advance(90_000);
    model.mine();
    const view = model.view(faults);
    const signed: bigint[][] = [];
    const sign: typeof view.sign = (batch) => {
      signed.push(batch.calls.map(({ gas }) => gas));
      return view.sign(batch);
    };
    await pulse(bank.deps, { ...view, sign });
    // The first wallet pays two.
    expect([signed, (await attempts()).map(({ gas }) => gas)]).toEqual([[[160_000n, 100_000n]], [260_000n, 260_000n]]);
    expect(bank.lines.at(-1)).toMatchObject({
      level: 'warn',
      transactionId: 1,
      nonce: 0,
      hash: (await attempts())[1]?.hash,
    });
  });

  test('security: rise by so little that a payment costs as many plain transfers as ever', async () => {
    const { bank, model, faults } = world;
    model.tank.maxFeePerGas = 10_000n;
    await sendInVain();
    const price = (await attempts())[0].maxFeePerGas;
    model.tank.maxFeePerGas = price + 1n;
    world.advance(90_000);
    model.mine();
    // Six transfers cost as much as its 100,000 gas at this price.
    const costing = (maxFeePerGas: bigint) => ({
      ...model.view(faults),
      transferCost: async () => (100_000n * maxFeePerGas) / 6n + 1n,
    });
    await pulse(bank.deps, costing(price));
    expect(await attempts()).toHaveLength(1);
    await pulse(bank.deps, costing((price * 111n) / 100n));
    expect((await attempts()).map(({ maxFeePerGas }) => maxFeePerGas)).toEqual([price, (price * 110n) / 100n + 1n]);
  });
});
