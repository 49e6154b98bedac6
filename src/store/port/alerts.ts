import type { Alert, AlertDelivery, AlertNews, LeasedDelivery } from '../../domain/alert.ts';
import type { Condition } from '../../domain/condition.ts';
import type { LeaseRequest } from './mentions.ts';
import type { Page } from './page.ts';

/** Why the last audit of a gig did not succeed. */
export interface AuditFault {
  readonly gigId: number;
  readonly chainId: number;
  /** Whether its chain did not answer; otherwise the audit found a fault. */
  readonly isUnanswered: boolean;
  /** A clause. */
  readonly reason: string;
}

/** A delivery that was tried in vain. */
export interface TroubledDelivery {
  readonly receiver: string;
  readonly state: 'queued' | 'failed';
  readonly error: string | null;
  /** When it was given up, epoch milliseconds; null while it is queued. */
  readonly endedAt: number | null;
}

/** Reads of alerts and their deliveries. */
export interface AlertReads {
  /** Oldest first. */
  openAlerts(): Promise<Alert[]>;
  /** Newest first. */
  alerts(query: Page): Promise<Alert[]>;
  /** What was told of an alert, in the order in which it was queued. */
  deliveriesOf(alertId: number): Promise<AlertDelivery[]>;
  /** The open alerts of which this receiver was not told, and will not be. */
  untoldAlerts(receiver: string): Promise<number[]>;
  /** Deliveries that are queued after a failed try, or were given up. */
  troubledDeliveries(): Promise<TroubledDelivery[]>;
  /** When a delivery last reached this receiver, epoch milliseconds; null when none has. */
  lastDelivered(receiver: string): Promise<number | null>;
  /** By gig. */
  auditFaults(): Promise<AuditFault[]>;
}

/** Changes of alerts, inside a transaction. */
export interface AlertWrites {
  /**
   * Claims the watch for conditions until `until`, so that only one of several processes tells of what it sees. False
   * while another holder has it.
   */
  claimAlertWatch(claim: { holder: string; now: number; until: number }): Promise<boolean>;
  /** Opens an alert and returns its id; null when one of this kind and subject is open. */
  beginAlert(condition: Condition, now: number): Promise<number | null>;
  /** False when it is over already. */
  endAlert(id: number, now: number): Promise<boolean>;
  /** Queues a delivery; false when this receiver has one with this news of the alert. */
  queueDelivery(
    delivery: { readonly id: string; readonly alertId: number; readonly news: AlertNews; readonly receiver: string },
    now: number,
  ): Promise<boolean>;
  /**
   * Leases the receiver's delivery that has been due longest, and counts a try at once; null when none is due. That an
   * alert is over waits while that it has begun is queued.
   */
  leaseDelivery(receiver: string, request: LeaseRequest): Promise<LeasedDelivery | null>;
  /** Queued → delivered. Only under the lease. */
  markDelivered(id: string, change: { lease: string; now: number }): Promise<boolean>;
  /** Ends the lease of a failed try: queued until `retryAt`, or failed when that is null. Only under the lease. */
  putDeliveryBack(
    id: string,
    change: { lease: string; retryAt: number | null; error: string; now: number },
  ): Promise<boolean>;
  /** Queued → failed for all that were queued before to other receivers than these, unless they are leased. Returns how many. */
  giveUpDeliveries(which: {
    queuedBefore: number;
    receivers: readonly string[];
    now: number;
    error: string;
  }): Promise<number>;
  /** Keeps why the last audit of a gig did not succeed; null when it did. */
  keepAuditFault(gigId: number, fault: Omit<AuditFault, 'gigId'> | null): Promise<void>;
}
