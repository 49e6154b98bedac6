import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createPayerChains } from '../../../src/chain/registry.ts';
import { type Chain, type ChainEndpoints, chainById } from '../../../src/domain/chains/chain.ts';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import {
  awaitsRefill,
  createGasTank,
  findDust,
  type GasTank,
  isDust,
  readTank,
} from '../../../src/services/payments/gas-tank.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { anvilClients, startAnvil } from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { keepLog } from '../fakes.ts';
import { candidate } from './sender/signing/candidate.ts';

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

/** A tank of which a hundred transfers on the local chain cost 1,000 wei, as it was seen last. */
function seen(level: { balance: bigint; low: boolean } | null): GasTank {
  const standing = { chain: ANVIL, level: level && { ...level, reserve: 1_000n } };
  const unseen = { chain: chainById(8453) as Chain, level: null };
  return { address: '0x00', look: async () => undefined, standings: () => [unseen, standing] };
}

test.each([
  { amount: 9n, payments: 1, expected: true },
  { amount: 10n, payments: 1, expected: false },
  { amount: 19n, payments: 2, expected: true },
  { amount: 20n, payments: 2, expected: false },
  { amount: 0n, payments: 1, expected: false, isNative: false },
  { amount: 0n, payments: 1, expected: false, chainId: 8453 },
  { amount: 0n, payments: 1, expected: false, chainId: 10 },
  { amount: 0n, payments: 1, expected: false, tank: null },
  { amount: 0n, payments: 1, expected: false, tank: seen(null) },
])('behavior: $amount wei by $payments payments are worth less than their gas: $expected', (row) => {
  const { amount, payments, expected, isNative = true, chainId = ANVIL.id } = row;
  const tank = row.tank === undefined ? seen({ balance: 5n, low: true }) : row.tank;
  expect(isDust(tank, { token: { chainId, isNative }, amount, payments })).toBe(expected);
  const token = { ...candidate(1).token, chainId, isNative };
  const group = { token, total: amount, gigCount: payments, tips: [] };
  expect(findDust(tank, [group])).toEqual(expected ? [group] : []);
});

test.each([
  { reason: TANK_IS_LOW, low: true, expected: true },
  { reason: TANK_IS_LOW, low: false, expected: false },
  { reason: TANK_IS_LOW, low: null, expected: false },
  { reason: null, low: true, expected: false },
])('behavior: payments that wait for $reason while the tank is low ($low) await a refill: $expected', async (row) => {
  const { reason, low, expected } = row;
  const payments = async (query: unknown) => {
    expect(query).toEqual({ state: 'planned', limit: 100 });
    return [candidate(1), candidate(2, { reason })];
  };
  const gasTank = seen(low === null ? null : { balance: 5n, low });
  const store = { payments } as unknown as Store;
  expect(await awaitsRefill({ store, gasTank })).toBe(expected);
});

test('error: a defect in reading the tank is none of the chain', async () => {
  const payer = () => {
    throw new TypeError('odd');
  };
  const { log } = keepLog();
  await expect(createGasTank({ address: '0x00', chains: [cheap], payers: { payer }, log }).look()).rejects.toThrow(
    'odd',
  );
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
