import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';
import type { Chain, Fees } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { decodeUint } from '../../evm/erc20.ts';
import type { RpcSession } from '../../rpc/endpoint.ts';
import { RpcFault } from '../../rpc/fault.ts';

/** A predeployed contract of every chain of the OP stack: https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000f';
const ABI = parseAbi([
  'function getL1Fee(bytes data) view returns (uint256)',
  'function getOperatorFee(uint256 gas) view returns (uint256)',
]);

/** Gas of a transfer of an ERC-20 to an address that holds none of it yet. */
const TOKEN_TRANSFER_GAS = 51_500n;
/** Gas of a transfer of nothing to an account without code. */
const PLAIN_TRANSFER_GAS = 21_000n;
/** As many bytes as a signed transfer of an ERC-20 has; each is another one, because the oracle compresses them. */
const TRANSFER_BYTES: Hex = toHex(Uint8Array.from({ length: 180 }, (_, index) => index + 1));

async function askOracle(rpc: RpcSession, { chain, data }: { chain: Chain; data: Hex }): Promise<bigint> {
  const answer = await rpc.data({ method: 'eth_call', params: [{ to: GAS_PRICE_ORACLE, data }, 'latest'] });
  try {
    return decodeUint(answer);
  } catch (cause) {
    const message = `chain ${chain.key}: the gas price oracle’s answer about publishing cannot be decoded`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message, cause });
  }
}

/** Contracts of before Isthmus do not know this fee, and nobody takes it there. */
async function operatorFee(rpc: RpcSession, { chain, gas }: { chain: Chain; gas: bigint }): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'getOperatorFee', args: [gas] });
  try {
    return await askOracle(rpc, { chain, data });
  } catch (error) {
    if (error instanceof RpcFault && error.reverted) return 0n;
    throw error;
  }
}

/**
 * Wei that a transaction costs beyond its gas: publishing its bytes, and what the operator takes for so much gas. The oracle
 * adds 68 bytes for a signature, which these have already, so it says slightly too much. Arbitrum counts publishing as gas.
 */
export async function publishingCost(
  rpc: RpcSession,
  { chain, raw, gas }: { chain: Chain; raw: Hex; gas: bigint },
): Promise<bigint> {
  if (!chain.isOpStack) return 0n;
  const data = encodeFunctionData({ abi: ABI, functionName: 'getL1Fee', args: [raw] });
  const [published, taken] = await Promise.all([askOracle(rpc, { chain, data }), operatorFee(rpc, { chain, gas })]);
  return published + taken;
}

/** Wei that a plain transfer of an ERC-20 by the gas tank costs now, publishing included. */
export async function transferCost(
  rpc: RpcSession,
  { chain, tank, fees }: { chain: Chain; tank: Address; fees: Promise<Fees> },
): Promise<bigint> {
  const [{ maxFeePerGas }, plain, published] = await Promise.all([
    fees,
    rpc.quantity({ method: 'eth_estimateGas', params: [{ from: tank, to: tank }, 'latest'] }),
    publishingCost(rpc, { chain, raw: TRANSFER_BYTES, gas: TOKEN_TRANSFER_GAS }),
  ]);
  // What Arbitrum adds for publishing is all that the estimate can have above.
  const publishingGas = plain > PLAIN_TRANSFER_GAS ? plain - PLAIN_TRANSFER_GAS : 0n;
  return (TOKEN_TRANSFER_GAS + publishingGas) * maxFeePerGas + published;
}
