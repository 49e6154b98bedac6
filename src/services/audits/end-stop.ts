import { addsUp } from '../../domain/payments/audit.ts';
import type { PaymentStop, StoreReads } from '../../store/port/index.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { AuditContext } from './context.ts';
import { type Reconciled, reconcileGigs } from './reconcile.ts';

/** The outcome of what waited for the proof: there was nothing, it goes on, or it waits still. */
export type StopOutcome = 'none' | 'ended' | 'stays';

/** A frozen gig pays nothing, so missing answers of the chain about it do not matter. */
function isProvedOrFrozen({ audit, frozen }: Reconciled, acceptsFrozen: boolean): boolean {
  return (audit !== null && addsUp(audit) === true) || (acceptsFrozen && frozen !== null);
}

/** What waits until an operator has proved that the ledger and the wallets agree. */
interface Waiting {
  /** All payments, since the database is on another server. */
  readonly stop: PaymentStop | null;
  /** Refunds and returns of the gigs up to this id, since the database was seen to be an older copy. */
  readonly doubtedUpTo: number | null;
}

async function readWaiting(reads: StoreReads): Promise<Waiting> {
  return { stop: await reads.paymentStop(), doubtedUpTo: await reads.doubtedUpTo() };
}

/** False when something else has begun to wait meanwhile. */
async function endWaiting({ store, actor, clock }: AuditContext, { stop, doubtedUpTo }: Waiting): Promise<boolean> {
  return await store.transaction(async (tx) => {
    if (stop !== null && !(await tx.allowPayments(stop))) return false;
    if ((await tx.doubtedUpTo()) !== doubtedUpTo) return false;
    const detail = { ...(stop && { server: stop.server }), ...(doubtedUpTo !== null && { gigs_up_to: doubtedUpTo }) };
    const event = { action: 'payments.allow', subject: 'store', subjectId: 'server', gigId: null } as const;
    await recordEvent(tx, { actor, now: clock() }, { ...event, detail });
    return true;
  });
}

export interface Proof {
  readonly results: readonly Reconciled[];
  readonly stop: StopOutcome;
  readonly refunds: StopOutcome;
}

/**
 * Reconciles every started gig. When all add up, a stop of all payments that was there before ends, unless the server has
 * changed once more meanwhile, and so does the wait of refunds and returns for such a proof after a restore.
 * @param options.acceptsFrozen whether they also end when gigs that are frozen do not add up, or cannot be audited
 */
export async function proveWallets(deps: AuditContext, { acceptsFrozen }: { acceptsFrozen: boolean }): Promise<Proof> {
  const before = await readWaiting(deps.store);
  const results = await reconcileGigs(deps);
  const { stop, doubtedUpTo } = before;
  if (stop === null && doubtedUpTo === null) return { results, stop: 'none', refunds: 'none' };
  const isProved = results.every((result) => isProvedOrFrozen(result, acceptsFrozen));
  const outcome = isProved && (await endWaiting(deps, before)) ? 'ended' : 'stays';
  return { results, stop: stop === null ? 'none' : outcome, refunds: doubtedUpTo === null ? 'none' : outcome };
}
