import type { Store } from './port/index.ts';
import { removeDatabase } from './sqlite/remove.ts';
import { openSqliteStore } from './sqlite/store.ts';

export interface StoreOptions {
  /** `file:<path>`, or the path alone. */
  readonly url: string;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  /** Epoch milliseconds; the system's clock when absent. */
  readonly clock?: (() => number) | undefined;
  /** Tips get no number below it, see `firstNumberAt`; 0 when absent. */
  readonly firstTipNumber?: number | undefined;
}

/** The path of the file that a database URL names. @throws Error for any scheme but `file:` */
export function databasePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1] ?? 'file';
  if (scheme.toLowerCase() !== 'file') {
    throw new Error(`DATABASE_URL: the scheme ${scheme} is not supported; use file:<path>`);
  }
  return url.replace(/^file:(\/\/(?=\/))?/i, '');
}

/**
 * Opens the store on the engine that the URL's scheme names, after bringing its schema up to date.
 * @throws Error for an unknown scheme, and the engine's errors, which name the database
 */
export async function openStore({ url, ...options }: StoreOptions): Promise<Store> {
  return await openSqliteStore({ ...options, path: databasePath(url) });
}

/** Removes a store that was opened and closed again, unless a process serves it. @returns whether it has */
export async function removeStore({ url }: Pick<StoreOptions, 'url'>): Promise<boolean> {
  return await removeDatabase(databasePath(url));
}
