import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import type { Store } from '../../src/store/port/index.ts';
import { deployToken, type TestToken } from '../support/anvil.ts';
import { seedToken } from '../support/store.ts';

export const PATIENCE_MS = 20_000;

/** What the bot says to a post; empty when it says nothing. */
export async function answerTo(network: SocialNetwork, { id }: { readonly id: string }): Promise<string> {
  return (await network.waitForReply(id, PATIENCE_MS))?.text ?? '';
}

/** Posts this, and waits for what the bot says. */
export async function ask(network: SocialNetwork, author: string, text: string): Promise<string> {
  return await answerTo(network, network.post({ author, text }));
}

/** A new token of 6 decimals on the local chain, which the store knows under the answered id. */
export async function seedUsdc(store: Store, token?: TestToken): Promise<{ token: TestToken; tokenId: number }> {
  const deployed = token ?? (await deployToken({ decimals: 6, symbol: 'USDC' }));
  const { address } = deployed;
  const { id: tokenId } = await seedToken(store, { address, chainId: 31337, decimals: 6, symbol: 'USDC' });
  return { token: deployed, tokenId };
}
