import { LRUCache } from 'lru-cache';
import { atMost } from '../../domain/at-most.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { AskingBudget } from './context.ts';

/** About how often platforms are asked in an hour: by one owner, and by all, because anybody signs in as many times. */
interface MostAnHour {
  readonly own: number;
  readonly inAll: number;
}

const HANDLES: MostAnHour = { own: 100, inAll: 500 };
/** Many ids are asked about at once. */
const IDS: MostAnHour = { own: 2_000, inAll: 10_000 };
const TARGETS: MostAnHour = { own: 20, inAll: 200 };
/** Typing a URL asks about parts of it, too. */
const PREVIEWS: MostAnHour = { own: 40, inAll: 400 };
/** Stands for all owners in the place of one. */
const ALL = '';
const OWNERS_KEPT = 10_000;

function createBudget(what: string, most: MostAnHour, { clock }: { readonly clock: () => number }): AskingBudget {
  const asked = new LRUCache<string, number>({
    ...atMost(OWNERS_KEPT),
    ttl: HOUR_MS,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return (owner, count) => {
    const own = (asked.get(owner) ?? 0) + count;
    const all = (asked.get(ALL) ?? 0) + count;
    if (own > most.own) return `You have asked about too many ${what} within an hour`;
    if (all > most.inAll) return `All owners together have asked about too many ${what} within an hour`;
    asked.set(owner, own);
    asked.set(ALL, all);
    return null;
  };
}

/** For the handles that owners of started gigs ask about, in this process. */
export function createHandleBudget(deps: { readonly clock: () => number }): AskingBudget {
  return createBudget('handles', HANDLES, deps);
}

/** For the ids in lists of started gigs, in this process. */
export function createIdBudget(deps: { readonly clock: () => number }): AskingBudget {
  return createBudget('ids', IDS, deps);
}

/** For the posts that previews of new gigs show, in this process. */
export function createPreviewBudget(deps: { readonly clock: () => number }): AskingBudget {
  return createBudget('posts', PREVIEWS, deps);
}

/** For what new gigs are about, in this process. Those of owners whom the operator allowed are bounded by their number. */
export function createTargetBudgets(deps: { readonly clock: () => number }): {
  readonly allowed: AskingBudget;
  readonly strangers: AskingBudget;
} {
  const what = 'posts and accounts';
  return {
    allowed: createBudget(what, { ...TARGETS, inAll: Number.POSITIVE_INFINITY }, deps),
    strangers: createBudget(what, TARGETS, deps),
  };
}
