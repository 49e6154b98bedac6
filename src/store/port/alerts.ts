export interface AuditFault {
  readonly gigId: number;
  readonly chainId: number;
  /** Whether its chain did not answer; otherwise the audit found a fault. */
  readonly isUnanswered: boolean;
  /** A clause. */
  readonly reason: string;
}

export interface TroubledDelivery {
  readonly receiver: string;
  readonly state: 'queued' | 'failed';
  readonly error: string | null;
  /** When it was given up, epoch milliseconds; null while it is queued. */
  readonly endedAt: number | null;
}
