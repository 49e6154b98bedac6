import type { Hex } from 'viem';
import type { Answer } from './json-rpc.ts';
import type { PassingCall } from './rpc-proxy.ts';

const TAGS: readonly unknown[] = ['latest', 'pending', 'safe', 'finalized'];
const NO_BLOCK = { error: { code: -32_000, message: 'header not found' } };

function resultOf(answer: Answer): unknown {
  return typeof answer === 'object' && 'result' in answer ? answer.result : null;
}

/** The number of the block that a receipt names; null when there is none. */
function blockOf(receipt: unknown): bigint | null {
  if (typeof receipt !== 'object' || receipt === null || !('blockNumber' in receipt)) return null;
  return BigInt(`${receipt.blockNumber}`);
}

/**
 * What a proxy answers in front of a node so that it is a node of the same chain which is some blocks behind: it knows no
 * newer block, and no state after one. It passes on transactions.
 */
export function lagBehind(blocks: bigint): (call: PassingCall) => Promise<Answer> {
  return async ({ method, params, ask, forward }) => {
    const newest = BigInt(`${resultOf(await ask('eth_blockNumber', []))}`);
    const head = newest > blocks ? newest - blocks : 0n;
    const shown: Hex = `0x${head.toString(16)}`;
    if (method === 'eth_blockNumber') return { result: shown };
    const given: unknown[] = Array.isArray(params) ? params : [];
    const asked = given.map((param) => (TAGS.includes(param) ? shown : param));
    // The one number in these lists is that of a block; addresses, keys and bytes are longer.
    const isNewer = asked.some((param) => typeof param === 'string' && param.length <= 18 && BigInt(param) > head);
    if (isNewer) return method === 'eth_getBlockByNumber' ? { result: null } : NO_BLOCK;
    if (method === 'eth_sendRawTransaction') return await forward();
    const answer = await ask(method, asked);
    if (method !== 'eth_getTransactionReceipt') return answer;
    const block = blockOf(resultOf(answer));
    return block !== null && block > head ? { result: null } : answer;
  };
}
