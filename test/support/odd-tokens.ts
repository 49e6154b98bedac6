import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients, freshAccount, mined, type TestToken } from './anvil.ts';
import CREATION from './contracts/odd-tokens.json' with { type: 'json' };

const SETTINGS = parseAbi([
  'function setBlocked(address account, bool value)',
  'function setPaused(bool value)',
  'function setMuted(bool value)',
  'function setCharging(bool value)',
  'function setWay(uint8 value)',
  'function setClosed(bool value)',
]);

/** The ways in which a RevertingToken reverts. */
export const WAYS = { none: 0, withoutReason: 1, unknownError: 2, knownError: 3, overflow: 4, invalid: 5 } as const;

/** Calldata of one of the settings of the contracts in `contracts/odd-tokens.sol`. */
export const setting = {
  blocked: (account: Address, value: boolean) =>
    encodeFunctionData({ abi: SETTINGS, functionName: 'setBlocked', args: [account, value] }),
  paused: encodeFunctionData({ abi: SETTINGS, functionName: 'setPaused', args: [true] }),
  muted: encodeFunctionData({ abi: SETTINGS, functionName: 'setMuted', args: [true] }),
  charging: encodeFunctionData({ abi: SETTINGS, functionName: 'setCharging', args: [true] }),
  way: (way: keyof typeof WAYS) => encodeFunctionData({ abi: SETTINGS, functionName: 'setWay', args: [WAYS[way]] }),
  closed: encodeFunctionData({ abi: SETTINGS, functionName: 'setClosed', args: [true] }),
} as const;

/** A deployed contract of `contracts/odd-tokens.sol`; the holder has 2^128 - 1 base units of it, if it is a token. */
export interface OddToken extends TestToken {
  /** Sends calldata of `setting` to it, and waits until it has its effect. */
  change(data: Hex): Promise<void>;
}

/** Deploys one of the contracts of `contracts/odd-tokens.sol`, which behaves until a setting makes it odd. */
export async function deployOdd(name: keyof typeof CREATION, url?: string): Promise<OddToken> {
  const clients = anvilClients(url);
  const holder = await freshAccount(url);
  async function send(transaction: { to?: Address; data: Hex }) {
    const hash = await clients.wallet.sendTransaction({ account: holder, ...transaction });
    const receipt = await mined(hash, url);
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} was reverted`);
    return receipt;
  }
  // The compiler writes hex; the type of the imported file says only text.
  const { contractAddress } = await send({ data: CREATION[name] as Hex });
  if (!contractAddress) throw new Error('the deployment created no contract');
  const address: Address = `0x${contractAddress.slice(2).toLowerCase()}`;
  return {
    address,
    decimals: 18,
    name: 'Odd Token',
    symbol: 'ODD',
    holder,
    change: async (data) => {
      await send({ to: address, data });
    },
  };
}
