import { createHash } from 'node:crypto';

/** What decided how an answer is treated: its status alone, a type or code that is known, or words that are known. */
export const ANSWER_BASES = ['status', 'type', 'words'] as const;
export type AnswerBasis = (typeof ANSWER_BASES)[number];

/** How many kinds of odd answers are kept. */
export const MOST_ODD_ANSWERS = 100;

/** Another service's answer that an adapter did not understand, as it arrived. */
export interface OddAnswer {
  /** `Neynar`, `X`, `the Farcaster relay` or `chain base`. */
  readonly service: string;
  readonly method: string;
  /** Without ids, keys and query; of a node the JSON-RPC method. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Text, or what was parsed of it. */
  readonly body: unknown;
  readonly basis: AnswerBasis;
  /** What must not be kept. */
  readonly secrets: readonly string[];
}

/** Takes an odd answer. It never throws, and never waits. */
export type NoteOddAnswer = (answer: OddAnswer) => void;

/** An odd answer without anything secret. Answers of one kind are one entry. */
export interface CleanAnswer extends Pick<OddAnswer, 'service' | 'method' | 'path' | 'status' | 'basis'> {
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
/** What is read of one text, one list, one object, and how deep. */
const MOST_TEXT = 1_000;
const MOST_ITEMS = 3;
const MOST_KEYS = 60;
const DEEPEST = 8;

/** A value cut to what is read, so that large answers cost no more than small ones. */
function cut(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutEnd(value, MOST_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => cut(item, depth + 1));
  const keys = Object.keys(value).slice(0, MOST_KEYS);
  return Object.fromEntries(keys.map((key) => [key, cut(Reflect.get(value, key), depth + 1)]));
}

/** The beginning of a text. The word that a cut goes through is left out, because a part of a secret is not recognized. */
function withoutEnd(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\S{0,400}$/, '')}…`;
}

/** Keys, tokens and signatures mix letters and digits; names and words do not. */
function hideToken(word: string): string {
  return /\d/.test(word) && /[a-z]/i.test(word) ? '[token]' : word;
}

/** What is taken out of a body, in this order. */
const HIDDEN: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\b(bearer|basic)\s+[^\s"']{6,}/gi, '[secret]'],
  [/\bhttps?:\/\/[^\s"'/@]*@/gi, 'https://[secret]@'],
  [/(?<=https?:\/\/[^\s"'?<>]{1,500})\?[^\s"'<>\\]+/gi, '?[query]'],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,64}/g, '[mail]'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '[id]'],
  [/0x[0-9a-f]{3,}(?:…|\.{2,3})[0-9a-f]{3,}/gi, '[hex]'],
  [/(?:0x)?[0-9a-f]{16,}/gi, '[hex]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '[ip]'],
  [/\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f:]*/gi, '[ip]'],
  [/(?<![A-Za-z0-9/:.+])[A-Za-z0-9+/]{32,}={0,2}/g, hideToken],
  [/[A-Za-z0-9_\-+=~]{20,}/g, hideToken],
  [/\d{10,}/g, '[number]'],
];

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const plain = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, each) => rest.replaceAll(each, '[secret]'), text);
  return HIDDEN.reduce(
    (rest, [pattern, by]) => (typeof by === 'string' ? rest.replace(pattern, by) : rest.replace(pattern, by)),
    plain.replaceAll('\0', ''),
  );
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

function header(headers: OddAnswer['headers'], name: string, secrets: readonly string[]): string | null {
  const value = headers[name];
  return typeof value === 'string' || typeof value === 'number'
    ? withoutSecrets(String(value), secrets).slice(0, 100)
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
  const read = parsed(body);
  const value = typeof read === 'string' ? read : cut(read);
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const contentType = header(headers, 'content-type', secrets);
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
    retryAfter: header(headers, 'retry-after', secrets),
    body: toKeptLength(withoutSecrets(withoutEnd(text, MOST_READ), secrets)),
  };
}

/** A path without query, of whose segments only known words stay. */
export function plainPath(path: string, words: ReadonlySet<string>): string {
  const [plain = ''] = path.split('?');
  const segments = plain.split('/').filter((segment) => segment !== '');
  return `/${segments.map((segment) => (words.has(segment) ? segment : '*')).join('/')}`;
}
