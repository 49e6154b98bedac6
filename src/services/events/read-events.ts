import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import { cursorName } from '../../domain/events/chain-fact.ts';
import type { ListedDelivery } from '../../domain/events/endpoint.ts';
import { EVENT_TYPES, type EventType, LATEST, type StoredEvent } from '../../domain/events/event.ts';
import { type Actor, actorClient } from '../../domain/operators/actor.ts';
import type { EventFilter, StoreReads } from '../../store/port/index.ts';
import type { ReadContext } from '../context.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { findWebhook, reachedClient } from './webhooks.ts';

const CURSOR = /^(0|[1-9][0-9]{0,14})(?:-([0-9a-f]{8}))?$/;

/** The cursor behind an event. After a backup was restored places are given again, so it also names the event. */
export function cursorOf(event: StoredEvent): string {
  return `${event.seq}-${cursorName(event)}`;
}

function seqOf(cursor: string): number {
  return Number(cursor.split('-', 1)[0]);
}

async function latestCursor(reads: StoreReads): Promise<string> {
  const event = await reads.eventAt(await reads.lastEventSeq());
  return event === null ? '0' : cursorOf(event);
}

/** @throws DomainError `invalid_cursor` */
async function placeOf(reads: StoreReads, cursor: string): Promise<number> {
  const [, digits, name] = CURSOR.exec(cursor) ?? [];
  if (digits === undefined) throw new DomainError({ code: 'invalid_cursor', readFrom: 0 });
  const seq = Number(digits);
  if (seq === 0) return 0;
  const event = await reads.eventAt(seq);
  const isIt = event !== null && (name === undefined || cursorOf(event) === cursor);
  if (!isIt) throw new DomainError({ code: 'invalid_cursor', readFrom: 0 });
  return seq;
}

export interface EventsAsked {
  /** A cursor; `0` is the beginning, `latest` the end. */
  readonly after: string;
  /** Empty: all. */
  readonly types: readonly EventType[];
  readonly gigId: number | null;
  readonly limit: number;
}

/** Events, and the cursor behind the last one: without any, behind the newest event of all, which was looked at. */
export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly next: string;
}

/** How many places are looked at in one piece where only some types count, of which there may be few. */
const LOOKED_AT = 10_000;

/** Reads in pieces with a turn of the loop between them. */
async function eventsBehind(
  reads: StoreReads,
  { after, upTo, limit, ...filter }: EventFilter & { upTo: number },
): Promise<StoredEvent[]> {
  const span = filter.types.length < EVENT_TYPES.length ? LOOKED_AT : upTo;
  const found: StoredEvent[] = [];
  for (let place = after; place < upTo && found.length < limit; place += span) {
    if (place > after) await setImmediate();
    const piece = { after: place, upTo: Math.min(place + span, upTo), limit: limit - found.length };
    found.push(...(await reads.eventsAfter({ ...filter, ...piece })));
  }
  return found;
}

/**
 * The events behind a cursor that the actor reaches, in their order.
 * @throws DomainError `invalid_cursor`, or `gig_not_found`
 */
export async function findEvents(
  { store }: ReadContext,
  { after, types, gigId, limit, actor }: EventsAsked & { actor: Actor },
): Promise<EventPage> {
  if (gigId !== null) await commandGig(store, { gigId, actor, act: 'notify' });
  // Read before the page, so an event that is released in between is behind it.
  const latest = await latestCursor(store);
  const from = after === LATEST ? latest : after;
  const filter = { client: reachedClient(actor), types: types.length === 0 ? EVENT_TYPES : types, gigId, limit };
  const events = await eventsBehind(store, { after: await placeOf(store, from), upTo: seqOf(latest), ...filter });
  const last = events.at(-1);
  return { events, next: last === undefined ? latest : cursorOf(last) };
}

/** A page of an endpoint's deliveries, newest first, and the `before` of the next page. @throws DomainError `webhook_not_found` */
export async function listDeliveries(
  { store }: ReadContext,
  { id, actor, limit, before }: { id: number; actor: Actor; limit: number; before?: number | undefined },
): Promise<{ deliveries: ListedDelivery[]; next: number | null }> {
  await findWebhook(store, { id, actor });
  const page = before === undefined ? {} : { before };
  const found = await store.eventDeliveries({ endpointId: id, limit: limit + 1, ...page });
  const deliveries = found.slice(0, limit);
  return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.place ?? null) : null };
}

/** How long a look for new events waits, and how often. Milliseconds. */
const LOOK_MS = 500;
/** How many requests of a client may wait at once. */
const MOST_WAITING = 2;

/** Reads events, and waits for one when there is none. */
export interface EventWait {
  /**
   * As {@link findEvents}, for at most so long. One more than two of a client is answered at once.
   * @param isLeft whether nobody waits for the answer any more
   */
  read(query: EventsAsked & { actor: Actor }, waitMs: number, isLeft: () => boolean): Promise<EventPage>;
}

/** @param deps.sleep false as soon as the service stops */
export function createEventWait(deps: ReadContext & { readonly sleep: (ms: number) => Promise<boolean> }): EventWait {
  const waiting = new Map<string, number>();
  const waitingOf = (client: string) => waiting.get(client) ?? 0;
  let look: Promise<number | null> | null = null;
  /** The newest place at the next look, which all that wait share; null when the service stops. */
  const nextLook = (): Promise<number | null> => {
    look ??= (async () => {
      try {
        return (await deps.sleep(LOOK_MS)) ? await deps.store.lastEventSeq() : null;
      } finally {
        look = null;
      }
    })();
    return look;
  };
  return {
    async read(query, waitMs, isLeft) {
      const client = actorClient(query.actor) ?? '';
      let page = await findEvents(deps, query);
      if (waitingOf(client) >= MOST_WAITING) return page;
      waiting.set(client, waitingOf(client) + 1);
      try {
        for (let waited = 0; waited < waitMs && page.events.length === 0; waited += LOOK_MS) {
          const newest = await nextLook();
          if (newest === null || isLeft()) break;
          if (newest !== seqOf(page.next)) page = await findEvents(deps, { ...query, after: page.next });
        }
        return page;
      } finally {
        waiting.set(client, waitingOf(client) - 1);
      }
    },
  };
}
