import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { SchemaNewer } from '../../domain/errors.ts';

/** Drizzle's own table of applied migrations, so that its tools recognize the database. */
export const JOURNAL = '__drizzle_migrations';

/** What a database says about itself: the hashes that its journal lists, in their order, and whether it has other tables. */
export interface MigratedTo {
  readonly applied: readonly string[];
  readonly hasTables: boolean;
}

/**
 * Lists the migrations of `folder` that a database still lacks.
 * @throws SchemaNewer when a later version has migrated the database
 * @throws Error naming the database when it is another program's, or its schema is none that this version has had
 */
export function missingMigrations(
  { applied, hasTables }: MigratedTo,
  { folder, database }: { folder: string; database: string },
): MigrationMeta[] {
  const known = readMigrationFiles({ migrationsFolder: folder });
  if (applied.length === 0 && hasTables) throw new Error(`database ${database}: it belongs to another program`);
  if (applied.length > known.length && known.every(({ hash }, place) => applied[place] === hash)) {
    throw new SchemaNewer(`database ${database}: its schema is newer than this version of gigclaim`);
  }
  if (!applied.every((hash, place) => known[place]?.hash === hash)) {
    throw new Error(`database ${database}: its schema is newer than this version of gigclaim, or another one`);
  }
  return known.slice(applied.length);
}
