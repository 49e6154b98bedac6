import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Chain } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Address } from '../../domain/token.ts';
import { decodeUint } from '../evm/erc20.ts';
import type { RpcSession } from '../rpc/endpoint.ts';

/** A predeployed contract of every chain of the OP stack: https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000f';
const ABI = parseAbi(['function getL1Fee(bytes data) view returns (uint256)']);

/**
 * Wei that publishing these bytes costs beyond their gas. The oracle adds 68 bytes for a signature, which these have
 * already, so it says slightly too much. Arbitrum counts publishing as gas.
 */
export async function publishingCost(rpc: RpcSession, { chain, raw }: { chain: Chain; raw: Hex }): Promise<bigint> {
  if (!chain.isOpStack) return 0n;
  const data = encodeFunctionData({ abi: ABI, functionName: 'getL1Fee', args: [raw] });
  const answer = await rpc.data({ method: 'eth_call', params: [{ to: GAS_PRICE_ORACLE, data }, 'latest'] });
  try {
    return decodeUint(answer);
  } catch (cause) {
    const message = `chain ${chain.key}: what the gas price oracle says of publishing cannot be decoded`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message, cause });
  }
}
