import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Kit } from './kit.ts';
import type { Tables } from './schema.ts';

export type { Tables } from './schema.ts';

/** Values of a statement's placeholders, by their names. */
export type Values = Readonly<Record<string, unknown>>;

export interface PreparedStatement<Row> {
  all(values?: Values): Promise<Row[]>;
  /** The first row. */
  get(values?: Values): Promise<Row | undefined>;
  /** How many rows it changed. */
  run(values?: Values): Promise<number>;
}

/** A query that Drizzle has built, and the rows that it returns. */
export interface Built<Rows> extends PromiseLike<Rows> {
  prepare(name: string): unknown;
}

export type RowOf<Rows> = Rows extends readonly (infer Row)[] ? Row : never;

/** What `store/sql` may use of an engine: its kit and tables, a builder of queries, and a way to run them. */
export interface Sql {
  readonly kit: Kit;
  readonly tables: Tables;
  readonly build: Pick<PgDatabase<PgQueryResultHKT>, 'select' | 'selectDistinct' | 'insert' | 'update' | 'delete'>;
  /** Prepares a query at its first use: do not change the query afterwards. */
  prepare<Rows>(query: Built<Rows>): PreparedStatement<RowOf<Rows>>;
  /** As `prepare`, for an insert of one row; it gives the row's id, or null when it inserted none. */
  prepareInsert(query: Built<unknown>): (values?: Values) => Promise<number | null>;
}

/** How an engine gives out the ids of gigs. None is given twice, unless it was released. */
export interface GigIds {
  /** Reserves the next gig id until it is released, or for ever. */
  reserveGigId(): Promise<number>;
  /**
   * Releases a reserved, unused id; false when a later id was given out meanwhile, or the engine takes none back: then it
   * stays unused.
   */
  releaseGigId(id: number): Promise<boolean>;
  /** Sees to it that no new gig gets this id or one before it. */
  passGigIds(last: number): Promise<void>;
}

/** What inserts gigs asks for their ids. */
export interface NounGigIds extends GigIds {
  /** Sees to it that this id, which a gig gets now, and those before it are not given out any more. */
  passGigId(id: number): Promise<void>;
}

/** What the nouns are made of: the engine's queries, and what it does in its own way where they change something. */
export interface NounSql extends Sql {
  readonly gigIds: NounGigIds;
  /** Runs before gigs give numbers of tips, in the same transaction. */
  beforeNumbers(): Promise<void>;
  /** Lets the event loop turn between two statements of a transaction, so that a long one delays nothing else. */
  rest(): Promise<void>;
}
