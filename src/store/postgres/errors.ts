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
  return (
    ('syscall' in error && error.syscall !== 'open') ||
    error instanceof AggregateError ||
    OF_CONNECTION.test(error.message)
  );
}

const NO_WRITES = 'the server takes no writes: it is a standby, or read-only';

/** The server, or what stands before it, does not do what the store rests on. The message says what, without the database. */
export class Unproven extends Error {
  override readonly name = 'Unproven';
}

/** A new connection leads to a standby. */
export class ReachedStandby extends Error {
  override readonly name = 'ReachedStandby';

  constructor() {
    super(NO_WRITES);
  }
}

/** Whether the server takes no writes. Nothing was committed, and another connection may lead to the primary. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof ReachedStandby || sqlState(error) === '25006';
}

/** Whether the same transaction may succeed when it is run again at once. */
export function isInTheWay(error: unknown): boolean {
  return IN_THE_WAY.has(sqlState(error) ?? '');
}

/** Whether a row with the same key is there already: another transaction may just have inserted it. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505';
}

const UNENCRYPTED = /no encryption|SSL off|insecure|SSL (connection )?(is )?required/i;

const FAULTS: readonly (readonly [state: RegExp, meaning: string])[] = [
  [/^53100$/, 'the disk of the server is full'],
  [/^53200$/, 'the server is out of memory'],
  [/^53300$/, 'the server has no connection left for this instance'],
  [/^(55P03|40P01|40001)$/, 'other transactions held its locks for too long'],
  [/^57014$/, 'a statement took too long'],
  [/^28/, 'the server refuses the user or the password'],
  [/^3D000$/, 'the server has no such database'],
  [/^42501$/, 'the user lacks a permission'],
  [/^(58030|XX00[12])$/, 'the server reports damaged files; restore it from a backup'],
];

const NO_AUTHORITY =
  'no authority that is known here has signed its certificate; append sslrootcert=<file of the authority> to DATABASE_URL';

/** Why the two ends do not agree on an encrypted connection, which does not change by itself. */
const TLS_FAULTS: readonly (readonly [codeOrMessage: RegExp, meaning: string])[] = [
  [/^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)/, NO_AUTHORITY],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate names another host; take that name in DATABASE_URL'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired; renew it'],
  [/^The server does not support SSL connections$/, 'the server takes no encrypted connections; turn TLS on there'],
];

/** What is wrong with the way to the server, as a clause; null when that does not stand in the error. */
function describeSetup(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open') return `the file ${path} that its URL names cannot be read (${code})`;
  const [, meaning] = TLS_FAULTS.find(([pattern]) => pattern.test(code ?? error.message)) ?? [];
  if (meaning !== undefined) return code === undefined ? meaning : `${meaning} (${code})`;
  const state = sqlState(error);
  if (state?.startsWith('28') && UNENCRYPTED.test(error.message))
    return `the server refuses connections without encryption (${state}); append sslmode=verify-full to DATABASE_URL`;
  // Also what poolers and hosts answer with their own words, so that these are all there is to say.
  if (state === 'XX000') return `the server, or a pooler before it, reports: ${error.message.slice(0, 200)} (XX000)`;
  return null;
}

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
  if (isReadOnly(error)) return new StoreAway(`database ${database}: ${NO_WRITES} (25006)`, { cause: error });
  if (error instanceof Unproven) return new Error(`database ${database}: ${error.message}`, { cause: error });
  const setup = describeSetup(error);
  if (setup !== null) return new Error(`database ${database}: ${setup}`, { cause: error });
  const state = sqlState(error);
  const fault = state === null ? undefined : FAULTS.find(([pattern]) => pattern.test(state));
  if (fault !== undefined) return new Error(`database ${database}: ${fault[1]} (${state})`, { cause: error });
  const fence = error instanceof pg.DatabaseError ? explainFence(error, database) : null;
  if (fence !== null) return fence;
  if (!isLost(error)) return error;
  return new StoreAway(`database ${database}: the server cannot be reached (${describeLost(error)})`, { cause: error });
}
