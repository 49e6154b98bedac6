import { setImmediate } from 'node:timers/promises';
import { accountKeyText } from '../../domain/account.ts';
import type { StoredEvent } from '../../domain/events/event.ts';
import type { News } from '../../domain/notifications/notification.ts';
import { createGigPace, type GigPace, isStale, planNews } from '../../domain/notifications/pace.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import type { NewsContext } from './context.ts';
import { findNews, NEWS_TYPES } from './find-news.ts';

/** How many places one run looks at. */
const LOOKED_AT = 10_000;
/** The most events of one run, and the news at which it reads no further. */
const TOGETHER = 100;

interface Found {
  readonly news: readonly News[];
  /** The place up to which all is found. */
  readonly upTo: number;
}

/** News of events that are still news, until it is much. */
async function findAll(deps: NewsContext, from: number, last: number): Promise<Found> {
  const upTo = Math.min(last, from + LOOKED_AT);
  const filter = { client: null, types: NEWS_TYPES, gigId: null, limit: TOGETHER };
  const events: readonly StoredEvent[] = await deps.store.eventsAfter({ ...filter, after: from, upTo });
  const news: News[] = [];
  const now = deps.clock();
  for (const event of events) {
    if (isStale({ queuedAt: event.at }, now)) continue;
    // The reads of an event take up to a millisecond.
    await setImmediate();
    news.push(...(await findNews(deps, event)));
    if (news.length >= TOGETHER) return { news, upTo: event.seq };
  }
  const read = events.at(-1)?.seq ?? upTo;
  return { news, upTo: events.length < TOGETHER ? upTo : read };
}

async function withoutQuiet(store: Store, news: readonly News[]): Promise<News[]> {
  const quiet = new Set((news.length === 0 ? [] : await store.quietAccounts(news)).map(accountKeyText));
  return news.filter((each) => !quiet.has(accountKeyText(each)));
}

async function keep(
  tx: StoreTx,
  news: readonly News[],
  { now, pace }: { readonly now: number; readonly pace: GigPace },
): Promise<void> {
  for (let from = 0; from < news.length; from += TOGETHER) {
    if (from > 0) await tx.rest();
    const part = news.slice(from, from + TOGETHER);
    const unsent = await tx.unsentNotifications(part);
    const waiting = await tx.waitingNotifications(part);
    const told = await tx.topicsTold(part, now - HOUR_MS, now);
    const { grown, queued } = planNews(part, { unsent, told, waiting, now }, pace);
    await tx.growNotifications(grown);
    await tx.queueNews(queued, now);
  }
}

/** Makes notifications of events. */
export interface NewsReader {
  /**
   * Goes on behind the events that were read last, in the order of the events. Where notifications are turned on, what happened before
   * is no news, and neither is what is old when it is read.
   * @returns whether there may be more
   */
  readNext(): Promise<boolean>;
}

/** A {@link NewsReader} that spreads what one gig has to tell many. */
export function createNewsReader(deps: NewsContext): NewsReader {
  const { store, clock } = deps;
  const pace = createGigPace();
  return {
    async readNext() {
      // Without a transaction, because there is nothing most of the time.
      const [from, last] = [await store.newsPlace(), await store.lastEventSeq()];
      if (from === null) {
        await store.transaction((tx) => tx.beginNews(last));
        return false;
      }
      if (last <= from) return false;
      const { news, upTo } = await findAll(deps, from, last);
      const wanted = await withoutQuiet(store, news);
      await store.transaction(async (tx) => {
        if (await tx.moveNews(from, upTo)) await keep(tx, wanted, { now: clock(), pace });
      });
      return upTo < last;
    },
  };
}
