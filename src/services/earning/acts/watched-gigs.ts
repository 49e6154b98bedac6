import type { Platform } from '../../../domain/account.ts';
import { ACTS_OF, type WatchedTarget } from '../../../domain/earning/act.ts';
import { SEEING_GRACE_MS } from '../../../domain/earning/due.ts';
import type { EarningRules } from '../../../domain/earning/terms/rules.ts';
import { readStoredRules } from '../../../domain/earning/terms/rules-json.ts';
import type { GigWatch } from '../../../domain/earning/watch.ts';
import type { StoreReads } from '../../../store/port/index.ts';

/** A webhook asks for what is done towards so many gigs, the newest. */
const MOST_GIGS = 500;
/** So long before the engine's last look webhooks are heeded no more: nothing may be stored once everything is decided. */
const MARGIN_MS = 60_000;

/** Where and when acts count for a gig. */
export interface ActWindow {
  readonly id: number;
  readonly platform: Platform;
  readonly startTime: number;
  readonly endTime: number;
}

/** A watched gig, with that of it which stays while it is watched. */
export interface OpenGig extends WatchedTarget {
  readonly gig: ActWindow & { readonly stoppedAt: number | null };
  readonly rules: EarningRules;
}

/** Until when a webhook may report an act towards a gig. */
export function toldUntil({ gig }: OpenGig): number {
  return gig.endTime + SEEING_GRACE_MS - MARGIN_MS;
}

/** A text that identifies what is watched. */
export function nameTarget({ kinds, target }: WatchedTarget): string {
  const { kind } = target;
  const id = kind === 'post' ? target.postId : kind === 'account' ? target.accountId : target.keyword;
  return `${kinds.join(',')} ${kind} ${id}`;
}

/** What a webhook is to report; gigs about the same are one. */
export function toTargets(open: readonly OpenGig[]): WatchedTarget[] {
  const distinct = new Map(open.map(({ kinds, target }) => [nameTarget({ kinds, target }), { kinds, target }]));
  return [...distinct].sort(([a], [b]) => a.localeCompare(b)).map(([, watched]) => watched);
}

async function readOpenGig(store: StoreReads, { gigId, target }: GigWatch): Promise<OpenGig | null> {
  const [gig, stored] = await Promise.all([store.gig(gigId), store.earningRules(gigId)]);
  if (gig === null || stored === null) return null;
  const { id, platform, startTime, endTime, stoppedAt, gigType } = gig;
  const rules = readStoredRules(stored.rules);
  return { gig: { id, platform, startTime, endTime, stoppedAt }, rules, target, kinds: ACTS_OF[gigType] };
}

export type ReadWatchedGigs = (platform: Platform, now: number) => Promise<readonly OpenGig[]>;

/** Reads the newest watched gigs of a platform for which webhooks are heeded. Gigs that it knows are read again when they are stopped. */
export function createWatchedGigs(store: StoreReads): ReadWatchedGigs {
  let known: ReadonlyMap<number, OpenGig> = new Map();
  return async (platform, now) => {
    const watches = await store.openWatches(platform, { limit: MOST_GIGS });
    const read = await Promise.all(
      watches.map(async (watch) => {
        const open = known.get(watch.gigId);
        return open?.gig.stoppedAt === watch.stoppedAt ? open : await readOpenGig(store, watch);
      }),
    );
    const open = read.filter((gig) => gig !== null);
    known = new Map(open.map((each) => [each.gig.id, each]));
    return open.filter((each) => now <= toldUntil(each));
  };
}
