import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Address } from '../../domain/gigs/token.ts';
import type { FeedRound } from '../../domain/prices/feeds.ts';
import { isTooLong } from '../rpc/bytes.ts';
import { type ReadQuestion, toData } from '../rpc/endpoint.ts';
import { RpcFault } from '../rpc/fault.ts';
import type { ReadMany } from '../rpc/many-reads.ts';

const ABI = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function decimals() view returns (uint8)',
]);

const CALLS = (['latestRoundData', 'decimals'] as const).map((functionName) =>
  encodeFunctionData({ abi: ABI, functionName }),
);

function questionOf(to: Address, data: Hex): ReadQuestion<Hex | null> {
  const accept = (result: unknown) => (isTooLong(result) ? null : toData(result));
  return { read: { method: 'eth_call', params: [{ to, data }, 'latest'] }, accept };
}

function decodeRound(round: Hex, decimals: Hex): FeedRound | null {
  try {
    const [, answer, , updatedAt] = decodeFunctionResult({ abi: ABI, functionName: 'latestRoundData', data: round });
    const scale = decodeFunctionResult({ abi: ABI, functionName: 'decimals', data: decimals });
    // A time beyond what a date can hold is no time.
    const at = Number(updatedAt) * 1_000;
    return Number.isSafeInteger(at) ? { answer, decimals: scale, updatedAt: at } : null;
  } catch {
    return null;
  }
}

/** The newest round of each feed, in their order; null where one reverts or answers something else. */
export async function readFeeds(readMany: ReadMany, feeds: readonly Address[]): Promise<(FeedRound | null)[]> {
  const answers = await readMany(feeds.flatMap((feed) => CALLS.map((call) => questionOf(feed, call))));
  return feeds.map((_, place) => {
    const [round, decimals] = answers.slice(place * CALLS.length, (place + 1) * CALLS.length);
    if (round == null || decimals == null || round instanceof RpcFault || decimals instanceof RpcFault) return null;
    return decodeRound(round, decimals);
  });
}
