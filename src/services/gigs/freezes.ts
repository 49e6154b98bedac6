import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { type Deed, type Done, recordEvent, recordGigEvent } from '../operators/audit-events.ts';
import { commandGig } from './command-gig.ts';

interface FreezeChange {
  readonly gigId: number;
  readonly action: 'gig.freeze' | 'gig.unfreeze';
  readonly detail: Done['detail'];
  /** Why the gig was frozen, and is: null when it was not, or is not. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Programs are told once that a gig is frozen, and once that it is not; each reason is in the audit trail. */
async function recordFreeze(tx: StoreTx, deed: Deed, { before, after, ...done }: FreezeChange): Promise<void> {
  const isTold = (before === null) !== (after === null);
  if (isTold) await recordGigEvent(tx, deed, done);
  else await recordEvent(tx, deed, { ...done, subject: 'gig', subjectId: String(done.gigId) });
}

/**
 * Freezes a gig for `reason`, or unfreezes it with null, and records an audit event if that changes anything.
 * @returns why the gig is frozen now, or null; a freeze by the operator stays
 */
export async function changeFreeze(
  tx: StoreTx,
  deed: Deed,
  { gigId, reason }: { gigId: number; reason: string | null },
): Promise<string | null> {
  const before = await tx.gigFreeze(gigId);
  await tx.freezeGig(gigId, { reason, now: deed.now });
  const after = await tx.gigFreeze(gigId);
  if (after !== before) {
    const action = reason === null ? 'gig.unfreeze' : 'gig.freeze';
    await recordFreeze(tx, deed, { action, gigId, detail: { reason: reason ?? before }, before, after });
  }
  return after;
}

/** The operator's reason, trimmed. @throws DomainError `invalid_request` when it is empty or too long */
export function readReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > 500) throw invalidRequest('reason must have 1 to 500 characters');
  return reason;
}

/**
 * Freezes a gig by the operator's hand; only the operator can undo that, no audit does.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the operator froze it before
 */
export async function freezeByHand(
  { store, clock }: ServiceContext,
  { gigId, reason, actor }: { gigId: number; reason: string; actor: Actor },
): Promise<void> {
  const said = `the operator froze it: ${readReason(reason)}`;
  await store.transaction(async (tx) => {
    await commandGig(tx, { gigId, actor, act: 'freeze' });
    const before = await tx.gigFreeze(gigId);
    if (!(await tx.freezeByOperator(gigId, said)))
      throw invalidRequest(`Gig ${gigId} is frozen by the operator already.`);
    const change = { action: 'gig.freeze', gigId, detail: { reason: said }, before, after: said } as const;
    await recordFreeze(tx, { actor, now: clock() }, change);
  });
}

/**
 * Undoes the operator's freeze of a gig. A freeze by an audit or a payment stays.
 * @returns why it is still frozen, or null
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the operator has not frozen it
 */
export async function unfreezeByHand(
  { store, clock }: ServiceContext,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<string | null> {
  return await store.transaction(async (tx) => {
    await commandGig(tx, { gigId, actor, act: 'unfreeze' });
    const found = await tx.gigFreeze(gigId);
    if (!(await tx.freezeByOperator(gigId, null))) {
      const why = found === null ? 'it pays' : `${found}. Only reconcile can release it`;
      throw invalidRequest(`Gig ${gigId} is not frozen by the operator: ${why}.`);
    }
    const left = await tx.gigFreeze(gigId);
    const change = { action: 'gig.unfreeze', gigId, detail: { still: left }, before: found, after: left } as const;
    await recordFreeze(tx, { actor, now: clock() }, change);
    return left;
  });
}
