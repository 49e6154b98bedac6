import { eq } from 'drizzle-orm';
import type { Kit } from '../postgres/kit.ts';
import type { Sql } from '../sql/engine.ts';
import type { GigIds } from '../sql/gig-changes.ts';
import { bound, equals, prepareChange } from '../sql/statements.ts';

/** SQLite's table of the last id that each AUTOINCREMENT table gave out. */
function createSequences(kit: Kit) {
  return kit.table('sqlite_sequence', { name: kit.text('name'), seq: kit.integer('seq').notNull() });
}

/** Counts gig ids in SQLite's own sequence, so that a reserved id is not given out again unless released. */
export function createCountedGigIds(db: Sql): GigIds {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const sequences = createSequences(db.kit);
  const isGigs = eq(sequences.name, 'gigs');
  const newest = prepare(build.select({ id: sequences.seq }).from(sequences).where(isGigs));
  const last = async () => (await newest.get())?.id ?? 0;
  const set = prepareChange(db, sequences, { seq: bound('id') }, isGigs);
  const used = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'id')));
  return {
    // SQLite does it by itself when the gig is inserted.
    passGigId: async () => undefined,
    // No other transaction can take the id meanwhile: only one writes at a time.
    async reserveGigId() {
      const id = (await last()) + 1;
      if (!(await set({ id }))) await prepare(build.insert(sequences).values({ name: 'gigs', seq: id })).run();
      return id;
    },
    async releaseGigId(id) {
      if ((await last()) !== id || (await used.get({ id })) !== undefined) return false;
      return await set({ id: id - 1 });
    },
  };
}
