import { encodeFunctionData, numberToHex, parseAbi, size } from 'viem';
import type { Address } from '../../domain/gigs/token.ts';
import { isTooLong } from '../rpc/bytes.ts';
import { type ReadQuestion, toData } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import type { ReadMany } from '../rpc/many-reads.ts';
import { decodeUint } from './erc20.ts';

const ABI = parseAbi(['function isSanctioned(address account) view returns (bool)']);
const WORD_BYTES = 32;

/** The boolean of a contract's answer; null for anything else, such as the silence of an address without code. */
function readBoolean(result: unknown): boolean | null | undefined {
  if (isTooLong(result)) return null;
  const data = toData(result);
  if (data === undefined) return undefined;
  const value = size(data) === WORD_BYTES ? decodeUint(data) : null;
  return value === 0n ? false : value === 1n ? true : null;
}

/** What an oracle says about addresses after a block, in their order; null where it gives no valid answer. */
export async function readSanctioned(
  readMany: ReadMany,
  { oracle, addresses }: { readonly oracle: Address; readonly addresses: readonly Address[] },
  blockNumber: bigint,
): Promise<(boolean | null)[]> {
  const questions = addresses.map((address): ReadQuestion<boolean | null> => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'isSanctioned', args: [address] });
    const read = { method: 'eth_call', params: [{ to: oracle, data }, numberToHex(blockNumber)] } as const;
    return { read: { ...read, params: [...read.params] }, accept: readBoolean };
  });
  return (await readMany(questions)).map((answer) => (answer instanceof RpcFault ? null : answer));
}
