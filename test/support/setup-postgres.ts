import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../sandbox/postgres.ts';
import { migratePostgres } from '../../src/store/postgres/migrations.ts';
import { openDatabase, POSTGRES_MIGRATIONS, TEMPLATE } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the PostgreSQL server that all tests of a project share, as its superuser. */
    postgresUrl: string;
  }
}

/** Starts the shared server, with an empty migrated database to copy, once for the whole run; the function it returns ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const template = await openDatabase(server.url, `create database ${TEMPLATE}`, TEMPLATE);
  await migratePostgres(template, { folder: POSTGRES_MIGRATIONS });
  await template.end();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
