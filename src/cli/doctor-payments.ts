import { createWallets } from '../chain/wallets.ts';
import type { Config } from '../config.ts';
import { CHAINS } from '../domain/chain.ts';
import { unpaidFees } from '../services/retry-transfer.ts';
import type { Store } from '../store/port.ts';
import type { Context } from './context.ts';
import type { Check } from './doctor-checks.ts';

type Problem = Pick<Check, 'detail' | 'remedy'>;

/** Payments of wallets that this configuration cannot sign for, or on chains that it does not name. */
async function strandedPayments(store: Store, { chains, gigWalletMnemonic }: Config): Promise<Problem[]> {
  const busy = await store.busySenders();
  if (busy.length > 0 && gigWalletMnemonic === null) {
    return [{ detail: 'payments wait, because there is no GIG_WALLET_MNEMONIC', remedy: 'Set it as it was.' }];
  }
  const enabled = chains.map(({ chain }) => chain.id);
  const missing = [...new Set(busy.map(({ chainId }) => chainId))].filter((id) => !enabled.includes(id));
  return missing.map((id) => {
    const key = CHAINS.find((chain) => chain.id === id)?.key ?? `chain id ${id}`;
    return { detail: `payments on ${key} wait, because it is not in CHAINS`, remedy: `Add ${key} to CHAINS.` };
  });
}

/** Other words than those that the gigs' wallets were derived from. */
async function strangeWallets(store: Store, { gigWalletMnemonic }: Config, now: number): Promise<Problem[]> {
  const [newest] = await store.gigs({ phase: 'all', now, limit: 1 });
  if (newest === undefined || gigWalletMnemonic === null) return [];
  if (createWallets(gigWalletMnemonic).gigAddress(newest.id) === newest.walletAddress) return [];
  const detail = `the wallet of gig ${newest.id} is none of GIG_WALLET_MNEMONIC's, so nothing can be paid from it`;
  return [{ detail, remedy: 'Set GIG_WALLET_MNEMONIC to the words that this database was made with.' }];
}

async function failedFees(store: Store): Promise<Problem[]> {
  return (await unpaidFees({ store })).map(({ id, gigId, reason }) => ({
    detail: `the fee of gig ${gigId} failed: ${reason}`,
    remedy: `When that is mended, run npm run admin -- transfer retry ${id}.`,
  }));
}

/** Whether whatever has to be paid can be paid with this configuration. */
export async function checkPayments(context: Context, config: Config): Promise<Check> {
  const problems = await context.withStore(async (store) => [
    ...(await strangeWallets(store, config, context.clock())),
    ...(await strandedPayments(store, config)),
    ...(await failedFees(store)),
  ]);
  const name = 'payments';
  if (problems.length === 0)
    return { name, ok: true, detail: 'Nothing that has to be paid is held up here', remedy: '' };
  return {
    ...{ name, ok: false },
    detail: problems.map(({ detail }) => detail).join('; '),
    remedy: problems.map(({ remedy }) => remedy).join(' '),
  };
}
