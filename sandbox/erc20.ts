import artifact from '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json' with { type: 'json' };
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../src/domain/gigs/token.ts';

const ABI = parseAbi([
  'constructor(string name, string symbol, uint256 initialSupply, address owner)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);

/** `PUSH1 0x12`, which stands once in the compiled contract: the 18 that `decimals()` returns. */
const PUSH_18 = '6012';

/**
 * OpenZeppelin's compiled ERC20PresetFixedSupply with another answer to `decimals()`. The contract has no setting for
 * it, and one changed byte keeps all the rest the real thing without a Solidity compiler.
 */
function creationCode(decimals: number): Hex {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) throw new RangeError(`decimals: ${decimals}`);
  const [before, after, ...more] = artifact.bytecode.slice(2).split(PUSH_18);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the compiled token does not hold exactly one PUSH1 0x12');
  }
  return `0x${before}60${decimals.toString(16).padStart(2, '0')}${after}`;
}

/** The creation transaction's data of an ERC-20 whose whole supply belongs to `holder`. */
export function deployData(terms: {
  decimals: number;
  supply: bigint;
  name: string;
  symbol: string;
  holder: Address;
}): Hex {
  const { decimals, supply, name, symbol, holder } = terms;
  return encodeDeployData({ abi: ABI, bytecode: creationCode(decimals), args: [name, symbol, supply, holder] });
}

/** The data of an ERC-20 transfer. */
export function transferData(transfer: { to: Address; amount: bigint }): Hex {
  return encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [transfer.to, transfer.amount] });
}
