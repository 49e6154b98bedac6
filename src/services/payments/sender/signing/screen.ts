import { AdapterError } from '../../../../domain/errors.ts';
import type { Address } from '../../../../domain/gigs/token.ts';
import type { PayerChain } from '../../../../domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';
import { REASON } from '../../../../domain/payments/reasons.ts';
import { summarizeError } from '../../../../log.ts';
import type { Facts, PaymentContext } from '../context.ts';
import { type Wait, waitAll } from '../refusals.ts';

async function askOracle(
  { log }: PaymentContext,
  payer: PayerChain,
  asked: { oracle: Address; addresses: readonly Address[] },
  { latest }: Facts,
): Promise<(boolean | null)[]> {
  try {
    return await payer.sanctioned(asked, latest.number);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ chain: payer.chain.key, error: summarizeError(error) }, 'the screening oracle cannot be asked');
    return asked.addresses.map(() => null);
  }
}

/**
 * Asks the chain's screening oracle in the newest block about the recipients of payments, each time before they are sent: a
 * listed one may be cleared, and another one listed. Without an oracle all pass. A mark moves nothing to anybody.
 */
export async function screen(
  deps: PaymentContext,
  payer: PayerChain,
  { facts, tryable }: { readonly facts: Facts; readonly tryable: readonly PaymentCandidate[] },
): Promise<{ readonly passed: readonly PaymentCandidate[]; readonly waits: readonly Wait[] }> {
  const oracle = deps.screeningOracles?.get(payer.chain.id);
  const paying = tryable.filter(({ kind }) => kind !== 'mark');
  const addresses = [...new Set(paying.map(({ recipient }) => recipient))];
  if (oracle === undefined || addresses.length === 0) return { passed: tryable, waits: [] };
  const answers = await askOracle(deps, payer, { oracle, addresses }, facts);
  const isSanctioned = new Map(addresses.map((address, place) => [address, answers[place] ?? null]));
  const having = (answer: boolean | null) => paying.filter(({ recipient }) => isSanctioned.get(recipient) === answer);
  const delay = { isCalm: false, waitMs: deps.timing.unansweredMs };
  return {
    passed: tryable.filter((payment) => payment.kind === 'mark' || isSanctioned.get(payment.recipient) === false),
    waits: [
      ...waitAll(having(true), { ...delay, reason: REASON.recipientListed }),
      ...waitAll(having(null), { ...delay, reason: REASON.screeningSilent }),
    ],
  };
}
