import { SchemaNewer } from '../errors.ts';

/** Whether it is the URL of a database on a PostgreSQL server. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

export const DATABASE_URL_FORMS = 'file:<path> or postgres://<user>:<password>@<host>/<database>';

/** The path of the file that a URL names; a text without the scheme `file:` stays as it is. */
export function withoutFileScheme(url: string): string {
  return url.replace(/^file:(\/\/(?=\/))?/i, '');
}

const WITH_SCHEME = 'a database on a server begins with postgres://';

/** In the place of a password, as the consoles of hosts show it. */
const PLACEHOLDER = /:(?:\[[^[\]:/@]*\]|<[^<>:/@]*>|\*+|%5B[^:/@]*%5D)@/i;

/** What people write instead, and what they meant: the first that fits. None repeats the text, which may hold a password. */
const MISTAKES: readonly (readonly [looksLike: RegExp, meant: string])[] = [
  [/:memory:/i, 'name a file, because a database in memory ends with the process'],
  [PLACEHOLDER, 'write your password in the place of the example'],
  [/^psql\s/i, 'leave out the command psql, and the quotes behind it'],
  [/(^|\s)(host(addr)?|port|dbname|user|password)\s*=/i, 'write host, dbname, user and password as one URL'],
  [/^jdbc:/i, 'leave out jdbc:'],
  [/^postgres(ql)?\+/i, 'leave out the + and the driver behind it'],
  [/^postgres(ql)?(?!:\/\/)[^\w.-]*[/:@]/i, WITH_SCHEME],
  [/^postgres(ql)?:\/\/.*\s/i, 'write a blank as %20'],
  [/^postgres(ql)?:\/\/.*%(?![0-9a-f]{2})/i, 'write a % of the password as %25'],
  [/^postgres(ql)?:\/\/(?:[^/]*@)?[^/@]*,/i, 'name one host, the primary'],
  [/^postgres(ql)?:\/\/[^/]+\/?$/i, 'name the database behind the host'],
  [/^postgres(ql)?:/i, 'write % in the password as %25, / as %2F, ? as %3F and # as %23'],
  [/@|^[\w.-]+:[0-9]/, WITH_SCHEME],
  [/^(?!file:)[a-z][a-z0-9+.-]+:/i, 'other databases are not supported'],
  [/[?#]/, 'a file takes no options'],
  [/^file:/i, 'write the whole path behind file:'],
];

function isServerUrl(text: string): boolean {
  const url = /^postgres(ql)?:\/\/\S+$/i.test(text) ? URL.parse(text) : null;
  if (url === null || PLACEHOLDER.test(text)) return false;
  if (url.host === '' || url.host.includes(',') || url.pathname.length < 2) return false;
  // A password with a slash, of which the URL takes a part for the port.
  if (url.pathname.includes('@')) return false;
  try {
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** A path alone has to look like one: any other text may be meant as a URL. */
const PATH_ALONE = /^(?:\.{0,2}\/(?!\/).+|(?!.*\/\/)[^\s~@:=;,]+\.(?:db|sqlite)3?)$/i;

function isFile(text: string): boolean {
  const path = withoutFileScheme(text);
  if (/:\/\/|[?#]/.test(path)) return false;
  return path === text ? PATH_ALONE.test(text) : /^(?!\/\/|:memory:|[~\s"'])./.test(path);
}

/** What is wrong with the URL of a database, as a clause that never holds the URL; null when it names one. */
export function databaseUrlProblem(text: string): string | null {
  if (isServerUrl(text) || isFile(text)) return null;
  const [, meant] = MISTAKES.find(([looksLike]) => looksLike.test(text)) ?? [];
  return `must be ${DATABASE_URL_FORMS}; ${meant ?? 'write file: before the name of a file'}`;
}

const NEWER_REMEDY =
  'Install the version that ran last. To go back to this version, restore the backup from before the update: docs/operate.md#the-way-back.';

function isOfNewerSchema(cause: unknown): boolean {
  return cause instanceof SchemaNewer || (cause instanceof Error && isOfNewerSchema(cause.cause));
}

/** What to do when a database cannot be used, for this reason where it is known. */
export function databaseRemedy(url: string, cause?: unknown): string {
  if (isOfNewerSchema(cause)) return NEWER_REMEDY;
  return isPostgres(url)
    ? 'Check DATABASE_URL, the server and its user. docs/operate/postgres.md#refused-servers explains each refusal.'
    : 'Check that DATABASE_URL names the right file and that this user may write to it and its folder.';
}

/** The passwords in a database's URL, also among its options, as they are written and as they are meant. */
export function passwordsOf(url: string): string[] {
  if (!isPostgres(url)) return [];
  const { password, search, searchParams } = new URL(url);
  const ofOptions = [...search.matchAll(/[?&](?:ssl)?password=([^&]+)/g)].map(([, written = '']) => written);
  const meant = ['password', 'sslpassword'].flatMap((name) => searchParams.getAll(name));
  return [...new Set([password, decodeURIComponent(password), ...ofOptions, ...meant])].filter((each) => each !== '');
}

/** How errors and people name a database on a server: without user and password. */
export function serverDatabaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} at ${host}`;
}
