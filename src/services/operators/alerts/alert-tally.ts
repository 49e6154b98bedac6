/** What becomes of a try to deliver: `failed` ones are made again. */
export const ALERT_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number];

/** Counts the tries to deliver alerts since the process started, for the metrics. */
export interface AlertCounter {
  tried(outcome: AlertOutcome, count?: number): void;
  tally(): Readonly<Record<AlertOutcome, number>>;
}

/** A counter that begins with nothing. */
export function createAlertCounter(): AlertCounter {
  const counts: Record<AlertOutcome, number> = { delivered: 0, failed: 0, given_up: 0 };
  return {
    tried(outcome, count = 1) {
      counts[outcome] += count;
    },
    tally: () => ({ ...counts }),
  };
}
