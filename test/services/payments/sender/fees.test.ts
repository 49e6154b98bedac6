import { describe, expect, test } from 'vitest';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { finish, openWorld, planOne, standings } from './world.ts';

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
    await world.pass(200);
    expect(await attempts()).toHaveLength(1);
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
