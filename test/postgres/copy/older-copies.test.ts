import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abandonCopy } from '../../../src/store/copy/copy-store.ts';
import { migratePostgres } from '../../../src/store/postgres/migrations.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { firstMigrations } from '../../support/migrations.ts';
import { POSTGRES_MIGRATIONS } from '../../support/postgres.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { copy, openSides, type Side, type Sides, tryOpen } from './sides.ts';

let sides: Sides;
beforeAll(async () => {
  sides = await openSides();
});
afterAll(() => sides.close());

const REFUSAL = 'the database was moved to another one, or is a copy that is not finished';
const MARK = "insert into store_moves (id, state, move, other) values (1, 'moving', 'one', 'the other')";
const WRITE = "insert into platforms (id) values ('farcaster')";

async function olderFile(): Promise<Side> {
  const path = sides.newPath();
  const connection = new SqliteDatabase(path);
  migrate(connection, { folder: firstMigrations(MIGRATIONS, 20), path });
  connection.close();
  const side = sides.sideOfFile(path);
  await side.run(`create trigger store_moves_fence_platforms_insert before insert on platforms
    begin select raise(abort, '${REFUSAL}'); end`);
  return side;
}

async function olderServer(): Promise<Side> {
  const { client, side } = await sides.openServer('template template0');
  await migratePostgres(client, { folder: firstMigrations(POSTGRES_MIGRATIONS, 8) });
  await side.run(`create trigger store_moves_fence before insert or update or delete or truncate on platforms
    for each statement execute function refuse('${REFUSAL}')`);
  return side;
}

test.for([
  ['a file', olderFile],
  ['PostgreSQL', olderServer],
] as const)(
  'security: the copy that an older version began is given up before the schema of %s is that of today',
  async ([, older]) => {
    const source = await older();
    await source.run(MARK);
    await expect(source.run(WRITE)).rejects.toThrow(REFUSAL);
    await expect(tryOpen(source)).rejects.toThrow('run store copy --abandon to use this database as before');
    await expect(copy({ from: source.url, to: sides.newPath() })).rejects.toThrow(
      'its schema is of an older version; start this version with it once, stop it, and copy then; when a copy of it broke off, ' +
        'finish that with the older version first, or give it up with store copy --abandon',
    );
    expect(await abandonCopy({ from: source.url, migrationsFolder: MIGRATIONS })).toMatchObject({
      target: 'the other',
    });
    await source.run(WRITE);
    await tryOpen(source);
    await copy({ from: source.url, to: sides.newPath() });
  },
);
