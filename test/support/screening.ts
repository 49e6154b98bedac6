import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { contractIn } from './compiled.ts';
import { lower, type Stage } from './tip-payer.ts';

const ABI = parseAbi(['function setWay(uint8 way)', 'function list(address account, bool value)']);
/** How it answers, in the contract's order. */
const WAYS = ['good', 'reverts', 'hangs', 'garbage'] as const;

/** A deployed `ScreeningOracle`. */
export interface TestOracle {
  readonly address: Address;
  set(way: (typeof WAYS)[number]): Promise<void>;
  list(account: Address, value: boolean): Promise<void>;
}

/** An oracle that lists nobody. */
export async function deployOracle(stage: Stage): Promise<TestOracle> {
  const { creation } = await contractIn('oracles.sol', 'ScreeningOracle');
  const { receipt } = await stage.send({ to: null, data: creation });
  if (!receipt.contractAddress) throw new Error('the deployment created no contract');
  const address = lower(receipt.contractAddress);
  async function change(data: Hex): Promise<void> {
    if (!(await stage.send({ to: address, data })).succeeded) throw new Error('the oracle refused a setting');
  }
  return {
    address,
    set: (way) => change(encodeFunctionData({ abi: ABI, functionName: 'setWay', args: [WAYS.indexOf(way)] })),
    list: (account, value) => change(encodeFunctionData({ abi: ABI, functionName: 'list', args: [account, value] })),
  };
}
