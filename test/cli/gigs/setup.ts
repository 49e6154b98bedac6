import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { beforeEach } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { type GigSeed, SEEDED_AT, seedGig, seedToken } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';

/** A whole USDC. */
export const UNIT = 1_000_000n;

/** USDC of the test that runs, and the wallets of its desk. */
export let token: TestToken;
export let wallets: ReturnType<typeof createWallets>;

/** Gives each test of a file a desk with a mnemonic of its own, and a token. */
export function useWallets(): void {
  useDesk(() => {
    const mnemonic = generateMnemonic(wordlist);
    wallets = createWallets(mnemonic);
    return { GIG_WALLET_MNEMONIC: mnemonic };
  });
  beforeEach(async () => {
    token = await deployToken({ decimals: 6, symbol: 'USDC' });
  });
}

/** A gig for 100 USDC and a fee of 5, in a wallet of the mnemonic. */
export async function seedUsdcGig(terms: GigSeed = {}): Promise<Gig> {
  const usdc = { address: token.address, chainId: 31337, decimals: 6, name: 'USD Coin', symbol: 'USDC' };
  const { id: tokenId } = await seedToken(desk.store, usdc);
  const amounts = { rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT };
  return await seedGig(desk.store, { tokenId, ...amounts, walletAddress: wallets.gigAddress, ...terms });
}

/** The same, live, with a wallet that was funded with so much. */
export async function seedStarted(terms: GigSeed = {}, held = 105n * UNIT): Promise<Gig> {
  const gig = await seedUsdcGig({ live: true, ...terms });
  const blockNumber = await fundToken(token, gig.walletAddress, held);
  const amounts = { amount: gig.rewardAmount, commissionAmount: gig.feeAmount };
  const start = { gigId: gig.id, tokenId: gig.token.id, chainId: 31337, blockNumber, checkBlock: null, ...amounts };
  await desk.store.transaction((tx) => tx.recordGigTransaction(start, SEEDED_AT));
  return gig;
}
