import { sql } from 'drizzle-orm';
import type { StoreReads } from '../port/index.ts';
import type { NounGigIds, Sql } from '../sql/engine.ts';
import { theRow } from '../sql/statements.ts';

/**
 * Takes gig ids from a sequence, which no transaction waits for. An id that is taken stays so, even when its transaction is
 * undone: gaps are fine, but an id that is given twice is not.
 */
export function createGigIds({ build, prepare }: Sql): NounGigIds {
  const id = sql<number>`nextval('gigs_id_seq')`.mapWith(Number);
  // A server that has just become the primary may lack ids that were given: it skips them before it gives one.
  const next = prepare(build.select({ id }).from(sql`note_server()`));
  // Step by step, because a sequence that is set could be set back behind ids that others take meanwhile.
  const passed = sql<number>`count(nextval('gigs_id_seq'))`.mapWith(Number);
  const place = sql`generate_series(last_value + is_called::int, ${sql.placeholder('id')}::bigint)`;
  const pass = prepare(build.select({ passed }).from(sql`gigs_id_seq, ${place}`));
  const passGigId = async (id: number) => {
    await pass.all({ id });
  };
  return {
    passGigId,
    passGigIds: passGigId,
    reserveGigId: async () => (await theRow(next.get())).id,
    releaseGigId: async () => false,
  };
}

export function createLastOfSequence({ build, prepare }: Sql): StoreReads['lastGigId'] {
  const id = sql<number>`last_value - 1 + is_called::int`.mapWith(Number);
  const last = prepare(build.select({ id }).from(sql`gigs_id_seq`));
  return async () => (await theRow(last.get())).id;
}
