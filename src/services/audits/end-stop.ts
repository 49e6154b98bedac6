import { addsUp } from '../../domain/audit.ts';
import type { PaymentStop } from '../../store/port/index.ts';
import { recordEvent } from '../operators/audit-events.ts';
import { type AuditDeps, type Reconciled, reconcileGigs } from './reconcile.ts';

/** What became of a stop of all payments: there was none, it has ended, or it stays. */
export type StopOutcome = 'none' | 'ended' | 'stays';

/** Whether a gig adds up, or is frozen: then it pays nothing, whatever the chain does not tell of it. */
function isSettled({ audit, frozen }: Reconciled, acceptsFrozen: boolean): boolean {
  return (audit !== null && addsUp(audit) === true) || (acceptsFrozen && frozen !== null);
}

async function endStop({ store, actor, clock }: AuditDeps, stop: PaymentStop): Promise<StopOutcome> {
  return await store.transaction(async (tx) => {
    if (!(await tx.allowPayments(stop))) return 'stays';
    const { server } = stop;
    const event = { action: 'payments.allow', subject: 'store', subjectId: 'server', gigId: null } as const;
    await recordEvent(tx, { actor, now: clock() }, { ...event, detail: { server } });
    return 'ended';
  });
}

/**
 * Reconciles every started gig. When all add up, a stop of all payments that was there before ends, unless the server has
 * changed once more meanwhile.
 * @param options.acceptsFrozen whether it also ends when gigs that are frozen do not add up, or cannot be audited
 */
export async function proveWallets(
  deps: AuditDeps,
  { acceptsFrozen }: { acceptsFrozen: boolean },
): Promise<{ results: Reconciled[]; stop: StopOutcome }> {
  const before = await deps.store.paymentStop();
  const results = await reconcileGigs(deps);
  if (before === null) return { results, stop: 'none' };
  const isProved = results.every((result) => isSettled(result, acceptsFrozen));
  return { results, stop: isProved ? await endStop(deps, before) : 'stays' };
}
