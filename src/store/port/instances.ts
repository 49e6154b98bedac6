/** A process that serves the store. Times are epoch milliseconds of the store's clock. */
export interface Instance {
  readonly id: string;
  readonly version: string;
  readonly begunAt: number;
  /** When it last told that it lives. */
  readonly beatAt: number;
  /** By how many milliseconds its clock was ahead of the store's then. */
  readonly clockAheadMs: number;
  /** Whether that is so recent that it counts as alive. */
  readonly isAlive: boolean;
}

export interface InstanceStatus {
  /** Its id; null where one process alone serves the store. */
  readonly id: string | null;
  /** By how many milliseconds its clock is ahead of the store's, negative when it is behind; 0 without a clock there. */
  readonly clockAheadMs: number;
}
