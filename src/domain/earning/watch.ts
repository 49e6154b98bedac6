import { DAY_MS } from '../time.ts';
import type { ActKind, Target } from './act.ts';

/** A sweep under way: all acts are read, page by page, kind by kind. */
export interface Sweep {
  /** Epoch milliseconds. */
  readonly begunAt: number;
  /** The kind that is being read. */
  readonly kind: ActKind;
  /** The cursor of its next page; null for the first one. */
  readonly cursor: string | null;
  /** Pages read so far, of all kinds. */
  readonly pages: number;
  /** Whether acts may be missing in what was read: then it proves no absence, and is not complete at its end. */
  readonly isDoubtful: boolean;
}

/** What a watch knows of acts that are gone. Times are epoch milliseconds. */
export interface SweptWatch {
  /** The beginning of the last complete sweep, or null. */
  readonly sweptAt: number | null;
  /** When the target was found to be gone, or null: what was seen by then stands. */
  readonly goneAt: number | null;
}

/** What was read for a watched gig. Times are epoch milliseconds. */
export interface WatchProgress extends SweptWatch {
  /** When the newest acts were last read, by a look or a sweep; null before the first time. */
  readonly lookedAt: number | null;
  /** The sweep under way, or null. */
  readonly sweep: Sweep | null;
  /** How many pages that took. */
  readonly sweptPages: number;
  /** When everything was decided, or null. */
  readonly overAt: number | null;
}

/** The state of a watched gig. Times are epoch milliseconds. */
export interface GigWatch extends WatchProgress {
  readonly gigId: number;
  readonly target: Target;
  /** When the engine looks at the gig again. */
  readonly nextAt: number;
  /** When the gig was stopped before its time, or null. */
  readonly stoppedAt: number | null;
  /** How many steps failed in a row. */
  readonly failures: number;
}

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

/** A lower bound: each but the last failure had its whole pause. */
function failingFor(failures: number, pauses: FailurePauses): number {
  let passed = 0;
  for (let each = 1; each < failures && passed < DAY_MS; each += 1) passed += failurePause(each, pauses);
  return passed;
}

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
