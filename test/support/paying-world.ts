import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import type { Store } from '../../src/store/port/index.ts';
import { deployToken, fundNative, fundToken, type TestToken } from './anvil.ts';
import { type GigSeed, seedGig, seedToken } from './store.ts';
import { openWorld, type WorldOptions } from './world.ts';

/** In a token of six decimals. */
export const UNIT = 1_000_000n;

/** Words that nobody else knows, whose gas tank is filled, on the shared node or the one at `url`. */
export async function newWallets(url?: string) {
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  await fundNative(wallets.gasTankAddress(), 10n ** 18n, url);
  return { mnemonic, wallets };
}

/**
 * A gig for 100 units without a fee that may start, in a deployed token that its wallet gets as much of as it needs.
 * @returns it, and the block of its funding
 */
export async function seedFundedGig(
  store: Store,
  { token, url, ...seed }: GigSeed & { token: TestToken; url?: string },
): Promise<{ gig: Gig; blockNumber: bigint }> {
  const { address, decimals, name, symbol } = token;
  const { id: tokenId } = await seedToken(store, { address, decimals, name, symbol, chainId: 31337 });
  const reward = { rewardAmount: 100n * 10n ** BigInt(decimals), feeAmount: 0n };
  const gig = await seedGig(store, { tokenId, ...reward, startTime: Date.now() - 1_000, ...seed });
  const blockNumber = await fundToken(token, gig.walletAddress, gig.rewardAmount + gig.feeAmount, url);
  return { gig, blockNumber };
}

/** A world that pays from {@link newWallets} and has no treasury, and a token of six decimals on its node. */
export async function openPayingWorld({ url, env, ...options }: WorldOptions & { url?: string } = {}) {
  // Before the service looks at its tank: an empty one is a condition for as long as a look lasts.
  const { mnemonic, wallets } = await newWallets(url);
  const token = await deployToken({ decimals: 6, symbol: 'USDC' }, url);
  const own = { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: '', ...(url && { RPC_URL_31337: url }) };
  const world = await openWorld({ ...options, env: { ...own, ...env } });
  return {
    world,
    wallets,
    token,
    /** {@link seedFundedGig} in the token, from the wallets of the world. */
    fundedGig: (seed: GigSeed = {}) =>
      seedFundedGig(world.runtime.store, { token, walletAddress: wallets.gigAddress, ...seed, ...(url && { url }) }),
  };
}

export type PayingWorld = Awaited<ReturnType<typeof openPayingWorld>>;
