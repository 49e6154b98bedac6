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
export interface Watch extends WatchProgress {
  readonly gigId: number;
  readonly target: Target;
  /** When the engine looks at the gig again. */
  readonly nextAt: number;
  /** When the gig was stopped before its time, or null. */
  readonly stoppedAt: number | null;
  /** How many steps failed in a row. */
  readonly failures: number;
}
