import { accountKeyText } from '../account.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts';
import type { News, Notification, NotificationKind, Topic } from './notification.ts';

/** What a Farcaster client takes for one person (https://miniapps.farcaster.xyz/docs/guides/notifications). */
const LEAST_APART_MS = MINUTE_MS / 2;
export const MOST_A_DAY = 100;

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
  /** The {@link MOST_A_DAY}th of the last day, counted back from the newest. */
  readonly dayFullAt: number | null;
}

/** When an account may be notified again. A time ahead of `now` was kept before the clock was set back, and holds nothing up. */
export function notifiableAt({ lastAt, dayFullAt }: NotifiedTimes, now: number): number {
  const after = (at: number | null, ms: number) => (at === null || at > now ? now : at + ms);
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
  /** Epoch milliseconds. */
  readonly now: number;
}

function sumOf(all: readonly News[]): Omit<GrownNotification, 'id'> {
  const amount = all.reduce((sum, each) => sum + each.amount, 0n);
  const count = all.reduce((sum, each) => sum + each.count, 0);
  return { amount, count, reason: all.at(-1)?.reason ?? null };
}

/** How news becomes notifications: what is not told yet grows, and for the rest there are new ones. */
export function planNews(
  news: readonly News[],
  { unsent, told, now }: StoredTopics,
): { readonly grown: GrownNotification[]; readonly queued: QueuedNews[] } {
  const waiting = new Map(unsent.map((each) => [topicOf(each), each]));
  const grown: GrownNotification[] = [];
  const queued: QueuedNews[] = [];
  for (const [topic, all] of Map.groupBy(news, topicOf)) {
    const [first] = all;
    if (first === undefined) continue;
    const { reason, amount, count } = sumOf(all);
    const before = waiting.get(topic);
    if (before !== undefined) {
      grown.push({ id: before.id, reason, amount: before.amount + amount, count: before.count + count });
      continue;
    }
    const toldAt = HOURLY.has(first.kind) ? (told.get(topic) ?? null) : null;
    const nextAt = toldAt === null || toldAt > now ? now : Math.max(now, toldAt + HOUR_MS);
    queued.push({ ...first, reason, amount, count, nextAt });
  }
  return { grown, queued };
}
