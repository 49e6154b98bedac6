import { StoreAway } from '../domain/errors.ts';
import type { FloorDraw } from '../domain/gigs/tip.ts';
import type { DurableWay } from '../domain/settings/database.ts';
import {
  DATABASE_URL_FORMS,
  databaseRemedy,
  isPostgres,
  serverDatabaseName,
  withoutFileScheme,
} from '../domain/settings/database-url.ts';
import type { Log } from '../log.ts';
import type { Store } from './port/index.ts';
import { type Exposed, findExposed } from './sqlite/files/private-files.ts';
import { removeDatabase } from './sqlite/files/process-lock.ts';

export interface StoreOptions {
  /** `postgres://…`, `file:<path>`, or the path alone. */
  readonly url: string;
  /** The folder of SQLite's committed migrations; PostgreSQL's are beside it, in `<folder>-postgres`. */
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** How many transactions PostgreSQL runs at the same time; 10 when absent. */
  readonly poolSize?: number | undefined;
  /** What makes a commit on PostgreSQL last; the server's own disk when absent. */
  readonly durable?: DurableWay | undefined;
  /** From what a floor of tip numbers is drawn, as by everything that gives tips to people; the last one holds when absent. */
  readonly floors?: FloorDraw | undefined;
}

/** The path of the file that a database URL names. @throws Error for any scheme but `file:` */
export function databasePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1] ?? 'file';
  if (scheme.toLowerCase() !== 'file') {
    throw new Error(`DATABASE_URL: the scheme ${scheme} is not supported; use ${DATABASE_URL_FORMS}`);
  }
  return withoutFileScheme(url);
}

/**
 * Opens the store on the engine that the URL's scheme names, after bringing its schema up to date. The other engine is not
 * loaded.
 * @throws Error for an unknown scheme, and the engine's errors, which name the database
 */
export async function openStore({ url, migrationsFolder, ...options }: StoreOptions): Promise<Store> {
  if (isPostgres(url)) {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return await openPostgresStore({ ...options, url, migrationsFolder: `${migrationsFolder}-postgres` });
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return await openSqliteStore({ ...options, migrationsFolder, path: databasePath(url) });
}

const AGAIN_MS = 2_000;
/** How many times a server is asked for each line of the log. */
const TIMES_A_LINE = 30;

/**
 * As {@link openStore}, for the service: while the server of the database is away it is asked again every two seconds, as
 * a service that runs does.
 */
export async function openStoreWhenThere(
  options: StoreOptions,
  { log, sleep }: { log: Log; sleep: (ms: number) => Promise<unknown> },
): Promise<Store> {
  for (let times = 0; ; times += 1) {
    try {
      const store = await openStore(options);
      if (times > 0) log.info({}, 'the database answers');
      return store;
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      const message = `waiting for the database, asking again every 2 seconds: ${error.message}. ${databaseRemedy(options.url)}`;
      if (times % TIMES_A_LINE === 0) log.warn({}, message);
    }
    await sleep(AGAIN_MS);
  }
}

/** How errors and people name the database of a URL: without user and password. */
export function nameDatabase(url: string): string {
  return isPostgres(url) ? serverDatabaseName(url) : databasePath(url);
}

/** Removes a store that was opened and closed again, unless a process serves it, or it is on a server. @returns whether it has */
export async function removeStore({ url }: Pick<StoreOptions, 'url'>): Promise<boolean> {
  return !isPostgres(url) && (await removeDatabase(databasePath(url)));
}

/** What other accounts of this machine can reach of a store; nothing of one on a server. */
export function exposedFiles({ url }: Pick<StoreOptions, 'url'>): readonly Exposed[] {
  return isPostgres(url) ? [] : findExposed(databasePath(url));
}
