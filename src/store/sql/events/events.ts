import { randomBytes } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lte, type SQL, sql } from 'drizzle-orm';
import { factUid } from '../../../domain/events/chain-fact.ts';
import type { EventType, NewEvent, StoredEvent } from '../../../domain/events/event.ts';
import type { EventFilter } from '../../port/events.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun, unawaited } from '../noun.ts';
import { equals, givenRows, readEach } from '../statements.ts';
import { byToldGigs, nothing } from '../subjects.ts';
import { EVENT_RELEASED, EVENT_UNRELEASED } from './event-tables.ts';

const placeholder = sql.placeholder;
const TAKEN_BACK: EventType = 'payment.taken_back';

/** The columns of a released event. */
export function eventColumns({ events }: Tables) {
  const { id: _id, version: _version, seq, ...columns } = getTableColumns(events);
  // A released event has one.
  return { ...columns, seq: sql<number>`${seq}`.mapWith(Number) };
}

/** 128 random bits: ids of rows repeat after a backup was restored. */
function newUid(): string {
  return `evt_${randomBytes(16).toString('hex')}`;
}

function createEventsInsert(db: Sql): (added: readonly NewEvent[]) => Promise<void> {
  const { build, kit, prepare, tables } = db;
  const { events, gigs } = tables;
  const { uid, type, at, gigId, facts } = events;
  const { rows, given } = givenRows(db, 'added', { uid, type, at, gigId, facts });
  const client = sql`(select ${gigs.client} from ${gigs} where ${gigs.id} = ${given.gigId})`;
  // All columns, in the order of the table. The condition tells SQLite that a conflict follows, not a join.
  const selected = sql`select ${kit.nextId('events', 'id')}, ${given.uid}, null, ${given.type}, ${given.at}, ${given.gigId}, ${client}, ${given.facts}, 1 from ${rows} where true`;
  const insert = prepare(build.insert(events).select(selected).onConflictDoNothing());
  const nameAll = createNaming(db);
  return async (all) => {
    const added = isFree(all) ? all.map((event) => ({ ...event, uid: newUid() })) : await nameAll(all);
    if (added.length > 0) await insert.run({ added });
  };
}

/** Whether none is of a fact of a chain: then their names need no look. */
function isFree(added: readonly NewEvent[]): boolean {
  return added.every(({ fact }) => fact === undefined);
}

type NamedEvent = NewEvent & { readonly uid: string };

/**
 * Names events: those of a fact of a chain by it. A fact is told once; again after it was taken back, by a name that says how
 * often it was.
 */
function createNaming({ build, kit, prepare, tables }: Sql): (all: readonly NewEvent[]) => Promise<NamedEvent[]> {
  const { uid } = tables.events;
  // Each state has an index of its own.
  const queries = [EVENT_RELEASED, EVENT_UNRELEASED].map((state) =>
    prepare(
      build
        .select({ uid })
        .from(tables.events)
        .where(and(state, kit.isAmong(uid, 'uids'))),
    ),
  );
  const findTold = async (uids: readonly string[]) =>
    (await readEach(queries, (query) => query.all({ uids }))).flat().map((row) => row.uid);
  return async (all) => {
    const names = new Map<NewEvent, string>();
    const told = new Set<string>();
    let open = all.filter(({ fact }) => fact !== undefined);
    for (let times = 0; open.length > 0; times += 1) {
      const namesOf = ({ fact, type }: NewEvent) =>
        fact === undefined ? [] : [factUid(fact, TAKEN_BACK, times), factUid(fact, type, times)];
      for (const each of await findTold(open.flatMap(namesOf))) told.add(each);
      const again: NewEvent[] = [];
      for (const event of open) {
        const [back = '', own = ''] = namesOf(event);
        if (told.has(back)) again.push(event);
        else if (!told.has(own)) names.set(event, own);
        told.add(told.has(back) ? back : own);
      }
      open = again;
    }
    return all.flatMap((event) => {
      const name = event.fact === undefined ? newUid() : names.get(event);
      return name === undefined ? [] : [{ ...event, uid: name }];
    });
  };
}

export const events = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { events } = tables;
  const { seq, client, gigId, type } = events;
  const columns = eventColumns(tables);
  const bySeq = build.select({ seq }).from(events).where(EVENT_RELEASED).orderBy(desc(seq));
  const last = prepare(kit.first(bySeq));
  const ofSeq = prepare(
    build
      .select(columns)
      .from(events)
      .where(and(EVENT_RELEASED, equals(seq, 'seq'))),
  );
  const isWithin = and(EVENT_RELEASED, gt(seq, placeholder('after')), lte(seq, placeholder('upTo')));
  const page = (condition: SQL | undefined) =>
    prepare(
      build.select(columns).from(events).where(and(isWithin, condition)).orderBy(seq).limit(placeholder('limit')),
    );
  const isOfType = kit.isAmong(type, 'ofTypes');
  const isOfClient = equals(client, 'client');
  const isOfGig = equals(gigId, 'gigId');
  const pages = {
    all: page(isOfType),
    ofClient: page(and(isOfClient, isOfType)),
    ofGig: page(and(isOfGig, isOfType)),
    ofBoth: page(and(isOfGig, eq(kit.noWayIn(client), placeholder('client')), isOfType)),
  };
  return {
    reads: {
      /** The place of the newest event; 0 before the first. */
      lastEventSeq: locked(nothing, async (): Promise<number> => (await last.get())?.seq ?? 0),
      /** The event at a place. */
      eventAt: locked(
        nothing,
        async (at: number): Promise<StoredEvent | null> => (await ofSeq.get({ seq: at })) ?? null,
      ),
      /** Released events after a place, in their order. */
      eventsAfter: locked(
        nothing,
        async ({
          client: theirs,
          gigId: of,
          types: ofTypes,
          upTo = Number.MAX_SAFE_INTEGER,
          ...page
        }: EventFilter): Promise<StoredEvent[]> => {
          const rest = { ofTypes, upTo, ...page };
          if (of !== null) {
            return await (theirs === null
              ? pages.ofGig.all({ gigId: of, ...rest })
              : pages.ofBoth.all({ gigId: of, client: theirs, ...rest }));
          }
          return await (theirs === null ? pages.all.all({ ...rest }) : pages.ofClient.all({ client: theirs, ...rest }));
        },
      ),
    },
    writes: {
      /**
       * Writes events in the transaction of their cause, in their order: those of one gig keep the order in which their causes are
       * committed. That a gig is funded, or has ended, is written once, and so is what a chain has done.
       */
      insertEvents: unawaited(locked(byToldGigs, createEventsInsert(db)), isFree),
    },
  };
});
