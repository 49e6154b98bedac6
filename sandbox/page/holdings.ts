import { createPublicClient, erc20Abi, http } from 'viem';
import type { Address, Token } from '../../src/domain/gigs/token.ts';

/** What addresses hold on the local chain, as of one block. Base units, by {@link holdingKey}. */
export interface Holdings {
  readonly block: bigint;
  readonly amounts: ReadonlyMap<string, bigint>;
}

/** A token as far as a balance needs it. */
export type Asset = Pick<Token, 'address' | 'isNative'>;

/** What an address's balance of a token is called in {@link Holdings}. */
export function holdingKey(owner: Address, { address }: Pick<Asset, 'address'>): string {
  return `${owner.toLowerCase()}:${address}`;
}

/** Reads balances from the chain when it has a new block. */
export interface HoldingsReader {
  /** The balances now; the same object as before when no block was mined and the same was asked. */
  read(wanted: readonly { readonly owner: Address; readonly asset: Asset }[]): Promise<Holdings>;
}

/** Reads from the node at `url`, many balances in one request. */
export function createHoldingsReader(options: { url: string }): HoldingsReader {
  const client = createPublicClient({
    transport: http(options.url, { batch: true, retryCount: 0, timeout: 5_000 }),
    cacheTime: 0,
  });
  let last: { readonly asked: string; readonly holdings: Holdings } | null = null;

  async function balance(owner: Address, asset: Asset): Promise<bigint> {
    if (asset.isNative) return await client.getBalance({ address: owner });
    const call = { address: asset.address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] } as const;
    return await client.readContract(call);
  }

  return {
    read: async (wanted) => {
      const keys = wanted.map(({ owner, asset }) => holdingKey(owner, asset));
      const asked = keys.join();
      const block = await client.getBlockNumber();
      if (last !== null && last.asked === asked && last.holdings.block === block) return last.holdings;
      const amounts = await Promise.all(wanted.map(({ owner, asset }) => balance(owner, asset)));
      const holdings = { block, amounts: new Map(keys.map((key, index) => [key, amounts[index] ?? 0n])) };
      last = { asked, holdings };
      return holdings;
    },
  };
}
