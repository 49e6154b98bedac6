import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createPayerChains } from '../../../src/chain/registry.ts';
import { type Chain, type ChainEndpoints, chainById } from '../../../src/domain/chains/chain.ts';
import { createGasTank, readTank } from '../../../src/services/payments/gas-tank.ts';
import { anvilClients, startAnvil } from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { keepLog } from '../fakes.ts';

const GWEI = 10n ** 9n;
/** A hundred transfers of a token at 2 gwei. */
const RESERVE = 10_300_000n * GWEI;

let anvil: AnvilProcess;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

/** The chain as it charges two gwei for a unit of gas, because no more is offered. */
const cheap: Chain = { ...ANVIL, maxFeePerGas: 2n * GWEI };

function open(chains: readonly Chain[] = [cheap]) {
  const { wallets } = createPayer({ url: anvil.url });
  const { log, lines } = keepLog();
  const rpcUrl = (chain: Chain) => (chain.id === ANVIL.id ? anvil.url : 'http://127.0.0.1:1');
  const endpoints = chains.map((chain): ChainEndpoints => ({ chain, rpcUrls: [rpcUrl(chain)] }));
  const payers = createPayerChains({ endpoints, wallets, clock: () => 0, retries: 0 });
  const address = wallets.gasTankAddress();
  const tank = createGasTank({ address, chains, payers, log });
  const hold = (value: bigint) => anvilClients(anvil.url).test.setBalance({ address, value });
  return { tank, hold, lines, payers, address };
}

describe('the gas tank', () => {
  let opened: ReturnType<typeof open>;
  beforeEach(() => {
    opened = open();
  });

  test.each([
    [RESERVE - 1n, true],
    [RESERVE, false],
  ])('behavior: with %i wei is low: %s', async (wei, low) => {
    const { hold, payers } = opened;
    await hold(wei);
    expect(await readTank(payers.payer(ANVIL.id))).toEqual({ balance: wei, reserve: RESERVE, low });
  });

  test('behavior: is not known before the first look, and then as it was seen last', async () => {
    const { tank, hold } = opened;
    await hold(RESERVE);
    expect(tank.standings()).toEqual([{ chain: cheap, level: null }]);
    await tank.look();
    await hold(5n);
    expect(tank.standings()).toMatchObject([{ level: { balance: RESERVE, low: false } }]);
    await tank.look();
    expect(tank.standings()).toMatchObject([{ level: { balance: 5n, low: true } }]);
  });

  test('behavior: is logged once when it runs low and once when it is filled', async () => {
    const { tank, hold, lines, address } = opened;
    for (const wei of [5n, 4n, RESERVE, RESERVE]) {
      await hold(wei);
      await tank.look();
    }
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'gas tank is low', chain: 'anvil', gasTank: address, wei: '5' },
      { level: 'info', msg: 'gas tank is filled again', wei: String(RESERVE) },
    ]);
  });
});

test('error: a chain that does not answer does not hide the others', async () => {
  const base = chainById(8453) as Chain; // it is in the list
  const { tank, hold, lines } = open([base, cheap]);
  await hold(7n);
  await tank.look();
  expect(tank.standings()).toMatchObject([{ level: null }, { level: { balance: 7n } }]);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', chain: 'base', msg: 'cannot read gas tank balance' }),
  );
});
