import { type Actor, actorName, keyIdOf } from '../../domain/actor.ts';
import { detailText, type NewAuditEvent } from '../../domain/audit-event.ts';
import type { StoreTx } from '../../store/port/index.ts';

/** Who does something, and when (epoch milliseconds). */
export interface Deed {
  readonly actor: Actor;
  readonly now: number;
}

/** Writes down who did what to what, in the transaction that does it: both happen or neither. */
export async function recordEvent(
  tx: Pick<StoreTx, 'insertAuditEvent'>,
  { actor, now }: Deed,
  { action, subject, subjectId, gigId, detail }: NewAuditEvent,
): Promise<void> {
  await tx.insertAuditEvent({
    at: now,
    actor: actor.kind,
    actorName: actorName(actor),
    apiKeyId: keyIdOf(actor),
    client: actor.kind === 'api_key' ? actor.client : null,
    requestId: actor.kind === 'job' ? null : actor.requestId,
    action,
    subject,
    subjectId,
    gigId,
    detail: detailText(detail),
  });
}

/** Writes down what was done to a gig as a whole. */
export async function recordGigEvent(
  tx: Pick<StoreTx, 'insertAuditEvent'>,
  deed: Deed,
  event: Pick<NewAuditEvent, 'action' | 'detail'> & { readonly gigId: number },
): Promise<void> {
  const { action, detail, gigId } = event;
  await recordEvent(tx, deed, { action, detail, gigId, subject: 'gig', subjectId: String(gigId) });
}
