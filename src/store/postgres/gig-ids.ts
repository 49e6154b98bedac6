import { sql } from 'drizzle-orm';
import type { Sql } from '../sql/engine.ts';
import type { GigIds } from '../sql/gig-changes.ts';
import { theRow } from '../sql/statements.ts';

/**
 * Takes gig ids from a sequence, which no transaction waits for. An id that is taken stays so, even when its transaction is
 * undone: gaps are fine, but an id that is given twice is not.
 */
export function createGigIds({ build, prepare }: Sql): GigIds {
  const id = sql<number>`nextval('gigs_id_seq')`.mapWith(Number);
  // A server that has just become the primary may lack ids that were given: it skips them before it gives one.
  const next = prepare(build.select({ id }).from(sql`note_server()`));
  // Step by step, because a sequence that is set could be set back behind ids that others take meanwhile.
  const passed = sql<number>`count(nextval('gigs_id_seq'))`.mapWith(Number);
  const place = sql`generate_series(last_value + is_called::int, ${sql.placeholder('id')}::bigint)`;
  const pass = prepare(build.select({ passed }).from(sql`gigs_id_seq, ${place}`));
  return {
    async passGigId(id) {
      await pass.all({ id });
    },
    reserveGigId: async () => (await theRow(next.get())).id,
    releaseGigId: async () => false,
  };
}
