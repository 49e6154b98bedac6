import { createPublicClient, erc20Abi, formatUnits, http } from 'viem';
import type { LocalToken } from './chain.ts';
import { FUNDER, PEOPLE } from './people.ts';

/** The balances of the users and the funder in the sandbox's tokens and in ETH, read from the chain: a line for each. */
export async function readBalances(options: {
  readonly chain: string;
  readonly tokens: readonly LocalToken[];
}): Promise<string[]> {
  const client = createPublicClient({ transport: http(options.chain) });
  const held = async (owner: `0x${string}`, token: LocalToken) => {
    const call = { address: token.address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] } as const;
    return `${formatUnits(await client.readContract(call), token.decimals)} ${token.symbol}`;
  };
  return await Promise.all(
    [...PEOPLE, FUNDER].map(async ({ name, address }) => {
      const amounts = await Promise.all(options.tokens.map((token) => held(address, token)));
      const ether = formatUnits(await client.getBalance({ address }), 18);
      return `${name} ${address}: ${[...amounts, `${ether} ETH`].join(', ')}`;
    }),
  );
}
