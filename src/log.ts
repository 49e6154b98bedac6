import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';

/** The part of a logger that the rest of the code uses. */
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
 * A JSON logger on stdout, or on `destination`. The `secrets` are cut out of every line before it is written, so that no
 * library's error can leak one.
 */
export function createLog(options: {
  level: string;
  secrets?: readonly string[];
  /** Names the sources in stack traces of a bundle; traces stay as they are when absent. */
  namePositions?: (text: string) => string;
  destination?: { write(line: string): void };
}): Log {
  const { namePositions = (text) => text } = options;
  const secrets = (options.secrets ?? []).flatMap((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    const encoded = encodeURIComponent(secret);
    return [...new Set([secret, escaped, encoded])];
  });
  // The longest first: cutting out a secret that another one begins with would leave the rest of that other.
  secrets.sort((a, b) => b.length - a.length);
  const clean = (lines: string) => {
    let text = lines.includes('"stack":') ? namePositions(lines) : lines;
    for (const secret of secrets) if (text.includes(secret)) text = text.replaceAll(secret, REDACTED);
    return text;
  };
  const destination = options.destination ? cleanedFirst(options.destination, clean) : createGatheringWriter(clean);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: createLineTime(),
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** Written once for all lines of a millisecond. */
function createLineTime(): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = pino.stdTimeFunctions.isoTime();
    }
    return text;
  };
}

const GATHERING_MS = 5;

type Clean = (lines: string) => string;

function cleanedFirst(destination: { write(line: string): void }, clean: Clean) {
  return { write: (line: string) => destination.write(clean(line)) };
}

/**
 * Cleans and writes the lines of a few milliseconds to stdout at once, because doing so for each line costs more than the
 * line itself.
 */
function createGatheringWriter(clean: Clean) {
  let waiting = '';
  const pass = () => {
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    stdout.write(clean(lines));
  };
  // Before the destination's own, which empties what it holds.
  process.on('exit', pass);
  const stdout = pino.destination({ fd: 1, sync: false, minLength: 0 });
  return {
    write(line: string) {
      if (waiting === '') setTimeout(pass, GATHERING_MS);
      waiting += line;
    },
    /** Called by pino before a process that cannot go on ends. */
    flushSync() {
      pass();
      stdout.flushSync();
    },
  };
}

/** The parts of an error that may be logged. */
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

/** An object is shown by its kind only, because its text could hold a secret or fail. */
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

/** A place in a bundled file, as stack traces write it. */
const PLACE = /(file:\/\/\/[^\s"'():]+\.js):([0-9]+):([0-9]+)/g;

function readMap(file: string): SourceMap | null {
  try {
    // esbuild writes the map beside its file, in the shape that `SourceMap` takes.
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    // A stack trace must never cause another error, and libraries have no map.
    return null;
  }
}

/**
 * Makes a function that names the sources in a text with stack traces of a bundle. Node's own `--enable-source-maps`
 * reads every map at the start and keeps it: 16 MB for errors that mostly never come. Here a map is read when the first
 * trace is written that needs it.
 */
export function createSourcePositions(): (text: string) => string {
  const maps = new Map<string, SourceMap | null>();
  return (text) =>
    text.replaceAll(PLACE, (place: string, file: string, line: string, column: string) => {
      const map = maps.get(file) ?? readMap(file);
      maps.set(file, map);
      const origin = map?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !('fileName' in origin)) return place;
      return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
    });
}
