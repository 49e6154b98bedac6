import { pino } from 'pino';

/** The part of a logger that the rooms use. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
  child(fields: object): Log;
}

const REDACTED = '[redacted]';

/**
 * A JSON logger on stdout, or on `destination`. Whatever a line holds, the `secrets` are cut out of it before it is
 * written, so that no foreign error can carry one out.
 */
export function createLog(options: {
  level: string;
  secrets?: readonly string[];
  destination?: { write(line: string): void };
}): Log {
  const secrets = (options.secrets ?? []).flatMap((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    const encoded = encodeURIComponent(secret);
    return [...new Set([secret, escaped, encoded])];
  });
  // The longest first: cutting out a secret that another one begins with would leave the rest of that other.
  secrets.sort((a, b) => b.length - a.length);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => secrets.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), line),
      },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 0 }),
  );
}

/** What may be written of an error. */
export interface ErrorSummary {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorSummary;
}

const MAX_TEXT = 2_000;
const MAX_DEPTH = 4;

function cut(value: string): string {
  return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}

/** An object is named by its kind only: its own text could hold anything, or fail. */
function written(value: unknown): string {
  return typeof value === 'object' || typeof value === 'function'
    ? Object.prototype.toString.call(value)
    : String(value);
}

/**
 * Reduces anything thrown to its name, message, code, stack and causes. Requests, headers and bodies that SDKs hang on
 * their errors are left out, because they hold credentials.
 */
export function summarizeError(error: unknown, depth = 0): ErrorSummary {
  if (!(error instanceof Error)) return { name: typeof error, message: cut(written(error)) };
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null;
  return {
    name: error.name,
    message: cut(error.message),
    ...(code === null ? {} : { code: String(code) }),
    ...(depth === 0 && error.stack !== undefined ? { stack: cut(error.stack) } : {}),
    ...(error.cause !== undefined && depth < MAX_DEPTH ? { cause: summarizeError(error.cause, depth + 1) } : {}),
  };
}
