import { AdapterError, DomainError } from '../../domain/errors.ts';
import { type Gig, unawardedOf } from '../../domain/gigs/gig.ts';
import { awardsUntil, type RefundWait, refundDueAt, refundRecipient } from '../../domain/gigs/gig-end.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { type Payment, REFUND_NUMBER } from '../../domain/payments/payment.ts';
import { summarizeError } from '../../log.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import { whyUnproved } from '../audits/reconcile.ts';
import { type Commanded, commandGig } from '../gigs/command-gig.ts';
import { checkPaid, isCleared, type Known } from '../gigs/steps/check-step.ts';
import { whyTipsMayBeLost } from '../gigs/steps/lost-tips.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import type { RefundContext, RefundJobContext } from './context.ts';
import { nextPlace } from './return-money.ts';

/** What the refund of a gig waits for; null when it can be planned, as far as the ledger knows. */
export async function findRefundWait(
  reads: StoreReads,
  gig: Gig,
  { now, delayMs, isApproved = false }: { now: number; delayMs: number; isApproved?: boolean },
): Promise<Exclude<RefundWait, 'unproved'> | null> {
  if (gig.status !== 'live') return 'not_started';
  const dueAt = refundDueAt(gig, delayMs);
  // A settlement by itself waits for the same.
  if (dueAt === null) return (now >= awardsUntil(gig) ? await whyTipsMayBeLost(reads, gig) : null) ?? 'not_settled';
  if (refundRecipient(gig) === null) return 'no_address';
  if (now < dueAt) return 'delay';
  if ((await reads.gigFreeze(gig.id)) !== null) return 'frozen';
  return isApproved ? null : await whyTipsMayBeLost(reads, gig);
}

export type RefundOutcome =
  | { readonly kind: 'planned'; readonly payment: Payment }
  /** All of the reward was awarded: nothing is to be returned. */
  | { readonly kind: 'nothing' }
  /** It was planned before. */
  | { readonly kind: 'planned_before' }
  | { readonly kind: 'waits'; readonly why: RefundWait; readonly detail: string | null };

/** Plans the payment of a refund, within a transaction. Its number was used when the gig was rebuilt from its chain. */
export async function planRefundPayment(
  tx: StoreTx,
  gig: Commanded,
  { amount, recipient, now }: { amount: bigint; recipient: Address; now: number },
): Promise<Payment> {
  const { id: gigId, token } = gig;
  const isUsed = (await tx.markedByOthers(gigId)).includes(REFUND_NUMBER);
  const kind = isUsed
    ? ({ kind: 'return', place: await nextPlace(tx, gigId) } as const)
    : ({ kind: 'refund' } as const);
  const shared = { chainId: token.chainId, gigId, claimId: null, tokenId: token.id, recipient, amount };
  return await tx.planPayment({ ...shared, ...kind }, { now, tipIds: [] });
}

/** Once the wallet was compared: nothing that it has paid is unknown. */
async function plan(
  tx: StoreTx,
  { gigId, actor, isApproved }: { gigId: number; actor: Actor; isApproved: boolean },
  { now, delayMs }: { readonly known: Known; readonly now: number; readonly delayMs: number },
): Promise<RefundOutcome> {
  const gig = await commandGig(tx, { gigId, actor, act: 'refund' });
  const why = await findRefundWait(tx, gig, { now, delayMs, isApproved });
  const recipient = refundRecipient(gig);
  if (why !== null || recipient === null) return { kind: 'waits', why: why ?? 'no_address', detail: null };
  // A server that took over after the wallet was compared may lack what it has paid.
  const detail = 'payments are stopped, because the database runs on another server than before';
  if ((await tx.paymentStop()) !== null) return { kind: 'waits', why: 'unproved', detail };
  const amount = unawardedOf(gig);
  if (!(await tx.markRefunded(gigId, now))) return { kind: 'planned_before' };
  const planned = { amount, recipient, awarded: gig.awardedAmount, approved: isApproved };
  await recordGigEvent(tx, { actor, now }, { action: 'gig.refund', gigId, detail: planned });
  if (amount === 0n) return { kind: 'nothing' };
  return { kind: 'planned', payment: await planRefundPayment(tx, gig, { amount, recipient, now }) };
}

/**
 * Plans the refund of a settled gig: what it has not awarded, by the ledger alone. Before that every mark of its wallet is
 * read in a settled block, and what the ledger does not know is taken into it; unless both add up, nothing is planned.
 * @param request `isApproved`: an operator says that no tips are owed which the ledger has lost
 * @throws DomainError as {@link commandGig}
 */
export async function planRefund(
  deps: RefundContext,
  request: { gigId: number; actor: Actor; isApproved?: boolean },
): Promise<RefundOutcome> {
  const { store, clock, refundDelayMs: delayMs, reconcile } = deps;
  const { gigId, actor, isApproved = false } = request;
  const gig = await commandGig(store, { gigId, actor, act: 'refund' });
  if (gig.refundedAt !== null) return { kind: 'planned_before' };
  const why = await findRefundWait(store, gig, { now: clock(), delayMs, isApproved });
  // A freeze may be lifted by the comparison.
  if (why !== null && why !== 'frozen') return { kind: 'waits', why, detail: null };
  const known = await checkPaid(deps, gig);
  if (!isCleared(known)) return { kind: 'waits', why: why ?? 'unproved', detail: known.detail };
  const detail = whyUnproved(await reconcile(gigId));
  if (detail !== null) return { kind: 'waits', why: why ?? 'unproved', detail };
  return await store.transaction((tx) => plan(tx, { gigId, actor, isApproved }, { known, now: clock(), delayMs }));
}

const JOB: Actor = { kind: 'job', name: 'refund' };
const PAGE = 100;
/** After a refund had to wait, until it is looked at again; twice as long each time. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60 * 1000;

async function refundOne(deps: RefundJobContext, pauses: Pauses, gigId: number): Promise<void> {
  const { clock, log, wake } = deps;
  if (pauses.has(gigId, clock())) return;
  const outcome = await planRefund(deps, { gigId, actor: JOB });
  if (outcome.kind !== 'waits') {
    pauses.forget(gigId);
    log.info({ gigId, outcome: outcome.kind }, 'refund of a gig is planned');
    if (outcome.kind === 'planned') wake(outcome.payment.chainId);
    return;
  }
  const { why, detail } = outcome;
  pauses.begin(gigId, clock());
  log.warn({ gigId, why, detail }, 'refund of a gig waits');
}

/** A gig whose refund cannot be planned keeps no other from its own. */
async function tryRefund(deps: RefundJobContext, pauses: Pauses, gigId: number): Promise<void> {
  try {
    await refundOne(deps, pauses, gigId);
  } catch (error) {
    if (!(error instanceof AdapterError) && !(error instanceof DomainError)) throw error;
    pauses.begin(gigId, deps.clock(), { isLongest: true });
    deps.log.warn({ gigId, error: summarizeError(error) }, 'refund of a gig cannot be planned');
  }
}

/** Creates the job that plans the refunds that are due; one for a process. */
export function createRefundJob(deps: RefundJobContext): () => Promise<void> {
  const { store, clock, refundDelayMs: delayMs } = deps;
  const pauses = createPauses({ firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
  return async () => {
    let after = 0;
    let ids: number[];
    do {
      ids = await store.gigsToRefund({ settledBy: clock() - delayMs, after, limit: PAGE });
      for (const id of ids) await tryRefund(deps, pauses, id);
      after = ids.at(-1) ?? after;
    } while (ids.length === PAGE);
  };
}

/** Which gigs a job leaves alone for a while, in the memory of one process. Times are epoch milliseconds. */
export interface Pauses {
  /** Whether the job is to leave the gig alone now. */
  has(gigId: number, now: number): boolean;
  /** Begins a pause of a gig, twice as long as the last one; `isLongest`: as long as any. */
  begin(gigId: number, now: number, options?: { readonly isLongest?: boolean }): void;
  /** Forgets the pauses of a gig: its next one is the first. */
  forget(gigId: number): void;
}

/** Pauses that grow from the first to the longest, in milliseconds. */
export function createPauses({ firstMs, longestMs }: { firstMs: number; longestMs: number }): Pauses {
  const pauses = new Map<number, { readonly until: number; readonly ms: number }>();
  return {
    has(gigId, now) {
      const pause = pauses.get(gigId);
      if (pause === undefined) return false;
      const leftMs = pause.until - now;
      // More is left than it was long when the clock was set back.
      return leftMs > 0 && leftMs <= pause.ms;
    },
    begin(gigId, now, { isLongest = false } = {}) {
      const before = pauses.get(gigId);
      const ms = isLongest ? longestMs : Math.min(longestMs, before === undefined ? firstMs : before.ms * 2);
      pauses.set(gigId, { until: now + ms, ms });
    },
    forget(gigId) {
      pauses.delete(gigId);
    },
  };
}
