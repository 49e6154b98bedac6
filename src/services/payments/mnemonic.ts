import type { GigWallets } from '../../domain/chains/chain.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';

/** Names addresses, which are public, and never the words. */
function sentence(kept: string, derived: string): string {
  return (
    `GIG_WALLET_MNEMONIC is not the one that this database was made with: ${kept}, and these words derive ${derived}. ` +
    'Set the words as they were, or begin a new database'
  );
}

/**
 * Why these wallets are not those of the store; null when they are, or when the store has none yet. A store without a
 * gas tank address is identified by the wallet of its newest gig.
 */
export async function findMnemonicProblem(reads: StoreReads, wallets: GigWallets): Promise<string | null> {
  const kept = await reads.gasTank();
  const derived = wallets.gasTankAddress();
  if (kept !== null) {
    return kept === derived ? null : sentence(`its gas tank is ${checksummed(kept)}`, checksummed(derived));
  }
  const [newest] = await reads.gigs({ phase: 'all', now: 0, limit: 1 });
  if (newest === undefined) return null;
  const wallet = wallets.gigAddress(newest.id);
  if (wallet === newest.walletAddress) return null;
  const known = `the wallet of its gig ${newest.id} is ${checksummed(newest.walletAddress)}`;
  return sentence(known, checksummed(wallet));
}

/**
 * Ties the store to the mnemonic at first use, permanently: the gas tank's address identifies it.
 * @returns why these wallets are not those of the store, or null
 */
export async function recordMnemonic({ store, clock }: ServiceContext, wallets: GigWallets): Promise<string | null> {
  return await store.transaction(async (tx) => {
    const problem = await findMnemonicProblem(tx, wallets);
    if (problem !== null) return problem;
    // Another instance may have tied it to other words since.
    await tx.storeGasTank(wallets.gasTankAddress(), clock());
    return await findMnemonicProblem(tx, wallets);
  });
}
