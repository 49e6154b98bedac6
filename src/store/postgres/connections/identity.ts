import { sql } from 'drizzle-orm';
import type { StoreTx } from '../../port/index.ts';
import type { DatabaseSession } from './session.ts';

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

/** What became of the server that the store works with, in the session that `current` gives. */
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
