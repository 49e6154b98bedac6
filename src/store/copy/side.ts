import type { DurableWay } from '../../domain/settings/database.ts';
import { type MigratedTo, missingMigrations } from '../sql/migrations.ts';
import type { Row, TablePlan } from './plan.ts';

/** How many rows are read and written at once: few, because an answer that is kept may have hundreds of kilobytes. */
export const BATCH = 250;
/** The name of what refuses every write. */
export const FENCE = 'store_moves_fence';

/** What is taken away for a while, and made again by its own statement. */
export type Removable = readonly [drop: string, make: string];

/** One side of a copy: a store that no service uses meanwhile. Its errors name it. */
export interface Side {
  /** As errors name it: without user and password. */
  readonly name: string;
  /** Runs a statement with the values of `$1`, `$2` …, each named once and in this order. */
  run(text: string, values?: readonly string[]): Promise<readonly Row[]>;
  /** All rows by their key, in batches; of a table that is counted those that do not count zero. */
  rows(table: TablePlan): AsyncIterable<readonly Row[]>;
  insert(table: TablePlan, rows: readonly Row[]): Promise<void>;
  /** Begin a transaction in which no other connection writes. */
  readonly begin: readonly string[];
  /** What is kept up for each row and checked: dropped in this order while rows are loaded, made in the opposite one. */
  extras(): Promise<readonly Removable[]>;
  /** Triggers that refuse every write. */
  readonly fences: readonly Removable[];
  /** Where rows of a table that is counted are, and the statement that counts them anew. */
  counts(table: string, counted: string): { readonly table: string; readonly insert: string };
  /** Selects the highest id that a table has ever given, as far as the engine remembers. */
  highestId(table: string, id: string): string;
  /** Have the next id be higher than this one, where the engine remembers what it gave. */
  keepHighestId(table: string, id: string, highest: bigint): readonly string[];
  /** Why it may lack what was given from it, which the other database would not know; null when nothing says so. */
  findDoubt(): Promise<string | null>;
  /** Ends leases, so that what was leased is due in the state in which it was left, and changes what is the engine's own. */
  finish(): Promise<void>;
  /** Prepares a loaded store, outside a transaction and before it can be opened. */
  prepareToOpen(): Promise<void>;
}

export interface SideOptions {
  readonly url: string;
  /** The folder of SQLite's committed migrations; PostgreSQL's are beside it, in `<folder>-postgres`. */
  readonly migrationsFolder: string;
  /** What makes a commit on PostgreSQL last; the server's own disk when absent. */
  readonly durable?: DurableWay | undefined;
  /** Whether it is made if it is missing: an empty file, or the schema of an empty database. */
  readonly isTarget: boolean;
  /** Whether the schema may be of an older version: what gives up a copy needs no table but that of its mark. */
  readonly isAnyVersion?: true;
}

/** @throws Error naming the database */
export function refuseDatabase(database: string, reason: string): never {
  throw new Error(`database ${database}: ${reason}`);
}

export const NOT_ALONE = 'a process serves it, or another copy is under way; stop it first';
export const NOT_MIGRATED = 'there is no store in it; check the URL';

/** Whether it is an empty database that gets the schema. @throws Error naming the database without this version's schema */
export function lacksSchema(
  state: MigratedTo,
  {
    folder,
    database,
    isTarget,
    isAnyVersion = false,
  }: { folder: string; database: string; isTarget: boolean; isAnyVersion?: boolean | undefined },
): boolean {
  const isFresh = state.applied.length === 0 && !state.hasTables;
  if (isFresh && !isTarget) refuseDatabase(database, NOT_MIGRATED);
  if (isFresh || missingMigrations(state, { folder, database }).length === 0 || isAnyVersion) return isFresh;
  return refuseDatabase(
    database,
    'its schema is of an older version; start this version with it once, stop it, and copy then; when a copy of it broke off, ' +
      'finish that with the older version first, or give it up with store copy --abandon',
  );
}
