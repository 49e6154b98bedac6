import type { Act, ActSource } from '../../domain/earning/act.ts';
import { dueOf } from '../../domain/earning/due.ts';
import { rankOf } from '../../domain/earning/earning.ts';
import { hasKeyword, readText } from '../../domain/earning/text.ts';
import type { Watch } from '../../domain/earning/watch.ts';
import type { NewObservation } from '../../store/port/index.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';

const NO_TEXT = { textHash: null, letters: null };

/** An act as it is stored: its text is kept as a hash. */
function toObservation(act: Act, { gig, watch }: WatchedGig, firstSeenAt: number): NewObservation {
  const { target, sweptAt } = watch;
  const keyword = target.kind === 'keyword' ? target.keyword : null;
  const { textHash, letters } = act.text === null ? NO_TEXT : readText(act.text, keyword);
  return {
    kind: act.kind,
    accountId: act.accountId,
    username: act.username,
    objectId: act.objectId,
    actedAt: act.actedAt,
    text: act.text,
    rankedAt: rankOf(act, { firstSeenAt, startTime: gig.startTime, sweptAt }),
    textHash,
    letters,
  };
}

/** Whether an act is one of those that the gig is about: a search finds more than whole words. */
function concerns({ watch: { target } }: WatchedGig, { text }: Act): boolean {
  return target.kind !== 'keyword' || (text !== null && hasKeyword(text, target.keyword));
}

/** What keeping acts found of those that concern the gig. */
export interface KeptActs {
  readonly added: number;
  readonly known: number;
}

/** When acts are seen: never before the sweep by which they are judged, even if the clock was set back. */
function sightTime({ sweptAt, sweep }: Watch, now: number): number {
  return Math.max(now, sweptAt ?? 0, sweep?.begunAt ?? 0);
}

/** Stores acts towards a gig's target, given newest first, as pages are. */
export async function keepActs(
  { store, clock, counter }: EarnDeps,
  watched: WatchedGig,
  { acts, source }: { acts: readonly Act[]; source: ActSource },
): Promise<KeptActs> {
  const { gig, rules, watch } = watched;
  const now = sightTime(watch, clock());
  const concerned = acts.filter((act) => concerns(watched, act));
  // The oldest first: of acts with one rank, as follows without a time, the one that came first stays ahead.
  const found = concerned.toReversed().map((act) => toObservation(act, watched, now));
  if (found.length === 0) return { added: 0, known: 0 };
  const sight = { platform: gig.platform, source, now, dueAt: dueOf(rules, gig, now) };
  const added = await store.transaction((tx) => tx.keepActs(gig.id, found, sight), { repeatable: true });
  counter?.observed(source, added);
  return { added, known: found.length - added };
}
