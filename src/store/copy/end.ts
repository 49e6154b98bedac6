import type { Move, MoveState } from '../sql/moves.ts';
import type { Row, TablePlan } from './plan.ts';

/** How many rows are read and written at once: few, because an answer that is kept may have hundreds of kilobytes. */
export const BATCH = 250;

/** A step of a move: which state follows which. */
export interface Step {
  readonly move: string;
  readonly from: MoveState;
  readonly to: MoveState;
}

/** Reads a store; within {@link StoreEnd.snapshot} or {@link StoreEnd.load} all of it is of one state. */
export interface EndReads {
  /** All rows by their key, in batches; of a table that is counted those that do not count zero. */
  rows(table: TablePlan): AsyncIterable<readonly Row[]>;
  /** The highest id that a table has ever given, as far as the engine remembers. */
  highestId(table: TablePlan): Promise<bigint>;
}

/** The open transaction of a target. Its triggers are off. */
export interface Loading extends EndReads {
  insert(table: TablePlan, rows: readonly Row[]): Promise<void>;
  /** Counts anew what triggers would have counted. */
  count(): Promise<void>;
  /** Has the next id be higher than this one, where the engine remembers what it gave. */
  keepHighestId(table: TablePlan, id: bigint): Promise<void>;
  /** Ends leases and claims: what was leased is due, in the state in which it was left. */
  endLeases(): Promise<void>;
}

/** One side of a copy: a store that this process alone uses. */
export interface StoreEnd extends EndReads {
  /** As errors name it: without user and password. */
  readonly name: string;
  readMove(): Promise<Move | undefined>;
  /** Why it may lack what was given from it, which the other database would not know; null when nothing says so. */
  findDoubt(): Promise<string | null>;
  /** Whether there is no row but what every opened store has. */
  isEmpty(): Promise<boolean>;
  /**
   * Says that it is a side of a copy and, in the same transaction, has every write be refused from then on: also those of
   * a process that has opened it before, or was stopped and goes on later.
   */
  fence(move: Move): Promise<void>;
  /** Changes the state of a move. @throws Error when it is not in that state any more */
  advance(step: Step): Promise<void>;
  /** Ends a move, and takes writes again. @throws Error when it is not in that state any more */
  open(move: Pick<Move, 'move' | 'state'>): Promise<void>;
  /** Runs work that reads one state. */
  snapshot<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work in one transaction and then advances the move in it; undone when the work fails, or the store is not empty. */
  load(step: Step, work: (loading: Loading) => Promise<void>): Promise<void>;
  /** Gets a loaded store ready for its first questions. */
  settle(): Promise<void>;
}

export interface EndOptions {
  readonly url: string;
  /** The folder of SQLite's committed migrations; PostgreSQL's are beside it, in `<folder>-postgres`. */
  readonly migrationsFolder: string;
  /** Whether it is made if it is missing: an empty file, or the schema of an empty database. */
  readonly isTarget: boolean;
  /** Whether the schema may be of an older version: what ends a copy that broke off needs none of the tables. */
  readonly isAnyVersion?: boolean;
}

/** @throws Error naming the database */
export function refuseDatabase(database: string, reason: string): never {
  throw new Error(`database ${database}: ${reason}`);
}

/** The end with its errors explained: they are of one database, also where those of the other pass through. */
export function explaining(end: StoreEnd, explain: (error: unknown) => unknown): StoreEnd {
  const call =
    <Args extends unknown[], T>(method: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      method(...args).catch((error) => {
        throw explain(error);
      });
  const reads = ({ rows, highestId }: EndReads): EndReads => ({
    async *rows(table) {
      try {
        yield* rows(table);
      } catch (error) {
        throw explain(error);
      }
    },
    highestId: call(highestId),
  });
  const loading = (made: Loading): Loading => ({
    ...reads(made),
    insert: call(made.insert),
    count: call(made.count),
    keepHighestId: call(made.keepHighestId),
    endLeases: call(made.endLeases),
  });
  return {
    ...reads(end),
    name: end.name,
    readMove: call(end.readMove),
    findDoubt: call(end.findDoubt),
    isEmpty: call(end.isEmpty),
    fence: call(end.fence),
    advance: call(end.advance),
    open: call(end.open),
    snapshot: (work) => call(() => end.snapshot(work))(),
    load: (step, work) => call(() => end.load(step, (made) => work(loading(made))))(),
    settle: call(end.settle),
  };
}

/** What an end must have before it is used. */
export const NOT_ALONE = 'a process serves it, or another copy is under way; stop it first';
export const OLDER_SCHEMA =
  'its schema is of an older version; start this version with it once, stop it, and copy then; when a copy of it broke off, ' +
  'finish that with the older version, or run --abandon first';
export const NOT_MIGRATED = 'there is no store in it; check the URL';
export const NOT_IN_STATE = 'another store copy has gone on meanwhile; run it again to see where it is';
