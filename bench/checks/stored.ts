import SqliteDatabase from 'better-sqlite3';
import { Queue } from 'bullmq';
import pg from 'pg';
import type { Contender } from '../contender.ts';
import { createHashes, signedEvent } from '../load/requests.ts';

const SAMPLES = 20;
/** No measurement has these authors. */
const FIRST_AUTHOR = 900_000_000;

/** Which of these posts a contender's store holds. */
export type Stored = (hashes: readonly string[]) => Promise<ReadonlySet<string>>;

/** Looks into a SQLite file, which another process writes. */
export function storedInSqlite(path: string, { table, column }: { table: string; column: string }): Stored {
  return async (hashes) => {
    const database = new SqliteDatabase(path, { readonly: true });
    const has = database.prepare<[string], number>(`select 1 from ${table} where ${column} = ?`).pluck();
    const found = hashes.filter((hash) => has.get(hash) !== undefined);
    database.close();
    return new Set(found);
  };
}

export function storedInPostgres(
  connection: string | pg.ClientConfig,
  { table, column }: { table: string; column: string },
): Stored {
  return async (hashes) => {
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client
      .query<{ hash: string }>(`select ${column} as hash from ${table} where ${column} = any($1)`, [hashes])
      .finally(() => client.end());
    return new Set(rows.map(({ hash }) => hash));
  };
}

/** Jobs of BullMQ that wait under the posts' hashes. */
export function storedInBullmq(port: number): Stored {
  return async (hashes) => {
    const queue = new Queue('mentions', { connection: { host: '127.0.0.1', port } });
    const found: string[] = [];
    for (const hash of hashes) if ((await queue.getJob(hash)) !== undefined) found.push(hash);
    await queue.close();
    return new Set(found);
  };
}

/** Where the service stores the posts that it accepted. */
export const MENTIONS = { table: 'mentions', column: 'post_id' };
/** Where the rivals that are written by hand do. */
export const EVENTS = { table: 'bare_events', column: 'hash' };

/** @throws Error when a contender refuses a signed webhook, or answers it without having stored it */
export async function assertStored(
  { name, port }: Pick<Contender, 'name' | 'port'>,
  { secret, botFid, text }: { secret: string; botFid: number; text: string },
  stored: Stored,
): Promise<void> {
  const nextHash = createHashes();
  const hashes = Array.from({ length: SAMPLES }, () => nextHash());
  const statuses = await Promise.all(
    hashes.map(async (hash, index) => {
      const { body, signature } = signedEvent({ hash, author: FIRST_AUTHOR + index, botFid, text }, secret);
      const headers = { 'content-type': 'application/json', 'x-neynar-signature': signature };
      const sent = await fetch(`http://127.0.0.1:${port}/webhooks/farcaster`, { method: 'POST', headers, body });
      await sent.arrayBuffer();
      return sent.status;
    }),
  );
  const refused = statuses.find((status) => status !== 200);
  if (refused !== undefined) throw new Error(`${name} answers a signed webhook with ${refused}`);
  const missing = hashes.length - (await stored(hashes)).size;
  if (missing > 0) throw new Error(`${name} accepted ${hashes.length} webhooks, of which ${missing} are not stored`);
}
