import type { Sweep } from '../../domain/earning/watch.ts';
import { AdapterError } from '../../domain/errors.ts';

/**
 * What a process remembers of watched gigs, by their ids; epoch milliseconds. It is lost when the process ends, and then a
 * platform is only asked once more.
 */
export interface EarningMemory {
  /** Since when and until when accounts are not settled, because the platform did not answer about them. */
  readonly settlePauses: Map<number, { readonly since: number; readonly until: number }>;
  /** Since when the platform says that what a gig is about does not exist. */
  readonly goneSince: Map<number, number>;
  /** Where the sweep under way was: see {@link requireProgress}. */
  readonly sweepMarks: Map<number, SweepMark>;
  /** Gigs whose last sweep was broken off, as its pages led nowhere. */
  readonly brokenSweeps: Set<number>;
}

/** A cursor of a sweep under way, by which it is noticed that it comes back. */
interface SweepMark {
  readonly begunAt: number;
  readonly kind: Sweep['kind'];
  readonly cursor: string;
  /** After how many pages. */
  readonly pages: number;
  /** Pages in a row without an act. */
  readonly empty: number;
}

export function createEarningMemory(): EarningMemory {
  return { settlePauses: new Map(), goneSince: new Map(), sweepMarks: new Map(), brokenSweeps: new Set() };
}

/** When accounts of a gig may be settled again; null when they may be settled. */
export function settleAfter({ settlePauses }: EarningMemory, gigId: number, now: number): number | null {
  const pause = settlePauses.get(gigId);
  if (pause === undefined) return null;
  // The clock was set back: how much of the pause is over is not known.
  return now < pause.since ? now : pause.until;
}

/** What a gig is about is gone when its platform says so again, this much later: one answer may be wrong. */
export const GONE_MS = 300_000;

/** Requires that the platform has said so before, long enough ago. @throws AdapterError to be asked again */
export function requireGone({ goneSince }: EarningMemory, gigId: number, now: number): void {
  const since = goneSince.get(gigId);
  if (since !== undefined && now - since >= GONE_MS) return;
  if (since === undefined || since > now) goneSince.set(gigId, now);
  const message = 'What the gig is about is not known there; that has to be said twice';
  throw new AdapterError({ retry: 'never', reason: 'not_found', message });
}

/** More pages in a row without an act than a platform has reason to give. */
const MOST_EMPTY = 100;

/**
 * Notes a page of a sweep that is not the last one. The cursor is compared with one kept at every power of two of pages,
 * so that a circle is noticed within some times its length, however long cursors are.
 * @param sweep as it is after the page
 * @throws AdapterError when the pages lead nowhere
 */
export function requireProgress(
  { sweepMarks }: EarningMemory,
  gigId: number,
  { sweep: { begunAt, kind, cursor, pages }, isEmpty }: { sweep: Sweep; isEmpty: boolean },
): void {
  if (cursor === null) return;
  const kept = sweepMarks.get(gigId);
  const mark =
    kept?.begunAt === begunAt && kept.kind === kind ? kept : { begunAt, kind, cursor: null, pages: 0, empty: 0 };
  const empty = isEmpty ? mark.empty + 1 : 0;
  if (mark.cursor === cursor || empty > MOST_EMPTY) {
    sweepMarks.delete(gigId);
    throw new AdapterError({ retry: 'never', reason: 'bad_response', message: 'The pages of acts lead in a circle' });
  }
  const isFarther = mark.cursor === null || pages >= 2 * mark.pages;
  sweepMarks.set(gigId, isFarther ? { begunAt, kind, cursor, pages, empty } : { ...mark, cursor: mark.cursor, empty });
}
