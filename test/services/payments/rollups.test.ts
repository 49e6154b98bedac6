import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { anvilClients, deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { ANVIL } from '../../support/payer.ts';
import { type Rollup, startArbitrum, startOptimism } from '../../support/rollups.ts';
import { seedFee } from '../../support/store.ts';
import { openStage } from '../../support/tip-payer.ts';
import { ALICE, BOB, type Cashier, openCashier } from '../cashier.ts';

const TANK = parseEther('5');

describe.each([
  ['the OP stack', startOptimism, true],
  ['Arbitrum', startArbitrum, false],
] as const)('on a rollup as of %s', (_name, start, isOpStack) => {
  let rollup: Rollup;
  let cashier: Cashier;
  let token: TestToken;
  beforeAll(async () => {
    rollup = await start();
    await openStage(rollup.url);
    token = await deployToken({ decimals: 6, symbol: 'USDC' }, rollup.url);
    cashier = await openCashier({ url: rollup.url, chain: { ...ANVIL, isOpStack } });
  });
  afterAll(async () => {
    await cashier.close();
    await rollup.stop();
  });

  /** A gig whose tips and fee are all that its wallet holds. */
  async function gigIn(asset: TestToken | 'native', amounts: readonly [bigint, bigint]): Promise<Gig> {
    const [alice, bob] = amounts;
    const tips = [
      { account: ALICE, amount: alice },
      { account: BOB, amount: bob },
    ];
    const gig = await cashier.gig({ asset, reward: alice + bob, fee: 3n, tips });
    await seedFee(cashier.store, gig, { amount: 3n, recipient: TREASURY });
    return gig;
  }

  const TREASURY = freshAddress();
  const tankOf = () => anvilClients(rollup.url).public.getBalance({ address: cashier.wallets.gasTankAddress() });

  test('behavior: claims are paid to the unit in both kinds of asset, nothing is left, and the gas tank pays it all', async () => {
    const { node, wallets, store, payer } = cashier;
    await node.setBalance({ address: wallets.gasTankAddress(), value: TANK });
    const gigs = [
      await gigIn(token, [1_234_567n, 1n]),
      await gigIn('native', [parseEther('0.25') + 1n, 7n]),
      await gigIn(token, [10n, 20n]),
    ];
    const [alice, bob] = [freshAddress(), freshAddress()];
    await cashier.claim(cashier.post(ALICE, `claim my rewards ${alice}`));
    await cashier.settle();
    // Bob's are later payments of wallets that delegate already.
    await cashier.claim(cashier.post(BOB, `claim my rewards ${bob}`));
    await cashier.settle();

    const held = async (owner: typeof alice) => [await cashier.held(token, owner), await cashier.held('native', owner)];
    expect(await held(alice)).toEqual([1_234_577n, parseEther('0.25') + 1n]);
    expect(await held(bob)).toEqual([21n, 7n]);
    expect(await held(TREASURY)).toEqual([6n, 3n]);
    for (const { walletAddress } of gigs) expect(await held(walletAddress)).toEqual([0n, 0n]);

    const payments = (await Promise.all(gigs.map(({ id }) => store.paymentsOfGig(id)))).flat();
    expect(payments.map(({ state }) => state)).toEqual(payments.map(() => 'confirmed'));
    const hashes = new Set(payments.flatMap(({ hash }) => hash ?? []));
    let spent = 0n;
    for (const hash of hashes) spent += (await payer.inclusion([hash]))?.cost ?? 0n;
    expect(TANK - (await tankOf())).toBe(spent);
    expect(payments.every(({ gasUsed }) => gasUsed > 0n)).toBe(true);
  });

  test('behavior: a gas tank that cannot pay for publishing waits, and goes on when it is filled', async () => {
    const { node, wallets } = cashier;
    const tank = wallets.gasTankAddress();
    await node.setBalance({ address: tank, value: 1_000n });
    await gigIn(token, [5n, 6n]);
    const alice = freshAddress();
    await cashier.claim(cashier.post(ALICE, `claim my rewards ${alice}`));
    await cashier.look();
    const [waiting] = (await cashier.payments('payout')).slice(-1);
    expect(waiting).toMatchObject({ state: 'planned', reason: 'the gas tank is too low' });
    await node.setBalance({ address: tank, value: TANK });
    cashier.advance(5_000);
    await cashier.settle();
    expect(await cashier.held(token, alice)).toBe(5n);
  });
});
