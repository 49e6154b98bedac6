import type { GigWatch, Sweep } from '../../domain/earning/watch.ts';
import { AdapterError } from '../../domain/errors.ts';

/** Epoch milliseconds. */
interface Pause {
  readonly since: number;
  readonly until: number;
}

/**
 * What a process remembers of watched gigs, by their ids; epoch milliseconds. It is lost when the process ends, and then a
 * platform is only asked once more.
 */
export interface EarningMemory {
  /** Since when and until when accounts are not settled, because the platform did not answer about them, or about one. */
  readonly settlePauses: Map<number, Pause>;
  /** The same for everything that is decided, because the chain did not tell what the gig's wallet has paid. */
  readonly decidePauses: Map<number, Pause>;
  /** Since when the platform says that what a gig is about does not exist. */
  readonly goneSince: Map<number, number>;
  /** Since when the platform's lists lack all acts that were known. */
  readonly emptySince: Map<number, number>;
  /** The beginnings of the sweeps that have found an act. */
  readonly foundIn: Map<number, number>;
  /** What platforms said about the posts that gigs' accounts depend on, by gig and post; the oldest answers first. */
  readonly posts: Map<string, { readonly exists: boolean; readonly at: number }>;
  /** Where the sweep under way was: see {@link requireProgress}. */
  readonly sweepMarks: Map<number, SweepMark>;
  /** Gigs whose last sweep was broken off, as its pages led nowhere. */
  readonly brokenSweeps: Set<number>;
}

/** By this mark it is noticed that the cursor of a sweep comes back. */
interface SweepMark {
  readonly begunAt: number;
  readonly kind: Sweep['kind'];
  readonly cursor: string;
  readonly pages: number;
  /** Pages in a row without an act. */
  readonly empty: number;
}

export function createEarningMemory(): EarningMemory {
  return {
    settlePauses: new Map(),
    decidePauses: new Map(),
    goneSince: new Map(),
    emptySince: new Map(),
    foundIn: new Map(),
    posts: new Map(),
    sweepMarks: new Map(),
    brokenSweeps: new Set(),
  };
}

/** When a pause of a gig is over; null without one. */
export function endOfPause(pauses: ReadonlyMap<number, Pause>, gigId: number, now: number): number | null {
  const pause = pauses.get(gigId);
  if (pause === undefined) return null;
  // The clock was set back: how much of the pause is over is not known.
  return now < pause.since ? now : pause.until;
}

/** An answer that would decide on everybody counts when a platform repeats it, this much later: one may be wrong. */
export const GONE_MS = 300_000;

/** @throws AdapterError to be asked again, unless it was said before, long enough ago */
function requireTwice(
  saidSince: Map<number, number>,
  gigId: number,
  { now, what }: { now: number; what: string },
): void {
  const since = saidSince.get(gigId);
  if (since !== undefined && now >= since + GONE_MS) return;
  if (since === undefined || since > now) saidSince.set(gigId, now);
  throw new AdapterError({
    retry: 'never',
    reason: 'not_found',
    message: `${what}; this counts when the platform says so twice`,
  });
}

/** Requires that the platform has said before that a target is gone. @throws AdapterError to be asked again */
export function requireGone({ goneSince }: EarningMemory, gigId: number, now: number): void {
  requireTwice(goneSince, gigId, { now, what: 'The platform does not know the target of the gig' });
}

/** Requires that an earlier sweep has found none of the known acts, either. @throws AdapterError to be asked again */
export function requireEmpty({ emptySince }: EarningMemory, gigId: number, now: number): void {
  requireTwice(emptySince, gigId, { now, what: 'The platform lists none of the known acts' });
}

/**
 * Forgets what another process has refuted since it was said: all lists were read, or, of a target that was said to be gone,
 * the last step did not fail.
 */
export function forgetRefuted({ goneSince, emptySince }: EarningMemory, { gigId, sweptAt, failures }: GigWatch): void {
  const isRead = (since: number | undefined) => since !== undefined && sweptAt !== null && sweptAt > since;
  if (failures === 0 || isRead(goneSince.get(gigId))) goneSince.delete(gigId);
  if (isRead(emptySince.get(gigId))) emptySince.delete(gigId);
}

/** Forgets the doubts about a gig's lists, once all of them have been read. */
export function forgetDoubts(memory: EarningMemory, gigId: number): void {
  const { goneSince, emptySince, foundIn, sweepMarks, brokenSweeps } = memory;
  for (const each of [goneSince, emptySince, foundIn, sweepMarks, brokenSweeps]) each.delete(gigId);
}

/** How long an answer about a post is used: accounts with many deleted posts need several steps to be asked about. */
const POST_MS = 900_000;
const MOST_POSTS = 10_000;

const postKey = (gigId: number, postId: string) => `${gigId} ${postId}`;

/** Keeps whether posts exist that a gig's accounts depend on. The oldest answers make room. */
export function rememberPosts(
  { posts }: EarningMemory,
  gigId: number,
  { found, now }: { found: ReadonlyMap<string, boolean>; now: number },
): void {
  for (const [id, exists] of found) {
    const key = postKey(gigId, id);
    posts.delete(key);
    posts.set(key, { exists, at: now });
  }
  for (const key of posts.keys()) {
    if (posts.size <= MOST_POSTS) return;
    posts.delete(key);
  }
}

/** Whether a post exists, by an answer that is not too old; null when there is none. */
export function recallPost({ posts }: EarningMemory, gigId: number, { id, now }: { id: string; now: number }) {
  const known = posts.get(postKey(gigId, id));
  return known === undefined || Math.abs(now - known.at) >= POST_MS ? null : known.exists;
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
