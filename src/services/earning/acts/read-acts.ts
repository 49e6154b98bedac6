import { type ActSource, STANDS_BY } from '../../../domain/earning/act.ts';
import type { GigWatch, Sweep } from '../../../domain/earning/watch.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { forgetDoubts, requireEmpty, requireGone, requireProgress } from '../memory.ts';
import { type ActList, actLists, type ListPage, readListPage } from './act-lists.ts';
import { type StoredActs, storeActs } from './store-acts.ts';

/** Pages of one step, so that no gig keeps the others waiting. */
const PAGES_OF_STEP = 10;
/** More pages than a target has: the platform repeats itself. */
const MAX_PAGES = 10_000;
/** Of an account's followers the newest are read, in so many pages. */
const FOLLOWER_PAGES = 100;

/** A watch after acts were read, with the failure that ended the reading, or null. */
export interface Reading {
  readonly watch: GigWatch;
  readonly failure: AdapterError | null;
}

/** What follows on later pages is older, and known, too. */
function hasNothingNew({ added, known }: StoredActs): boolean {
  return added === 0 && known > 0;
}

interface Looked {
  readonly pages: number;
  /** Whether all of it was read to its end, and an act that was known is among them: an empty answer may be wrong. */
  readonly isAll: boolean;
}

/** Null when the target is gone. */
async function lookAt(deps: WatchContext, watched: WatchedGig, list: ActList): Promise<Looked | null> {
  let cursor: string | null = null;
  let known = 0;
  let isPartial = false;
  for (let pages = 1; pages <= PAGES_OF_STEP; pages += 1) {
    const askedAt = deps.clock();
    const page = await readListPage(watched, list, { cursor, isLook: true });
    if (page === null) return null;
    const kept = await storeActs(deps, watched, { acts: page.acts, source: 'look', askedAt });
    known += kept.known;
    isPartial ||= page.isPartial;
    if (page.next === null) return { pages, isAll: known > 0 && !isPartial };
    if (page.next === cursor || page.isOld || hasNothingNew(kept)) return { pages, isAll: false };
    cursor = page.next;
  }
  return { pages: PAGES_OF_STEP, isAll: false };
}

/**
 * Reads the newest acts towards a gig's target.
 * @returns the watch as it is then; a look that has read every list to its end, with known acts, is a complete sweep
 * @throws AdapterError also when the target is unknown for the first time
 */
export async function pollActs(deps: WatchContext, watched: WatchedGig): Promise<GigWatch> {
  const { watch, gig } = watched;
  const { memory } = deps;
  const lookedAt = deps.clock();
  // Acts are seen at its beginning or later, even if the clock is set back meanwhile.
  const seeing = { ...watched, seeingSince: lookedAt };
  let isAll = true;
  let pages = 0;
  for (const list of actLists(watched)) {
    const looked = await lookAt(deps, seeing, list);
    if (looked === null) {
      requireGone(memory, gig.id, lookedAt);
      return { ...watch, lookedAt, goneAt: lookedAt, sweep: null };
    }
    pages += looked.pages;
    isAll &&= looked.isAll;
  }
  memory.goneSince.delete(gig.id);
  if (!isAll || lookedAt < (watch.sweptAt ?? 0)) return { ...watch, lookedAt };
  forgetDoubts(memory, gig.id);
  // A sweep under way began before, and has nothing to add.
  return { ...watch, lookedAt, sweep: null, sweptAt: lookedAt, sweptPages: pages };
}

/** The sweep that begins now. @throws TypeError for a gig type without acts */
export function beginSweep(watched: WatchedGig, now: number): Sweep {
  const [first] = actLists(watched);
  if (first === undefined) throw new TypeError(`nothing can be swept for ${watched.gig.gigType} gigs`);
  return { begunAt: now, kind: first.kind, cursor: null, pages: 0, isDoubtful: false };
}

/** Followers are listed newest first, and there may be millions. */
function isFarEnough(sweep: Sweep, { kept, isFirst }: { kept: StoredActs; isFirst: boolean }): boolean {
  return sweep.kind === 'follow' && (sweep.pages >= FOLLOWER_PAGES || (hasNothingNew(kept) && !isFirst));
}

function withNextKind(watched: WatchedGig, sweep: Sweep): Sweep | null {
  const kinds = actLists(watched).map(({ kind }) => kind);
  const kind = kinds[kinds.indexOf(sweep.kind) + 1];
  return kind === undefined ? null : { ...sweep, kind, cursor: null };
}

/** @throws AdapterError when there are too many pages */
function requireEnd({ kind, pages }: Sweep): void {
  if (pages < MAX_PAGES) return;
  const message = `The pages of each ${kind} do not end`;
  throw new AdapterError({ retry: 'never', reason: 'bad_response', message });
}

/**
 * Whether a page leaves open who acts: it names itself as the next one, or has entries that are not understood, and who is
 * missing would be refused or, when a gig starts, taken for new.
 */
function isDoubtful(page: ListPage, { kind, cursor }: Sweep, source: ActSource): boolean {
  if (page.next !== null && page.next === cursor) return true;
  return page.isPartial && (STANDS_BY[kind] === 'sweep' || source === 'start');
}

function doubt(): AdapterError {
  const message = 'Parts of the lists of acts cannot be read, so that nobody is refused for being absent';
  return new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/**
 * Ends a sweep. One that has found no act, although accounts are held for some, would refuse them all: it is doubtful.
 * @throws AdapterError when it is to be made again
 */
async function endSweep(deps: WatchContext, watched: WatchedGig, sweep: Sweep): Promise<Reading> {
  const { watch, gig } = watched;
  const { memory, store } = deps;
  const { begunAt, pages } = sweep;
  if (sweep.isDoubtful) return { watch: { ...watch, sweep: null }, failure: doubt() };
  const isDecisive = actLists(watched).some(({ kind }) => STANDS_BY[kind] === 'sweep');
  const isEmpty = isDecisive && memory.foundIn.get(gig.id) !== begunAt && (await store.nextHeldDue(gig.id)) !== null;
  if (isEmpty) requireEmpty(memory, gig.id, deps.clock());
  forgetDoubts(memory, gig.id);
  return { watch: { ...watch, sweep: null, sweptAt: begunAt, sweptPages: pages }, failure: null };
}

/** @returns the watch after it; its sweep is null when that has ended */
async function sweepPage(deps: WatchContext, watched: WatchedGig, sweep: Sweep): Promise<Reading> {
  const { watch, gig } = watched;
  const { memory } = deps;
  const { kind, cursor } = sweep;
  const list = actLists(watched).find((each) => each.kind === kind);
  if (list === undefined) throw new TypeError(`gig ${watched.gig.id} has no acts of kind ${kind}`);
  const isFirst = watch.sweptAt === null;
  const source = isFirst && kind === 'follow' ? 'start' : 'sweep';
  const askedAt = deps.clock();
  const page = await readListPage(watched, list, { cursor, isLook: false });
  if (page === null) {
    const goneAt = deps.clock();
    requireGone(memory, gig.id, goneAt);
    return { watch: { ...watch, sweep: null, goneAt }, failure: null };
  }
  const swept = { ...watched, watch: { ...watch, sweep } };
  const kept = await storeActs(deps, swept, { acts: page.acts, source, askedAt });
  if (kept.known + kept.added > 0 && STANDS_BY[kind] === 'sweep') memory.foundIn.set(gig.id, sweep.begunAt);
  const isLeftOpen = sweep.isDoubtful || isDoubtful(page, sweep, source);
  const read = { ...sweep, cursor: page.next, pages: sweep.pages + 1, isDoubtful: isLeftOpen };
  const isOver = page.next === null || page.next === cursor || page.isOld;
  const isRead = isOver || isFarEnough(read, { kept, isFirst });
  if (!isRead) {
    requireEnd(read);
    requireProgress(memory, gig.id, { sweep: read, isEmpty: page.acts.length === 0 });
  }
  const next = isRead ? withNextKind(watched, read) : read;
  if (next !== null) return { watch: { ...watch, sweep: next }, failure: null };
  return await endSweep(deps, watched, read);
}

/** Reads the next pages of a sweep. Acts that it does not find by its end were undone. Pages read before a failure are kept. */
export async function sweepOn(deps: WatchContext, watched: WatchedGig, begun: Sweep): Promise<Reading> {
  let watch: GigWatch = { ...watched.watch, sweep: begun };
  try {
    for (let pages = 0; pages < PAGES_OF_STEP && watch.sweep !== null; pages += 1) {
      const read = await sweepPage(deps, { ...watched, watch }, watch.sweep);
      if (read.failure !== null) return read;
      watch = read.watch;
    }
    return { watch, failure: null };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { watch, failure: error };
  }
}
