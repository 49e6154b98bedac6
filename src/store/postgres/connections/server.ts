import { sql } from 'drizzle-orm';
import type { ClientBase } from 'pg';
import type { StoreTx } from '../../port/index.ts';
import type { DatabaseSession } from './session.ts';

/** The oldest server on which the schema's features work: `nulls not distinct`, `regexp` functions, `MERGE`. */
const OLDEST = 15;

const FACTS = `
  select current_setting('server_version_num')::int / 10000 as version, pg_is_in_recovery() as "isStandby",
    current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
    current_setting('server_encoding') as encoding`;

interface Facts {
  readonly version: number;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly encoding: string;
}

function fault({ version, isStandby, fsync, fullPageWrites, encoding }: Facts): string | null {
  if (version < OLDEST) return `PostgreSQL ${version} is too old; use ${OLDEST} or newer`;
  if (isStandby) return 'the server is a standby, which takes no writes; name its primary';
  if (fsync !== 'on') return 'fsync is off: a commit would be lost with the machine; turn it on';
  if (fullPageWrites !== 'on') return 'full_page_writes is off: a crash could damage the files; turn it on';
  if (encoding !== 'UTF8') return `its encoding is ${encoding}; create it with encoding UTF8`;
  return null;
}

/**
 * Refuses a server on which what was committed could be lost, or that lacks what the store needs.
 * @throws Error naming the database, and saying what would be right
 */
export async function refuseUnsafeServer(client: ClientBase, database: string): Promise<void> {
  const { rows } = await client.query<Facts>(FACTS);
  const [facts] = rows;
  if (facts === undefined) throw new Error(`database ${database}: the server does not identify itself`);
  const found = fault(facts);
  if (found !== null) throw new Error(`database ${database}: ${found}`);
}

/** The server on which a statement runs, in words. */
export const SERVER_NOW = sql`server_now()`;

/** Notes the server on which it runs, and stops all payments when that is another one than before. */
export const NOTE_SERVER = 'select note_server()';

/**
 * A row while payments are stopped. The server is compared in the same statement: a promoted standby stops payments before
 * anyone has noted it.
 */
export const STOP = `
  select server_now(), (extract(epoch from coalesce(stopped_at, clock_timestamp())) * 1000)::bigint
  from server_identity where stopped_at is not null or server <> server_now()`;

const ALLOW = `
  update server_identity set stopped_at = null where stopped_at is not null and server = $1 and server = server_now()`;

/** The state of the server that the store works with, in the session that `current` gives. */
export function createIdentity(current: () => DatabaseSession): Pick<StoreTx, 'paymentStop' | 'allowPayments'> {
  return {
    async paymentStop() {
      const { rows } = await current().query({ name: 'payment-stop', text: STOP });
      const [row] = rows;
      return row === undefined ? null : { server: String(row[0]), since: Number(row[1]) };
    },
    async allowPayments({ server }) {
      return (await current().query({ text: ALLOW, values: [server] })).count > 0;
    },
  };
}
