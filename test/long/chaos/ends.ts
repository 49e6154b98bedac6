import { AdapterError, DomainError } from '../../../src/domain/errors.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { reconcileGig } from '../../../src/services/audits/reconcile.ts';
import { cancelUnfunded } from '../../../src/services/ends/cancel-unfunded.ts';
import type { ReturnJobContext, SettleContext, UnfundedContext } from '../../../src/services/ends/context.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { planRefund } from '../../../src/services/ends/plan-refund.ts';
import { createReturnJob } from '../../../src/services/ends/return-cancelled.ts';
import { returnMoney } from '../../../src/services/ends/return-money.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { checkFundings } from '../../../src/services/gigs/check-funding.ts';
import type { StartFundedContext } from '../../../src/services/gigs/context.ts';
import { startFundedGigs } from '../../../src/services/gigs/start-funded.ts';
import type { PaymentContext } from '../../../src/services/payments/sender/context.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { CANCELLED_GIG, CHAIN, REFUNDED_GIGS, STARTED_GIG, UNFUNDED_GIG } from './order.ts';

const ACTOR = COMMAND_LINE;

type EndDeps = PaymentContext &
  UnfundedContext &
  StartFundedContext &
  SettleContext &
  Omit<ReturnJobContext, 'wallets' | 'wake'> & { readonly payers: ReturnJobContext['payers'] };

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

/** Does what the service does by itself and cannot undo, as a process that has just started. */
export async function workAlone(deps: EndDeps): Promise<void> {
  const returning = { ...deps, wallets: null, wake: () => undefined };
  await startFundedGigs(deps);
  await checkFundings(deps, CHAIN.id);
  await cancelUnfunded(deps);
  await settleDueGigs(deps);
  await succeeds(() => createReturnJob(returning)());
}

/**
 * Ends the gigs of the order, as the service does by itself, and where a step waits as an operator who says that no tips are
 * lost: those of late tips are another gig's. What an earlier life did is not done again.
 * @returns true when all is planned, and the gig that starts by itself is live
 */
export async function endGigs(deps: EndDeps): Promise<boolean> {
  const { store, heldSteps } = deps;
  const end = (gigId: number, ending: Ending) =>
    succeeds(() => carryOut(deps, prepareEnd({ gigId, ending, actor: ACTOR, holder: deps.newId() })));
  const auditing = { ...deps, actor: ACTOR };
  const reconcile = (gigId: number) => reconcileGig(auditing, gigId);
  for (const gigId of REFUNDED_GIGS) await end(gigId, 'stop');
  await end(CANCELLED_GIG, 'cancel');
  await workAlone(deps);
  for (const { step, gigId, why } of heldSteps.list()) {
    if (step === 'settle') await end(gigId, 'settle');
    // One that had started is started again instead; the other has returned its money.
    if (step === 'cancel' && (why !== 'has_paid' || gigId === UNFUNDED_GIG)) await end(gigId, 'cancel');
  }
  let isDone = (await store.gig(STARTED_GIG))?.status === 'live';
  for (const gigId of REFUNDED_GIGS) {
    const refunding = { ...deps, refundDelayMs: 0, reconcile };
    const outcome = await planRefund(refunding, { gigId, actor: ACTOR, isApproved: true });
    isDone &&= outcome.kind !== 'waits';
  }
  for (const gigId of [CANCELLED_GIG, UNFUNDED_GIG]) {
    const hasReturned = async () => {
      const payments = await store.paymentsOfGig(gigId);
      return payments.some(({ kind, state }) => kind === 'return' && state !== 'failed');
    };
    if (await hasReturned()) continue;
    await succeeds(() => returnMoney({ ...auditing, wallets: null }, { gigId, actor: ACTOR, isApproved: true }));
    isDone &&= await hasReturned();
  }
  return isDone;
}
