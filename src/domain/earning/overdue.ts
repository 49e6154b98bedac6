import { DAY_MS } from '../time.ts';

/** The pauses after failed steps: the first, twice as long after each further one, up to the longest. Milliseconds. */
export interface FailurePauses {
  readonly failedMs: number;
  readonly longestFailedMs: number;
}

/** Production values. */
export const FAILURE_PAUSES: FailurePauses = { failedMs: 30_000, longestFailedMs: 1_800_000 };

/** The pause after so many failed steps in a row. */
export function failurePause(failures: number, { failedMs, longestFailedMs }: FailurePauses): number {
  return Math.min(failedMs * 2 ** Math.max(0, failures - 1), longestFailedMs);
}

/** For how long steps have failed at least: each but the last failure had its whole pause. */
function failingFor(failures: number, pauses: FailurePauses): number {
  let passed = 0;
  for (let each = 1; each < failures && passed < DAY_MS; each += 1) passed += failurePause(each, pauses);
  return passed;
}

/** When a watch is due, after so many failures in a row. */
interface DueWatch {
  readonly nextAt: number;
  readonly failures: number;
  readonly overAt: number | null;
}

/** Whether a watched gig has had no successful step for a day, although one was due. */
export function isOverdue(
  { nextAt, failures, overAt }: DueWatch,
  { now, pauses }: { now: number; pauses: FailurePauses },
): boolean {
  return overAt === null && (now - nextAt >= DAY_MS || failingFor(failures, pauses) >= DAY_MS);
}
