import type { Chains } from '../../../src/domain/chains/chain.ts';
import { AdapterError, DomainError } from '../../../src/domain/errors.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChains } from '../../../src/domain/payments/payer-chain.ts';
import { reconcileGigs } from '../../../src/services/audits/reconcile.ts';
import { endGig } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { planRefund } from '../../../src/services/ends/plan-refund.ts';
import { returnMoney } from '../../../src/services/ends/return-money.ts';
import type { PaymentContext } from '../../../src/services/payments/sender/context.ts';
import { CANCELLED_GIG, REFUNDED_GIGS } from './order.ts';

const ACTOR = COMMAND_LINE;

type EndDeps = PaymentContext & {
  readonly chains: Chains;
  readonly payers: PayerChains;
  readonly newId: () => string;
};

/** Whether the chain answered and nothing was refused. */
async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof DomainError) && !(error instanceof AdapterError)) throw error;
    return false;
  }
}

/**
 * Ends the gigs of the order, as an operator who says that no tips are lost: those of late tips are another gig's. What
 * an earlier life did is not done again.
 * @returns true when each refund is planned, and a return of the cancelled gig too
 */
export async function endGigs(deps: EndDeps): Promise<boolean> {
  const { store } = deps;
  const end = (gigId: number, ending: Ending) => succeeds(() => endGig(deps, { gigId, ending, actor: ACTOR }));
  const auditing = { ...deps, actor: ACTOR };
  const reconcile = (gigId: number) => reconcileGigs(auditing, { gigId });
  let isDone = true;
  for (const gigId of REFUNDED_GIGS) {
    await end(gigId, 'stop');
    await end(gigId, 'settle');
    const outcome = await planRefund(
      { ...deps, refundDelayMs: 0, reconcile },
      { gigId, actor: ACTOR, isApproved: true },
    );
    isDone &&= outcome.kind !== 'waits';
  }
  await end(CANCELLED_GIG, 'cancel');
  const hasReturned = async () => {
    const payments = await store.paymentsOfGig(CANCELLED_GIG);
    return payments.some(({ kind, state }) => kind === 'return' && state !== 'failed');
  };
  if (await hasReturned()) return isDone;
  const request = { gigId: CANCELLED_GIG, actor: ACTOR, isApproved: true };
  await succeeds(() => returnMoney({ ...auditing, wallets: null }, request));
  return isDone && (await hasReturned());
}
