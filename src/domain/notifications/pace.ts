import { accountKeyText } from '../account.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import type { News, Notification, NotificationKind, Topic } from './notification.ts';

/** What a Farcaster client takes for one person (https://miniapps.farcaster.xyz/docs/guides/notifications). */
const LEAST_APART_MS = MINUTE_MS / 2;
const MOST_A_DAY = 100;
/** The most notifications a day, and the most that wait, of kinds that strangers can cause. The rest is kept for other kinds. */
const MOST_BY_ANYBODY = 80;

/** Kinds that a gig may have to tell very many accounts. */
const FOR_MANY: ReadonlySet<NotificationKind> = new Set<NotificationKind>(['tips', 'refused', 'not_drawn']);
/** Kinds that anybody can cause: with a gig of dust, or a submission. */
const BY_ANYBODY: ReadonlySet<NotificationKind> = new Set<NotificationKind>([...FOR_MANY, 'submissions']);

/** How many notifications an account may have been sent in a day, or may have waiting, for one of this kind to be another. */
export function mostOf({ kind }: Topic): number {
  return BY_ANYBODY.has(kind) ? MOST_BY_ANYBODY : MOST_A_DAY;
}

/** How far apart the notifications of one gig are due, so that half of what is sent is left to other gigs. Milliseconds. */
const GIG_APART_MS = 400;
/** How many of a gig are due at once. */
const GIG_BURST_MS = 25 * GIG_APART_MS;
/** For how long those of a gig are put off at most: they are to be sent while they are news. Milliseconds. */
const GIG_LONGEST_MS = 10 * HOUR_MS;

/**
 * For how long a notification is news, milliseconds. A client knows its id for 24 hours: what is sent for longer could be shown
 * twice.
 */
export const NEWS_FOR_MS = 20 * HOUR_MS;

/** Kinds of which an account gets one in an hour for each gig: what comes in between is summed. */
const HOURLY: ReadonlySet<NotificationKind> = new Set<NotificationKind>(['tips', 'submissions']);

/** When an account was notified. Epoch milliseconds; null when it was not. */
export interface NotifiedTimes {
  readonly lastAt: number | null;
  /** The last one that a day has room for, counted back from the newest. */
  readonly dayFullAt: number | null;
}

/** When an account may be notified again. */
export function notifiableAt({ lastAt, dayFullAt }: NotifiedTimes, now: number): number {
  const after = (at: number | null, ms: number) => (at === null ? now : at + ms);
  return Math.max(now, after(lastAt, LEAST_APART_MS), after(dayFullAt, DAY_MS));
}

/** Whether a notification is not news any more. */
export function isStale({ queuedAt }: { readonly queuedAt: number }, at: number): boolean {
  return at - queuedAt >= NEWS_FOR_MS;
}

/** A topic as text. */
export function topicOf({ kind, subjectId, ...account }: Topic): string {
  return `${accountKeyText(account)} ${kind} ${subjectId}`;
}

/** What an untried notification says with more news. */
export interface GrownNotification {
  readonly id: number;
  readonly reason: string | null;
  readonly amount: bigint;
  readonly count: number;
}

/** A notification to be queued. */
export interface QueuedNews extends News {
  readonly nextAt: number;
}

/** What is stored of the same topics. */
export interface StoredTopics {
  /** Notifications that were not tried yet. */
  readonly unsent: readonly Notification[];
  /** When topics were last told within an hour. */
  readonly told: ReadonlyMap<string, number>;
  /** How many notifications of accounts wait, by their keys as text. */
  readonly waiting: ReadonlyMap<string, number>;
  /** Epoch milliseconds. */
  readonly now: number;
}

function sumOf(all: readonly News[]): Omit<GrownNotification, 'id'> {
  const amount = all.reduce((sum, each) => sum + each.amount, 0n);
  const count = all.reduce((sum, each) => sum + each.count, 0);
  return { amount, count, reason: all.at(-1)?.reason ?? null };
}

/** Spreads the notifications of a gig that many accounts get: says when its next one is due. */
export interface GigPace {
  next(news: News, now: number): number;
}

/** A {@link GigPace} of gigs of which nothing waits. */
export function createGigPace(): GigPace {
  const taken = new Map<number, number>();
  let before = 0;
  return {
    next({ gigId, kind }, now) {
      if (!FOR_MANY.has(kind)) return now;
      // A clock that was set back ends the wait.
      if (now < before) taken.clear();
      if (now > before) for (const [id, until] of taken) if (until <= now) taken.delete(id);
      before = now;
      const until = Math.min(Math.max(taken.get(gigId) ?? 0, now) + GIG_APART_MS, now + GIG_LONGEST_MS);
      taken.set(gigId, until);
      return Math.max(now, until - GIG_BURST_MS);
    },
  };
}

/** How news becomes notifications: what is not told yet grows, and for the rest there are new ones while there is room. */
export function planNews(
  news: readonly News[],
  { unsent, told, waiting, now }: StoredTopics,
  pace: GigPace,
): { readonly grown: GrownNotification[]; readonly queued: QueuedNews[] } {
  const before = new Map(unsent.map((each) => [topicOf(each), each]));
  const counts = new Map(waiting);
  const grown: GrownNotification[] = [];
  const queued: QueuedNews[] = [];
  for (const [topic, all] of Map.groupBy(news, topicOf)) {
    const [first] = all;
    if (first === undefined) continue;
    const sum = sumOf(all);
    const growing = before.get(topic);
    if (growing !== undefined) {
      const { id, amount, count } = growing;
      grown.push({ id, reason: sum.reason, amount: amount + sum.amount, count: count + sum.count });
      continue;
    }
    const account = accountKeyText(first);
    const count = counts.get(account) ?? 0;
    if (count >= mostOf(first)) continue;
    counts.set(account, count + 1);
    const toldAt = HOURLY.has(first.kind) ? told.get(topic) : undefined;
    const nextAt = Math.max(pace.next(first, now), toldAt === undefined ? now : toldAt + HOUR_MS);
    queued.push({ ...first, ...sum, nextAt });
  }
  return { grown, queued };
}
