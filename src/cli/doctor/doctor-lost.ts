import { createPayerChains } from '../../chain/registry.ts';
import { createWallets } from '../../chain/wallets.ts';
import type { Config } from '../../config.ts';
import { AdapterError } from '../../domain/errors.ts';
import { findLost, type Lost } from '../../services/audits/find-lost.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf } from './doctor-conditions.ts';

const NAME = 'lost gigs';
const WELL = 'No wallet shows money of gigs or tips that the database lacks';

/** What is paid for tips that are lost is to be known and not to be repaired. */
export function lostCheck({ paid, short, unknown }: Lost): Check {
  const open = [...unknown, ...short];
  if (open.length > 0 || paid.length === 0) return checkOf(NAME, open.length === 0 ? [] : [...open, ...paid], WELL);
  const detail = paid.map(({ text }) => text).join('. ');
  return { name: NAME, ok: true, mark: 'warning', detail, remedy: paid[0]?.remedy ?? '' };
}

/** Whether the database has lost gigs or tips, as after an older copy was put back; not looked at without wallets. */
export async function checkLost(context: Context, { gigWalletMnemonic }: Config): Promise<Check[]> {
  if (gigWalletMnemonic === null) return [];
  const { clock } = context;
  const wallets = createWallets(gigWalletMnemonic);
  const payers = createPayerChains({ ...context.endpoints(), wallets });
  try {
    return [
      await context.withStore(async (store) =>
        lostCheck(await findLost({ store, payers, chains: context.chains(), wallets, clock })),
      ),
    ];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const remedy = 'Run doctor again once every chain answers.';
    return [{ name: NAME, ok: false, detail: `Unknown: ${error.message}`, remedy }];
  }
}
