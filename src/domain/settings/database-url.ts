/** Whether it is the URL of a database on a PostgreSQL server. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/** What a database's URL may look like. */
export const DATABASE_URL_FORMS = 'file:<path> or postgres://<user>:<password>@<host>/<database>';

/** What is wrong with any other text. */
export const NOT_DATABASE_URL = `must be ${DATABASE_URL_FORMS}`;

/** The path of the file that a URL names; a text without the scheme `file:` stays as it is. */
export function withoutFileScheme(url: string): string {
  return url.replace(/^file:(\/\/(?=\/))?/i, '');
}

/** Whether it names a file, or a database on a PostgreSQL server. */
export function isDatabaseUrl(value: string): boolean {
  if (isPostgres(value)) {
    const url = URL.canParse(value) ? new URL(value) : null;
    return url !== null && url.host !== '' && url.pathname.length > 1;
  }
  return /^file:(?!$|\/\/(?!\/.))/.test(value) || !/^[a-z][a-z0-9+.-]+:/i.test(value);
}

/** What to do when a database cannot be used. */
export function databaseRemedy(url: string): string {
  return isPostgres(url)
    ? 'Check DATABASE_URL, and that the server runs and lets this user in.'
    : 'Check that DATABASE_URL names the right file and that this user may write to it and its folder.';
}

/** The password in a database's URL, as it is written and as it is meant. */
export function passwordsOf(url: string): string[] {
  const password = isPostgres(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

/** How errors and people name a database on a server: without user and password. */
export function serverDatabaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} at ${host}`;
}
