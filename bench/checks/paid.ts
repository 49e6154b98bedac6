import { setTimeout as wait } from 'node:timers/promises';
import { createPublicClient, erc20Abi, http } from 'viem';

/** anvil answers what it was sent before it has made the block. */
const PATIENCE_MS = 10_000;

/** @throws Error when the recipient has any other amount of the token than what a payer says that it has paid */
export async function assertPaid(
  payer: string,
  { url, token, recipient }: { url: string; token: `0x${string}`; recipient: `0x${string}` },
  { amount, patienceMs = PATIENCE_MS }: { amount: bigint; patienceMs?: number },
): Promise<void> {
  const client = createPublicClient({ transport: http(url) });
  const call = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [recipient] } as const;
  for (const deadline = performance.now() + patienceMs; ; await wait(50)) {
    const arrived = await client.readContract(call);
    if (arrived === amount) return;
    if (performance.now() < deadline) continue;
    throw new Error(`${payer} says that it has paid ${amount}, and ${arrived} have arrived`);
  }
}
