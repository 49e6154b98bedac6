import type { AuditEvent } from '../../domain/audit-event.ts';
import type { MentionState, ReplyState } from '../../domain/mention.ts';
import type { Page } from './page.ts';

/** What can be read of the audit trail and the queues. */
export interface OperatorReads {
  /** What was done, newest first; optionally to one gig, or by one API key and its log-ins. */
  auditEvents(query: Page & { gigId?: number | undefined; apiKeyId?: number | undefined }): Promise<AuditEvent[]>;
  /** When the newest mention came, in epoch milliseconds; null before the first one. */
  lastArrival(): Promise<number | null>;
  /** How many mentions stand in each state; kept as they change, as all counts by state are. */
  mentionDepths(): Promise<Record<MentionState, number>>;
  /** How many mentions wait for an answer, and how many replies stand in each state. */
  queueDepths(): Promise<{ mentions: number; replies: Record<ReplyState, number> }>;
}

/** What can be changed of the audit trail and the queues, inside a transaction. */
export interface OperatorWrites {
  /** Adds a line to the audit trail, which nothing can change or take away. */
  insertAuditEvent(event: Omit<AuditEvent, 'id'>): Promise<void>;
  /**
   * Makes due at `now` what waits for a later time, mentions and replies; those under a lease when a lease taken now would
   * end. Answers how many there were.
   */
  endWaits(request: { now: number; leaseMs: number }): Promise<number>;
}
