import type { BlockId, BlockRef } from '../../../domain/chains/block.ts';
import { type ChainReader, MOST_HOLDERS } from '../../../domain/chains/chain.ts';
import type { Address } from '../../../domain/gigs/token.ts';

/** What addresses hold in one block, in base units; null where the token does not tell, or what it says is not believed. */
export interface TokenTold {
  readonly block: BlockRef;
  readonly amounts: ReadonlyMap<Address, bigint | null>;
}

/**
 * Asks a token what addresses hold, in one block by one endpoint: the newest settled one when none is named.
 * @throws AdapterError when the chain does not answer
 */
export async function askToken(
  reader: ChainReader,
  { token, owners, block }: { token: Address; owners: readonly Address[]; block?: BlockId | undefined },
): Promise<TokenTold> {
  return await reader.decide(async () => {
    const first = await reader.holdings({ token, owners: owners.slice(0, MOST_HOLDERS), block });
    const answers = [first];
    for (let from = MOST_HOLDERS; from < owners.length; from += MOST_HOLDERS) {
      answers.push(
        await reader.holdings({ token, owners: owners.slice(from, from + MOST_HOLDERS), block: first.block }),
      );
    }
    const isOdd = answers.some(({ oddity }) => oddity !== null);
    const told = answers.flatMap(({ amounts }) => amounts);
    const amounts = new Map(owners.map((owner, place) => [owner, isOdd ? null : (told[place] ?? null)]));
    return { block: first.block, amounts };
  });
}

/** What these addresses hold together; null when it is not known of one of them. */
export function sumHeld(addresses: readonly Address[], { amounts }: TokenTold): bigint | null {
  return addresses.reduce<bigint | null>((sum, address) => {
    const amount = amounts.get(address) ?? null;
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
}
