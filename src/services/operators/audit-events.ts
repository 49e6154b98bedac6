import { type EventFacts, eventOfAct, statusFact } from '../../domain/events/event.ts';
import { type Actor, actorClient, actorName, keyIdOf } from '../../domain/operators/actor.ts';
import { detailText, type NewAuditEvent } from '../../domain/operators/audit-event.ts';
import type { StoreTx } from '../../store/port/index.ts';

/** The actor of a change and its time (epoch milliseconds). */
export interface Deed {
  readonly actor: Actor;
  readonly now: number;
}

export interface Done {
  readonly action: NewAuditEvent['action'];
  readonly detail: NewAuditEvent['detail'];
}

/** Stores an audit event in the transaction of the change, so that both happen or neither. */
export async function recordEvent(
  tx: StoreTx,
  { actor, now }: Deed,
  { action, subject, subjectId, gigId, detail }: NewAuditEvent,
): Promise<void> {
  await tx.insertAuditEvent({
    at: now,
    actor: actor.kind,
    actorName: actorName(actor),
    apiKeyId: keyIdOf(actor),
    client: actorClient(actor),
    requestId: actor.kind === 'job' ? null : actor.requestId,
    action,
    subject,
    subjectId,
    gigId,
    detail: detailText(detail),
  });
}

/**
 * Stores an audit event about a gig as a whole, and, when programs get events of such an act, the event for them.
 * @param event.facts the facts for programs; the gig's status when absent
 */
export async function recordGigEvent(
  tx: StoreTx,
  deed: Deed,
  event: Done & { readonly gigId: number; readonly facts?: EventFacts },
): Promise<void> {
  const { action, detail, gigId } = event;
  await recordEvent(tx, deed, { action, detail, gigId, subject: 'gig', subjectId: String(gigId) });
  const type = eventOfAct(action);
  if (type === undefined) return;
  const gig = event.facts === undefined ? await tx.gig(gigId) : null;
  const facts = event.facts ?? (gig === null ? {} : statusFact(gig, deed.now));
  await tx.insertEvents([{ type, at: deed.now, gigId, facts }]);
}
