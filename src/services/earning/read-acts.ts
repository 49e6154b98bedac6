import { ACTS_OF, type ActKind } from '../../domain/earning/act.ts';
import type { Sweep, Watch } from '../../domain/earning/watch.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';
import { keepActs } from './keep-acts.ts';

/** Pages of one step, so that no gig keeps the others waiting. */
const PAGES_OF_STEP = 10;
/** More pages than a target has: the platform repeats itself. */
const MAX_PAGES = 10_000;
/** Of an account's followers the newest are read, in so many pages. */
const FOLLOWER_PAGES = 100;

/** Reads the newest acts of a kind until a page has nothing new. False when the target is gone. */
async function lookAt(deps: EarnDeps, watched: WatchedGig, kind: ActKind): Promise<boolean> {
  const { reader, watch } = watched;
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_OF_STEP; pages += 1) {
    const page = await reader.readActs({ kind, target: watch.target, cursor });
    if (page === null) return false;
    const found = await keepActs(deps, watched, { acts: page.acts, source: 'look' });
    // An empty page may have a next one.
    if (page.next === null || page.next === cursor || (found === 0 && page.acts.length > 0)) return true;
    cursor = page.next;
  }
  return true;
}

/** Reads the newest acts towards a gig's target. @returns the watch as it is then */
export async function look(deps: EarnDeps, watched: WatchedGig): Promise<Watch> {
  const { watch, gig } = watched;
  const lookedAt = deps.clock();
  for (const kind of ACTS_OF[gig.gigType]) {
    if (!(await lookAt(deps, watched, kind))) return { ...watch, lookedAt, goneAt: lookedAt, sweep: null };
  }
  return { ...watch, lookedAt };
}

/** The sweep that begins now. @throws TypeError for a gig type without acts */
export function beginSweep({ gig }: Pick<WatchedGig, 'gig'>, now: number): Sweep {
  const [kind] = ACTS_OF[gig.gigType];
  if (kind === undefined) throw new TypeError(`nothing can be swept for ${gig.gigType} gigs`);
  return { begunAt: now, kind, cursor: null, pages: 0 };
}

/** Whether enough pages of a kind are read: followers are listed newest first, and there may be millions. */
function isFarEnough(sweep: Sweep, { found, isFirst }: { found: number; isFirst: boolean }): boolean {
  return sweep.kind === 'follow' && (sweep.pages >= FOLLOWER_PAGES || (found === 0 && !isFirst));
}

/** The sweep after its kind is read; null when that was the last one. */
function withNextKind({ gig }: WatchedGig, sweep: Sweep): Sweep | null {
  const kinds = ACTS_OF[gig.gigType];
  const kind = kinds[kinds.indexOf(sweep.kind) + 1];
  return kind === undefined ? null : { ...sweep, kind, cursor: null };
}

/**
 * Reads the next pages of a sweep. What it does not find by its end was undone.
 * @returns the watch as it is then
 * @throws AdapterError also when the pages do not end
 */
export async function sweepOn(deps: EarnDeps, watched: WatchedGig, begun: Sweep): Promise<Watch> {
  const { reader, watch } = watched;
  const isFirst = watch.sweptAt === null;
  const source = isFirst && begun.kind === 'follow' ? 'start' : 'sweep';
  let sweep = begun;
  for (let step = 0; step < PAGES_OF_STEP; step += 1) {
    const { kind, cursor } = sweep;
    const page = await reader.readActs({ kind, target: watch.target, cursor });
    if (page === null) return { ...watch, sweep: null, goneAt: deps.clock() };
    const found = await keepActs(deps, watched, { acts: page.acts, source });
    const read = { ...sweep, cursor: page.next, pages: sweep.pages + 1 };
    if (page.next !== null && (page.next === cursor || read.pages > MAX_PAGES)) {
      throw new AdapterError({
        retry: 'safe',
        reason: 'bad_response',
        message: `The pages of each ${kind} do not end`,
      });
    }
    const isRead = page.next === null || isFarEnough(read, { found, isFirst });
    const next = isRead ? withNextKind(watched, read) : read;
    if (next === null) return { ...watch, sweep: null, sweptAt: read.begunAt, sweptPages: read.pages };
    sweep = next;
  }
  return { ...watch, sweep };
}
