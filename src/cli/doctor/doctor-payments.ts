import { createWallets } from '../../chain/wallets.ts';
import type { Config } from '../../config.ts';
import { chainKeyOf, heldUpProblem, type Problem } from '../../domain/payments/hold-up.ts';
import type { ConditionContext } from '../../services/operators/conditions/define-condition.ts';
import { wrongIn } from '../../services/operators/conditions/index.ts';
import { paymentsBlocked, paymentsLate } from '../../services/operators/conditions/payments.ts';
import { refundFailed, refundLate } from '../../services/operators/conditions/refunds.ts';
import { findUnaddressed } from '../../services/operators/stuck-refunds.ts';
import { findHeldUp } from '../../services/payments/held-up.ts';
import { findMnemonicProblem } from '../../services/payments/mnemonic.ts';
import { unpaidFees } from '../../services/payments/retry-payment.ts';
import type { Store } from '../../store/port/index.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf, withConditions } from './doctor-conditions.ts';

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
    const key = chainKeyOf(id);
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

async function heldUpPayments(sources: ConditionContext, config: Config): Promise<Problem[]> {
  if (config.gigWalletMnemonic === null) return [];
  const chainIds = config.chains.map(({ chain }) => chain.id);
  const late = await wrongIn(paymentsLate, sources);
  const blocked = await wrongIn(paymentsBlocked, sources);
  const held = (await findHeldUp(sources, { chainIds })).filter(({ holdUp }) => holdUp !== 'endpoint_refuses');
  const told = [...late, ...blocked].map(({ text, remedy }) => ({ detail: text, remedy }));
  return [...told, ...held.map(heldUpProblem)];
}

/** Whether all planned payments can be made, and none waits for more than a moment. */
export async function checkPayments(context: Context, config: Config): Promise<Check> {
  const problems = await withConditions(context, config, async (sources) => [
    ...(await strandedPayments(sources.store, config)),
    ...(await heldUpPayments(sources, config)),
    ...(await failedFees(sources.store)),
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

const MAX_GIGS = 5;

function unaddressedProblems(ids: readonly number[]): { text: string; remedy: string }[] {
  if (ids.length === 0) return [];
  const more = ids.length - MAX_GIGS;
  const named = [...ids.slice(0, MAX_GIGS), ...(more > 0 ? [`+${more} more`] : [])].join(', ');
  const gigs = `${ids.length} settled ${ids.length === 1 ? 'gig' : 'gigs'} (${named})`;
  const remedy = `Run npm run admin -- gig refund ${ids[0]} --to 0x… --yes.`;
  return [{ text: `Unawarded funds without a refund address: ${gigs}`, remedy }];
}

/** Whether what settled gigs have not awarded, and what cancelled ones hold, returns. */
export async function checkRefunds(context: Context, config: Config): Promise<Check> {
  const problems = await withConditions(context, config, async (sources) => [
    ...unaddressedProblems(await findUnaddressed(sources)),
    ...(await wrongIn(refundLate, sources)),
    ...(await wrongIn(refundFailed, sources)),
  ]);
  return checkOf('refunds', problems, 'No refund of a settled gig is held up, and none has failed');
}
