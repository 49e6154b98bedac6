import { createWallets } from '../chain/wallets.ts';
import type { Config } from '../config.ts';
import { CHAINS } from '../domain/chain.ts';
import { findHeldUp, type HeldUp, type HoldUp } from '../services/payments/held-up.ts';
import { findMnemonicProblem } from '../services/payments/mnemonic.ts';
import { unpaidFees } from '../services/payments/retry-payment.ts';
import type { Store } from '../store/port/index.ts';
import type { Context } from './context.ts';
import type { Check } from './doctor-checks.ts';

type Problem = Pick<Check, 'detail' | 'remedy'>;

function keyOf(chainId: number): string {
  return CHAINS.find(({ id }) => id === chainId)?.key ?? `chain id ${chainId}`;
}

/** Payments from wallets that this configuration cannot sign for, or on chains that it does not name. */
async function strandedPayments(store: Store, { chains, gigWalletMnemonic }: Config): Promise<Problem[]> {
  const busy = await store.chainsWithPayments();
  if (busy.length > 0 && gigWalletMnemonic === null) {
    return [
      { detail: 'payments wait, because there is no GIG_WALLET_MNEMONIC', remedy: 'Set it to its former value.' },
    ];
  }
  const enabled = chains.map(({ chain }) => chain.id);
  const missing = busy.filter((id) => !enabled.includes(id));
  return missing.map((id) => {
    const key = keyOf(id);
    return { detail: `payments on ${key} wait, because it is not in CHAINS`, remedy: `Add ${key} to CHAINS.` };
  });
}

/** A failed check when the mnemonic is not the store's; nothing otherwise. */
export async function checkMnemonic(context: Context, { gigWalletMnemonic }: Config): Promise<Check[]> {
  if (gigWalletMnemonic === null) return [];
  const wallets = createWallets(gigWalletMnemonic);
  const detail = await context.withStore((store) => findMnemonicProblem(store, wallets));
  if (detail === null) return [];
  const remedy = 'Set GIG_WALLET_MNEMONIC to the former mnemonic: with another one the service does not start.';
  return [{ name: 'mnemonic', ok: false, detail, remedy }];
}

async function failedFees(store: Store): Promise<Problem[]> {
  return (await unpaidFees({ store })).map(({ id, gigId, reason }) => ({
    detail: `the fee of gig ${gigId} failed: ${reason}`,
    remedy: `When that is fixed, run npm run admin -- payment retry ${id}.`,
  }));
}

const BY_ITSELF = 'That goes on by itself';

/** Why payments are held up, and what to do; `on` is the key of their chain, `gigs` names their gigs. */
const HOLD_UPS: Readonly<Record<HoldUp, (on: string, gigs: string) => readonly [why: string, remedy: string]>> = {
  gig_frozen: () => ['frozen', 'See the check of the gigs.'],
  gas_tank_empty: (on) => ['the gas tank is too low', `Refill the gas tank on ${on}: payments go on within 5 seconds.`],
  contracts_missing: (on) => ['the payer contracts are not deployed', `Run npm run admin -- payer deploy ${on}.`],
  client_budget_used: (_, gigs) => [
    'the client has used up its gas of a day',
    `What ${gigs} must pay goes on by itself as the day passes, or when you raise GAS_BUDGET_CLIENT_DAY.`,
  ],
  gig_budget_used: (_, gigs) => [
    'the gig has used up the gas that its tips allow',
    `Each further tip of ${gigs} allows more.`,
  ],
  token_fails: () => ['the token failed on the chain', `${BY_ITSELF} when the token has not failed for an hour.`],
  too_expensive: () => [
    'the cost is more than that of several plain transfers',
    `${BY_ITSELF} when fees fall; else the token is expensive to move.`,
  ],
  recipient_fails: (_, gigs) => [
    'earlier payments to the recipient failed on the chain',
    `They are tried again after pauses; others of ${gigs} go on.`,
  ],
  refused: () => [
    'a simulation refuses it, or the node does not answer',
    'It is tried again, and fails when that lasts: see payment list --state planned.',
  ],
  late: () => ['planned more than 5 minutes ago', 'See that the service runs, and payment list --state planned.'],
};

/** How many gigs are named; the others are counted. */
const MAX_GIGS = 5;

function heldUpProblem({ holdUp, chainId, payments, gigIds }: HeldUp): Problem {
  const more = gigIds.length - MAX_GIGS;
  const named = [...gigIds.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])].join(', ');
  const gigs = `${gigIds.length === 1 ? 'gig' : 'gigs'} ${named}`;
  const [why, remedy] = HOLD_UPS[holdUp](keyOf(chainId), gigs);
  const wait = payments === 1 ? '1 payment waits' : `${payments} payments wait`;
  return { detail: `${wait} on ${keyOf(chainId)} (${gigs}): ${why}`, remedy };
}

/** Payments that could be made with this configuration and are not. */
async function heldUpPayments(context: Context, store: Store, config: Config): Promise<Problem[]> {
  if (config.gigWalletMnemonic === null) return [];
  const chainIds = config.chains.map(({ chain }) => chain.id);
  const found = await findHeldUp({ store, clock: context.clock }, { chainIds });
  return found.map(heldUpProblem);
}

/** Whether all planned payments can be made, and none waits for more than a moment. */
export async function checkPayments(context: Context, config: Config): Promise<Check> {
  const problems = await context.withStore(async (store) => [
    ...(await strandedPayments(store, config)),
    ...(await heldUpPayments(context, store, config)),
    ...(await failedFees(store)),
  ]);
  const name = 'payments';
  if (problems.length === 0) return { name, ok: true, detail: 'No planned payment is held up', remedy: '' };
  return {
    name,
    ok: false,
    detail: problems.map(({ detail }) => detail).join('; '),
    remedy: problems.map(({ remedy }) => remedy).join(' '),
  };
}
