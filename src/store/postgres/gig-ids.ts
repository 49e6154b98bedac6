import { sql } from 'drizzle-orm';
import type { Sql } from '../sql/engine.ts';
import type { GigIds } from '../sql/gig-changes.ts';
import { theRow } from '../sql/statements.ts';

/**
 * Takes gig ids from a sequence, which no transaction waits for. An id that is taken stays so, even when its transaction is
 * undone: gaps are fine, but an id that is given twice is not.
 */
export function createGigIds({ build, prepare }: Sql): GigIds {
  const id = sql<number>`id`.mapWith(Number);
  const next = prepare(build.select({ id }).from(sql`nextval('gigs_id_seq') as id`));
  return {
    reserveGigId: async () => (await theRow(next.get())).id,
    releaseGigId: async () => false,
  };
}
