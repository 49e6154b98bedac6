import { createPayerChains } from '../chain/registry.ts';
import { createWallets } from '../chain/wallets.ts';
import type { Config } from '../config.ts';
import { AdapterError } from '../domain/errors.ts';
import { findLost } from '../services/audits/find-lost.ts';
import type { Context } from './context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf } from './doctor-conditions.ts';

const NAME = 'lost gigs';
const WELL = 'No wallet shows money of gigs or tips that the database does not have';

/** Whether the database has lost gigs or tips, as after an older copy was put back; not looked at without wallets. */
export async function checkLost(context: Context, { chains: endpoints, gigWalletMnemonic }: Config): Promise<Check[]> {
  if (gigWalletMnemonic === null) return [];
  const { clock } = context;
  const wallets = createWallets(gigWalletMnemonic);
  const payers = createPayerChains({ endpoints, wallets, clock });
  try {
    const { paid, short, unknown } = await context.withStore((store) =>
      findLost({ store, payers, chains: context.chains(), wallets, clock }),
    );
    const open = [...unknown, ...short];
    const known = paid.map(({ text }) => text);
    const well = { ...checkOf(NAME, [], known.length === 0 ? WELL : known.join('. ')), remedy: paid[0]?.remedy ?? '' };
    return [open.length === 0 ? well : checkOf(NAME, [...open, ...paid], WELL)];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const remedy = 'Run doctor again once every chain answers.';
    return [{ name: NAME, ok: false, detail: `Unknown: ${error.message}`, remedy }];
  }
}
