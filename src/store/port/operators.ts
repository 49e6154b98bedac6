import type { AuditEvent } from '../../domain/audit-event.ts';
import type { MentionState, ReplyState } from '../../domain/mention.ts';
import type { Page } from './page.ts';

/** Reads of the audit trail and the queues. */
export interface OperatorReads {
  /** The audit trail, newest first; optionally of one gig, or of one API key and its sessions. */
  auditEvents(query: Page & { gigId?: number | undefined; apiKeyId?: number | undefined }): Promise<AuditEvent[]>;
  /** The events of the audit trail by which ids of gigs were skipped, newest first. */
  idSkips(limit: number): Promise<AuditEvent[]>;
  /** When the newest mention arrived, in epoch milliseconds; null before the first one. */
  lastArrival(): Promise<number | null>;
  /** How many mentions are in each state; read from stored counts, except waiting ones. */
  mentionDepths(): Promise<Record<MentionState, number>>;
  /** How many mentions wait for an answer, and how many replies are in each state. */
  queueDepths(): Promise<{ mentions: number; replies: Record<ReplyState, number> }>;
}

/** Changes of the audit trail and the queues, inside a transaction. */
export interface OperatorWrites {
  /** Adds a row to the audit trail, which cannot be changed or deleted. */
  insertAuditEvent(event: Omit<AuditEvent, 'id'>): Promise<void>;
  /**
   * After the clock was set back: log-in links and sessions that had expired `before`, and API keys that had `keysBefore`,
   * stay expired at `now`. Links and sessions that had not last as long as was left to them.
   */
  keepExpired(times: { before: number; keysBefore: number; now: number }): Promise<void>;
  /**
   * Makes waiting mentions, replies, planned payments, watches and questions to verifiers due at `now`, and leased ones when
   * a new lease would end, if that is earlier. Returns how many changed.
   */
  endWaits(request: { now: number; leaseMs: number }): Promise<number>;
  /**
   * Makes watches, questions to verifiers, and unleased mentions, that wait longer than `longestMs` due at `now`. Returns
   * how many changed.
   */
  endLongWaits(request: { now: number; longestMs: number }): Promise<number>;
}
