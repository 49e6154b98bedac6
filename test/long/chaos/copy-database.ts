import SqliteDatabase from 'better-sqlite3';

/** Copies a database as it stands, also while a process writes to it. */
export function copyDatabase(from: string, to: string): void {
  const database = new SqliteDatabase(from, { readonly: true });
  try {
    database.prepare('vacuum into ?').run(to);
  } finally {
    database.close();
  }
}
