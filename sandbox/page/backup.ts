import SqliteDatabase from 'better-sqlite3';

/** Into the file that is there, so that those who have it open see what it holds now. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const connection = new SqliteDatabase(from, { readonly: true, fileMustExist: true });
  try {
    await connection.backup(to);
  } finally {
    connection.close();
  }
}

/** A copy beside the service's database at `path`, taken now, as an operator keeps one. */
export async function createBackup({ path, clock }: { path: string; clock: () => number }) {
  const copy = `${path}.copy`;
  let takenAt = 0;
  const take = async () => {
    await copyDatabase(path, copy);
    takenAt = clock();
  };
  await take();
  return { take, takenAt: () => takenAt, putBack: () => copyDatabase(copy, path) };
}
