import { type Hex, numberToHex } from 'viem';
import { z } from 'zod';
import type { Address } from '../../domain/token.ts';
import type { RpcSession } from '../rpc/endpoint.ts';

/** The first step back, in blocks; nodes without an archive keep about as many states. */
const FIRST_STEP = 64n;

const BLOCK = z.object({
  transactions: z.array(z.object({ hash: z.string().regex(/^0x[0-9a-f]{64}$/i), from: z.string(), nonce: z.string() })),
});

interface Query {
  readonly address: Address;
  readonly nonce: number;
  /** The newest block that counts. */
  readonly until: bigint;
}

async function spentBy(rpc: RpcSession, { address, nonce }: Query, block: bigint): Promise<boolean> {
  const count = await rpc.quantity({ method: 'eth_getTransactionCount', params: [address, numberToHex(block)] });
  return count > BigInt(nonce);
}

/** The block that spent the nonce: searched back in growing steps, then by bisection. */
async function spendingBlock(rpc: RpcSession, query: Query): Promise<bigint> {
  let high = query.until;
  let step = FIRST_STEP;
  let low = high;
  while (low > 0n && (await spentBy(rpc, query, low))) {
    high = low;
    low = low > step ? low - step : 0n;
    step *= 2n;
  }
  while (high - low > 1n) {
    const middle = (high + low) / 2n;
    if (await spentBy(rpc, query, middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The hash of the transaction in the chain that spent a nonce, or null when its block does not show it. */
export async function findTransactionAtNonce(rpc: RpcSession, query: Query): Promise<Hex | null> {
  if (!(await spentBy(rpc, query, query.until))) return null;
  const number = numberToHex(await spendingBlock(rpc, query));
  const block = await rpc.record(
    { method: 'eth_getBlockByNumber', params: [number, true] },
    (answer) => BLOCK.safeParse(answer).data,
  );
  const found = block.transactions.find(
    ({ from, nonce }) => from.toLowerCase() === query.address && BigInt(nonce) === BigInt(query.nonce),
  );
  return found === undefined ? null : (found.hash.toLowerCase() as Hex); // the pattern demands the prefix
}
