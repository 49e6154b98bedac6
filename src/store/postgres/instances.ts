import type { Instance } from '../port/instances.ts';
import { type Move, type MoveState, READ_MOVE } from '../sql/moves.ts';
import { NOTE_SERVER } from './connections/server.ts';
import type { DatabaseSession } from './connections/session.ts';
import { deleteOldReceipts } from './transactions/receipts.ts';

/** An instance whose last beat is older counts as dead; it beats every five seconds. */
export const ALIVE_SECONDS = 20;
/** How long the row of a dead instance is shown. */
const SHOWN_HOURS = 24;

const IS_ALIVE = `beat_at > clock_timestamp() - interval '${ALIVE_SECONDS} seconds'`;

function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::bigint`;
}

/** How many instances serve the database. The table may be missing in a database that is not migrated. */
export const COUNT_ALIVE = `select count(*)::int as alive from instances where ${IS_ALIVE}`;

/**
 * Writes that an instance lives, and on which server.
 * @param clock the machine's, epoch milliseconds
 * @returns by how many milliseconds the machine's clock is ahead of the database's, as little as the time of the
 * question leaves open
 */
export async function beat(
  session: DatabaseSession,
  { id, version, clock }: { id: string; version: string; clock: () => number },
): Promise<number> {
  const sentAt = clock();
  const { rows } = await session.query({ name: 'clock', text: `select ${epochMs('clock_timestamp()')}` });
  const now = Number(rows[0]?.[0]);
  const receivedAt = clock();
  // The database answered at some time between the two.
  const aheadMs = sentAt > now ? sentAt - now : Math.min(0, receivedAt - now);
  await session.query({
    name: 'beat',
    text: `insert into instances (id, version, clock_ahead_ms) values ($1, $2, $3)
      on conflict (id) do update set beat_at = clock_timestamp(), clock_ahead_ms = excluded.clock_ahead_ms`,
    values: [id, version, aheadMs],
  });
  await session.query({
    text: `delete from instances where beat_at < clock_timestamp() - interval '${SHOWN_HOURS} hours'`,
  });
  await deleteOldReceipts(session);
  await session.query({ name: 'note-server', text: NOTE_SERVER });
  return aheadMs;
}

/** The copy of which the database is a side; undefined when it is none. */
export async function readMove(session: DatabaseSession): Promise<Move | undefined> {
  const { rows } = await session.query({ name: 'move', text: READ_MOVE });
  const [state, move, other] = rows[0] ?? [];
  return rows.length === 0 ? undefined : { state: state as MoveState, move: String(move), other: String(other) };
}

/** Every instance that was alive in the last hours, by id. */
export async function listInstances(session: DatabaseSession): Promise<Instance[]> {
  const { rows } = await session.query({
    name: 'instances',
    text: `select id::text, version, ${epochMs('begun_at')}, ${epochMs('beat_at')}, clock_ahead_ms, ${IS_ALIVE}
      from instances order by id`,
  });
  return rows.map(([id, version, begunAt, beatAt, clockAheadMs, isAlive]) => ({
    id: String(id),
    version: String(version),
    begunAt: Number(begunAt),
    beatAt: Number(beatAt),
    clockAheadMs: Number(clockAheadMs),
    isAlive: isAlive === true,
  }));
}

/** Removes an instance that ends in order, so that nobody waits for it. */
export async function leave(session: DatabaseSession, id: string): Promise<void> {
  await session.query({ text: 'delete from instances where id = $1', values: [id] });
}
