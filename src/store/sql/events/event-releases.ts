import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { Release } from '../../port/events.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, givenRows } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createDeliveryInsert, isWanted } from './event-deliveries.ts';
import { ENDPOINT_ACTIVE, EVENT_RELEASED, EVENT_UNRELEASED } from './event-tables.ts';

const placeholder = sql.placeholder;

/** Who holds the release, and how far one step of it goes. */
interface ReleaseRequest {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  /** The most events that get their place, and the most that are looked at for one endpoint. */
  readonly limit: number;
}

function createClaim({ build, prepare, tables }: Sql) {
  const { eventReleases } = tables;
  const { holder, until } = eventReleases;
  // Clocks of processes differ a little; what lasts twice as long as a new claim was claimed before the clock was set back.
  const isFree = sql`${holder} = ${placeholder('holder')} or ${until} <= ${placeholder('now')} or ${until} > ${placeholder('implausible')}`;
  const claim = prepare(
    build
      .insert(eventReleases)
      .values({ id: 1, holder: placeholder('holder'), until: placeholder('until') })
      .onConflictDoUpdate({
        target: eventReleases.id,
        set: { holder: bound('holder'), until: bound('until') },
        setWhere: isFree,
      }),
  );
  return async ({ holder: who, now, until: end }: ReleaseRequest): Promise<boolean> =>
    (await claim.run({ holder: who, now, until: end, implausible: end + (end - now) })) === 1;
}

/** Queues what active endpoints are still to look at, and has them go on behind it. */
function createQueue(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { events, webhookEndpoints } = tables;
  const { id, client, queuedSeq } = webhookEndpoints;
  const limit = placeholder('limit');
  const last = sql`(select coalesce(max(${events.seq}), 0) from ${events})`;
  const isNew = sql`${events.seq} > ${queuedSeq} and ${events.seq} <= ${queuedSeq} + ${limit}`;
  const queueFor = (isTheirs: SQL) =>
    createDeliveryInsert(
      db,
      sql`from ${webhookEndpoints} join ${events} on ${isTheirs} and ${isNew} where ${ENDPOINT_ACTIVE} and ${isWanted(db.tables)} order by ${events.seq}, ${id}`,
    );
  const ofClients = queueFor(sql`${events.client} = ${client}`);
  const ofAll = queueFor(sql`${client} is null`);
  const behind = and(ENDPOINT_ACTIVE, lt(queuedSeq, last));
  const some = prepare(kit.first(build.select({ id }).from(webhookEndpoints).where(behind)));
  const upTo = kit.least(sql`${queuedSeq} + ${limit}`, last);
  const goOn = prepare(build.update(webhookEndpoints).set({ queuedSeq: upTo }).where(behind));
  return {
    isBehind: async (): Promise<boolean> => (await some.get()) !== undefined,
    async run(now: number, most: number): Promise<number> {
      const given = { now, limit: most, replay: false };
      const queued = (await ofClients(given)) + (await ofAll(given));
      await goOn.run({ limit: most });
      return queued;
    },
  };
}

/**
 * Gives events their places. Ids are not committed in their order where transactions run at the same time, so the places are given
 * after the commits, by one process at a time: a reader that has read up to a place has read all earlier places.
 */
export const eventReleases = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { events } = tables;
  const { id, seq } = events;
  const claim = createClaim(db);
  const queue = createQueue(db);
  const waiting = prepare(
    build.select({ id }).from(events).where(EVENT_UNRELEASED).orderBy(id).limit(placeholder('limit')),
  );
  const newest = prepare(kit.first(build.select({ seq }).from(events).where(EVENT_RELEASED).orderBy(desc(seq))));
  const { rows, given } = givenRows(db, 'placed', { id, seq });
  const place = prepare(build.update(events).set({ seq: given.seq }).from(rows).where(eq(id, given.id)));
  return {
    reads: {
      /** Whether there is something to release: an event without a place, or an endpoint that has events to look at. */
      isReleaseDue: locked(
        nothing,
        async (): Promise<boolean> => (await waiting.get({ limit: 1 })) !== undefined || (await queue.isBehind()),
      ),
    },
    writes: {
      /**
       * Gives committed events their places, in the order of their ids, and queues deliveries of them to the endpoints that are
       * active. Null while another process holds the release.
       */
      releaseEvents: locked(nothing, async (request: ReleaseRequest): Promise<Release | null> => {
        if (!(await claim(request))) return null;
        const { now, limit } = request;
        const found = await waiting.all({ limit });
        const base = found.length === 0 ? 0 : ((await newest.get())?.seq ?? 0);
        if (found.length > 0) await place.run({ placed: found.map((row, n) => ({ id: row.id, seq: base + n + 1 })) });
        const queued = await queue.run(now, limit);
        return { released: found.length, queued, isMore: found.length === limit || (await queue.isBehind()) };
      }),
    },
  };
});
