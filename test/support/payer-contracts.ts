import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { contractIn } from './compiled.ts';
import { lower, type Stage } from './tip-payer.ts';

const NAME = 'payer.sol';
const ABI = parseAbi([
  'function setWay(uint8 way)',
  'function setCall(address target, bytes message)',
  'function mint(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function reached() view returns (bool)',
]);

/** What `HostileToken.transfer` does, in the contract's order. */
export const TOKEN_WAYS = [
  ...['Good', 'Silent', 'False', 'Two', 'Short', 'Reason', 'Bare', 'Burn', 'RevertBomb', 'ReturnBomb'],
  ...['Reenter', 'ChargeFee', 'Swallow', 'BurnOnChain', 'RevertOnChain'],
] as const;
/** What `HostileRecipient` does with native money, in the contract's order. */
export const RECIPIENT_WAYS = ['Take', 'Refuse', 'Burn', 'RevertBomb', 'ReturnBomb', 'Reenter'] as const;

export type TokenWay = (typeof TOKEN_WAYS)[number];
export type RecipientWay = (typeof RECIPIENT_WAYS)[number];

/** A contract of `contracts/payer.sol` without constructor arguments, deployed. */
export async function deployHostile(stage: Stage, name: string): Promise<Address> {
  const { creation } = await contractIn(NAME, name);
  const { receipt } = await stage.send({ to: null, data: creation });
  if (!receipt.contractAddress) throw new Error('the deployment created no contract');
  return lower(receipt.contractAddress);
}

async function change(stage: Stage, to: Address, data: Hex): Promise<void> {
  if (!(await stage.send({ to, data })).succeeded) throw new Error(`${to} refused a setting`);
}

/** Has a contract call `target` with `data` while it is paid, and swallow what comes of it. */
export async function callWhilePaid(stage: Stage, contract: Address, call: { to: Address; data: Hex }): Promise<void> {
  await change(stage, contract, encodeFunctionData({ abi: ABI, functionName: 'setCall', args: [call.to, call.data] }));
}

/** Whether the call that a contract made while it was paid succeeded. */
export async function callSucceeded(stage: Stage, contract: Address): Promise<boolean> {
  return await stage.public.readContract({ abi: ABI, address: contract, functionName: 'reached' });
}

export interface HostileToken {
  readonly address: Address;
  set(way: TokenWay): Promise<void>;
  mint(to: Address, value: bigint): Promise<void>;
  balance(owner: Address): Promise<bigint>;
}

/** A token that behaves until it is told otherwise. */
export async function deployHostileToken(stage: Stage, way: TokenWay = 'Good'): Promise<HostileToken> {
  const address = await deployHostile(stage, 'HostileToken');
  const set = async (next: TokenWay) => {
    await change(
      stage,
      address,
      encodeFunctionData({ abi: ABI, functionName: 'setWay', args: [TOKEN_WAYS.indexOf(next)] }),
    );
  };
  if (way !== 'Good') await set(way);
  return {
    address,
    set,
    mint: async (to, value) => {
      await change(stage, address, encodeFunctionData({ abi: ABI, functionName: 'mint', args: [to, value] }));
    },
    balance: async (owner) =>
      await stage.public.readContract({ abi: ABI, address, functionName: 'balanceOf', args: [owner] }),
  };
}

/** A contract that takes native money in this way. */
export async function deployRecipient(stage: Stage, way: RecipientWay): Promise<Address> {
  const address = await deployHostile(stage, 'HostileRecipient');
  const data = encodeFunctionData({ abi: ABI, functionName: 'setWay', args: [RECIPIENT_WAYS.indexOf(way)] });
  await change(stage, address, data);
  return address;
}
