import { createHash } from 'node:crypto';
import { createHiding, type Hide, withoutLikely } from './without-secrets.ts';

/** What decided how an answer is treated: its status alone, a type or code that is known, or words that are known. */
export const ANSWER_BASES = ['status', 'type', 'words'] as const;
export type AnswerBasis = (typeof ANSWER_BASES)[number];

/** How many kinds of odd answers are kept. */
export const MOST_ODD_ANSWERS = 100;

/** A request to another service, with what decided how its answer is treated. */
interface AnsweredRequest {
  /** `Neynar`, `X`, `the Farcaster relay` or `chain base`. */
  readonly service: string;
  readonly method: string;
  /** Without ids, keys and query; of a node the JSON-RPC method. */
  readonly path: string;
  readonly status: number;
  readonly basis: AnswerBasis;
}

/** Another service's answer that an adapter did not understand, as it arrived. */
export interface OddAnswer extends AnsweredRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Text, or what was parsed of it. */
  readonly body: unknown;
  /** What must not be kept. */
  readonly secrets: readonly string[];
}

/** Takes an odd answer. It never throws, and never waits. */
export type NoteOddAnswer = (answer: OddAnswer) => void;

/** An odd answer without anything secret. Answers of one kind are one entry. */
export interface CleanAnswer extends AnsweredRequest {
  /** A hash of what answers of the kind have in common. */
  readonly kind: string;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  /** At most 2 kB. */
  readonly body: string;
}

/** A kind of odd answers, as it is kept. Times are epoch milliseconds. */
export interface KeptOddAnswer extends CleanAnswer {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** At least so often: in a flood not each is counted. */
  readonly times: number;
}

const MOST_KEPT_BYTES = 2_048;
/** How many characters of a body are looked through. */
const MOST_READ = 8_192;
/** What is read of one text, one list, one object and all of them, and how deep. */
const MOST_TEXT = 1_000;
const MOST_ITEMS = 3;
const MOST_KEYS = 60;
const MOST_VALUES = 500;
const DEEPEST = 8;

/** The rest of a value that is read: of its parts, and of each text. */
interface Reading {
  readonly hide: Hide;
  /** How many more values. */
  left: number;
}

/** A value cut to what is read, so that large answers cost no more than small ones. */
function cut(value: unknown, reading: Reading, depth = 0): unknown {
  reading.left -= 1;
  if (typeof value === 'string') return beginning(value, MOST_TEXT, reading.hide);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST || reading.left <= 0) return '…';
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => cut(item, reading, depth + 1));
  const keys = Object.keys(value).slice(0, MOST_KEYS);
  const read = keys.map((key) => [
    beginning(key, MOST_TEXT, reading.hide),
    cut(Reflect.get(value, key), reading, depth + 1),
  ]);
  return Object.fromEntries(read);
}

/** The beginning of a text, without secrets: a cut through one leaves a part that is not recognized. */
function beginning(text: string, most: number, hide: Hide): string {
  return withoutEnd(hide(text.slice(0, 2 * most)), most);
}

/** The beginning of a text. The word that a cut goes through is left out, because it may be a part of a token. */
function withoutEnd(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\S{0,400}$/, '')}…`;
}

function toKeptLength(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_KEPT_BYTES) return text;
  return `${bytes
    .subarray(0, MOST_KEPT_BYTES - 3)
    .toString()
    .replace(/\ufffd$/, '')}…`;
}

/** The fields in which services say what is wrong. */
const TELLING: readonly string[] = [
  'code',
  'detail',
  'error',
  'errorcode',
  'message',
  'reason',
  'status',
  'title',
  'type',
];

/** Words without what differs from answer to answer: names, numbers, quotations. */
function commonWords(text: string): string {
  const words = text
    .slice(0, MOST_TEXT)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '""')
    .replaceAll(/@\w+/g, '@')
    .split(/\s/);
  return words
    .map((word) => (/\d/.test(word) ? '#' : word))
    .join(' ')
    .slice(0, 200);
}

/** The form of a value, with the words of the fields that say what is wrong. */
function formOf(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return TELLING.includes(key.toLowerCase()) ? commonWords(value) : 'text';
  if (typeof value === 'number') return TELLING.includes(key.toLowerCase()) ? value : 'number';
  if (typeof value !== 'object' || value === null) return typeof value;
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => formOf(item, key));
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, field]) => [commonWords(name), formOf(field, name)]);
}

function header(headers: OddAnswer['headers'], name: string, hide: Hide): string | null {
  const value = headers[name];
  return typeof value === 'string' || typeof value === 'number'
    ? withoutLikely(hide(String(value))).slice(0, 100)
    : null;
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string' || body.length > MOST_READ) return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** What is kept of an odd answer. */
export function cleanAnswer({ headers, secrets, body, ...answer }: OddAnswer): CleanAnswer {
  const { service, method, path, status, basis } = answer;
  const hide = createHiding(secrets);
  const read = parsed(body);
  const value = typeof read === 'string' ? beginning(read, MOST_READ, hide) : cut(read, { hide, left: MOST_VALUES });
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const contentType = header(headers, 'content-type', hide);
  const form = typeof value === 'string' ? commonWords(value) : formOf(value);
  const common = [service, method, path, status, basis, contentType?.split(';')[0], form];
  return {
    service,
    method,
    path,
    status,
    basis,
    kind: createHash('sha256').update(JSON.stringify(common)).digest('hex'),
    contentType,
    retryAfter: header(headers, 'retry-after', hide),
    body: toKeptLength(withoutLikely(hide(withoutEnd(text, MOST_READ)))),
  };
}

/** A path without query, of whose segments only known words stay. */
export function plainPath(path: string, words: ReadonlySet<string>): string {
  const [plain = ''] = path.split('?');
  const segments = plain.split('/').filter((segment) => segment !== '');
  return `/${segments.map((segment) => (words.has(segment) ? segment : '*')).join('/')}`;
}
