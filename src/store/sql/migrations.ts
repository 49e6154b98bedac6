import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';

/** Drizzle's own table of applied migrations, so that its tools recognize the database. */
export const JOURNAL = '__drizzle_migrations';

/** What a database says about itself: the hashes that its journal lists, in their order, and whether it has other tables. */
export interface MigratedTo {
  readonly applied: readonly string[];
  readonly hasTables: boolean;
}

/**
 * Lists the migrations of `folder` that a database still lacks.
 * @throws Error naming the database when it is another program's, or was made by a newer version
 */
export function missingMigrations(
  { applied, hasTables }: MigratedTo,
  { folder, database }: { folder: string; database: string },
): MigrationMeta[] {
  const known = readMigrationFiles({ migrationsFolder: folder });
  if (applied.length === 0 && hasTables) throw new Error(`database ${database}: it belongs to another program`);
  if (!applied.every((hash, place) => known[place]?.hash === hash)) {
    throw new Error(`database ${database}: its schema is newer than this version of gigclaim, or another one`);
  }
  return known.slice(applied.length);
}
