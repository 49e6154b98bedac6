import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../sandbox/postgres.ts';
import { migratePostgres } from '../../src/store/postgres/migrations.ts';
import { openDatabase, POSTGRES_MIGRATIONS, readSchema, TEMPLATE } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the PostgreSQL server that all tests of a project share, as its superuser. */
    postgresUrl: string;
    /** The schema of the empty database. */
    postgresSchema: string;
  }
}

/** Starts the shared server, with an empty migrated database to copy, once for the whole run; the function it returns ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Databases come and go, and each would be looked through in turn.
  const server = await startPostgres({ settings: ['autovacuum=off'] });
  const template = await openDatabase(server.url, `create database ${TEMPLATE}`, TEMPLATE);
  await migratePostgres(template, { folder: POSTGRES_MIGRATIONS });
  project.provide('postgresSchema', await readSchema(template));
  await template.end();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
