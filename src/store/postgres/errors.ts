import pg from 'pg';
import { StoreAway } from '../../domain/errors.ts';
import { explainFence } from '../sql/moves.ts';

/** Null for any other error, such as one of the connection. */
function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Ends of a session that the server tells: an operator's, its own restart, or a limit on how long it may be idle. */
const SESSION_ENDS = /^(08...|57P0[1-5]|25P0[34])$/;
/** Another transaction was in the way: serialization, a deadlock, a lock that was waited for too long. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03']);
/** Errors of Node's sockets and of `pg`, which has no codes: a connection that broke, or could not be made. */
const OF_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|timeout exceeded)/;

/** Whether the connection is lost, and with it what was under way on it. */
export function isLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return SESSION_ENDS.test(state) || state === '53300';
  if (!(error instanceof Error)) return false;
  return 'syscall' in error || error instanceof AggregateError || OF_CONNECTION.test(error.message);
}

/** Whether the same transaction may succeed when it is run again at once. */
export function isInTheWay(error: unknown): boolean {
  return IN_THE_WAY.has(sqlState(error) ?? '');
}

/** Whether a row with the same key is there already: another transaction may just have inserted it. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505';
}

const FAULTS: readonly (readonly [state: RegExp, meaning: string])[] = [
  [/^53100$/, 'the disk of the server is full'],
  [/^53200$/, 'the server is out of memory'],
  [/^53300$/, 'the server has no connection left for this instance'],
  [/^(55P03|40P01|40001)$/, 'other transactions held its locks for too long'],
  [/^57014$/, 'a statement took too long'],
  [/^28/, 'the server refuses the user or the password'],
  [/^3D000$/, 'the server has no such database'],
  [/^42501$/, 'the user lacks a permission'],
  [/^25006$/, 'the server takes no writes: it is a standby, or read-only'],
  [/^(58030|XX00[012])$/, 'the server reports damaged files; restore it from a backup'],
];

function describeLost(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message || first.name : String(first);
}

/**
 * Describes a fault of the server or of the way to it, with its own error as the `cause`. Other errors, such as a broken
 * constraint, are returned unchanged.
 * @param database how the database is named: no URL, which would hold a password
 */
export function explainServerFault(error: unknown, database: string): unknown {
  const state = sqlState(error);
  const fault = state === null ? undefined : FAULTS.find(([pattern]) => pattern.test(state));
  if (fault !== undefined) return new Error(`database ${database}: ${fault[1]} (${state})`, { cause: error });
  const fence = error instanceof pg.DatabaseError ? explainFence(error, database) : null;
  if (fence !== null) return fence;
  if (!isLost(error)) return error;
  return new StoreAway(`database ${database}: the server cannot be reached (${describeLost(error)})`, { cause: error });
}
