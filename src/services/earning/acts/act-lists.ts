import { ACTS_OF, type Act, type ActKind, STANDS_BY, type Target } from '../../../domain/earning/act.ts';
import { toSubmission } from '../../../domain/earning/submission.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { GIG_TYPE_TRAITS } from '../../../domain/gigs/gig-type.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { WatchedGig } from '../context.ts';

/** A list of a platform's that has acts which count for a gig. */
export interface ActList {
  /** What it lists; each list of a gig has another kind. */
  readonly kind: ActKind;
  readonly target: Target;
  /** Whether it is the list of the bot's mentions, among which are submissions to all bounties. */
  readonly isOfBot: boolean;
}

/** A page of a list: the acts that count for the gig, newest first. */
export interface ListPage {
  readonly acts: readonly Act[];
  readonly next: string | null;
  /** Whether everything on it is older than what was asked for. */
  readonly isOld: boolean;
  /** Whether entries of it were not understood. */
  readonly isPartial: boolean;
}

/** The lists in which a gig's acts are found, in the order in which a sweep reads them. */
export function actLists({ gig, watch, bot }: WatchedGig): readonly ActList[] {
  const { target } = watch;
  const listed = ACTS_OF[gig.gigType].filter((kind) => STANDS_BY[kind] !== 'always');
  const own = listed.map((kind) => ({ kind, target, isOfBot: false }));
  if (GIG_TYPE_TRAITS[gig.gigType].command !== 'submit') return own;
  const mentions: ActList = { kind: 'mention', target: { kind: 'account', accountId: bot.id }, isOfBot: true };
  return target.kind === 'post' ? [...own, mentions] : [mentions];
}

/** A sweep reads the mentions of the whole window, a look those since the last one. */
function mentionsSince({ gig, watch }: WatchedGig, isLook: boolean): number {
  const looked = isLook && watch.lookedAt !== null ? watch.lookedAt - HOUR_MS : 0;
  return Math.max(gig.startTime, looked);
}

/** Reads a page of a list. Null when the gig's target is gone. */
export async function readListPage(
  watched: WatchedGig,
  { kind, target, isOfBot }: ActList,
  { cursor, isLook }: { cursor: string | null; isLook: boolean },
): Promise<ListPage | null> {
  const { reader, gig, bot } = watched;
  const page = await reader.readActs({ kind, target, cursor });
  if (!isOfBot) return page && { isPartial: false, ...page, isOld: false };
  if (page === null) {
    const message = "The bot's account is not found, so its mentions cannot be read";
    throw new AdapterError({ retry: 'safe', reason: 'not_found', message });
  }
  const since = mentionsSince(watched, isLook);
  const isOld = page.acts.length > 0 && page.acts.every(({ actedAt }) => actedAt !== null && actedAt < since);
  // The bot has told authors of earlier mentions that nothing is submitted yet: they shall not be refused for good.
  const inTime = page.acts.filter(({ actedAt }) => actedAt === null || actedAt >= gig.startTime);
  const acts = inTime.map((act) => toSubmission(act, { bot, gigId: gig.id })).filter((act) => act !== null);
  return { acts, next: page.next, isOld, isPartial: page.isPartial ?? false };
}
