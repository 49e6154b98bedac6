import { copyFileSync, rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { type Dump, emptyTables, schemaOfPostgres, schemaOfSqlite, TABLES } from './ledger.ts';
import { copy, openSides, type Sides, tryOpen } from './sides.ts';

let sides: Sides;
beforeAll(async () => {
  sides = await openSides();
});
afterAll(() => sides.close());

/** What a copy ends: what was leased or claimed is due. */
function withoutLeases(dump: Dump): Dump {
  const ended: Record<string, (row: Record<string, unknown>) => object | null> = {
    mentions: (row) => (row['lease'] === null ? row : { ...row, lease: null, due_at: '0' }),
    replies: (row) => (row['lease'] === null ? row : { ...row, lease: null, due_at: '0' }),
    watches: (row) => ({ ...row, lease: null, lease_until: null }),
    poll_cursors: (row) => ({ ...row, claimed_at: '0' }),
    alert_deliveries: (row) => (row['lease'] === null ? row : { ...row, lease: null, next_at: '0' }),
    alert_watch: () => null,
    event_deliveries: (row) => (row['lease'] === null ? row : { ...row, lease: null, next_at: '0' }),
    webhook_endpoints: (row) => (row['lease'] === null ? row : { ...row, lease: null, next_at: '0' }),
    notifications: (row) => (row['lease'] === null ? row : { ...row, lease: null, next_at: '0' }),
    event_releases: () => null,
  };
  return new Map(
    [...dump].map(([name, rows]) => {
      const end = ended[name] ?? ((row) => row);
      const left = rows.map((row) => end(JSON.parse(row))).filter((row) => row !== null);
      return [name, left.map((row) => JSON.stringify(row)).toSorted()];
    }),
  );
}

describe('a ledger with rows in every table', () => {
  test('behavior: goes from a file to PostgreSQL and back, each value as it was, and only leases are over', async () => {
    const file = await sides.SQLITE.seeded();
    const before = await file.dump();
    expect(emptyTables(before)).toEqual([]);
    expect(before).not.toEqual(withoutLeases(before));
    const server = await sides.POSTGRES.empty();
    const tables: string[] = [];
    const there = await copy({ from: file.url, to: server.url, onTable: (table) => void tables.push(table) });
    expect(await server.dump()).toEqual(withoutLeases(before));
    expect(there.rows).toBe(tables.reduce((sum, name) => sum + (before.get(name)?.length ?? 0), 0));
    expect(tables).toHaveLength(TABLES);
    await tryOpen(server);

    const path = sides.newPath();
    await copy({ from: server.url, to: path });
    await tryOpen({ url: path });
    expect(await sides.sideOfFile(path).dump()).toEqual(withoutLeases(before));
    // The source keeps its rows, and its leases.
    expect(await file.dump()).toEqual(before);
  });

  test('behavior: goes from PostgreSQL to PostgreSQL, and from a file to a file', async () => {
    for (const engine of [sides.POSTGRES, sides.SQLITE]) {
      const [source, target] = [await engine.seeded(), await engine.empty()];
      await copy({ from: source.url, to: target.url });
      expect(await target.dump()).toEqual(withoutLeases(await source.dump()));
      await tryOpen(target);
    }
  });

  test('security: the copy has every trigger, index and constraint of a new database', async () => {
    const source = await sides.SQLITE.seeded();
    const fresh = await sides.openServer('template template_gigclaim');
    const target = await sides.openServer('template template_gigclaim');
    await copy({ from: source.url, to: target.url });
    expect(await schemaOfPostgres(target.client)).toEqual(await schemaOfPostgres(fresh.client));

    const [made, empty] = [sides.newPath(), sides.newPath()];
    await copy({ from: target.url, to: made });
    await tryOpen({ url: empty });
    const [one, other] = [new SqliteDatabase(made), new SqliteDatabase(empty)];
    expect(schemaOfSqlite(one)).toEqual(schemaOfSqlite(other));
    one.close();
    other.close();
  });

  test('behavior: a database without a schema gets it, and a file is made with its folder', async () => {
    const bare = await sides.openServer('template template0');
    await copy({ from: (await sides.SQLITE.seeded()).url, to: bare.url });
    await tryOpen(bare);
    const path = `${sides.newPath()}.folder/store.db`;
    await copy({ from: bare.url, to: `file:${path}` });
    await tryOpen({ url: path });
  });

  test('behavior: needs no superuser, but the owner of the database', async () => {
    const role = `owner_${process.pid}`;
    const server = await sides.openServer('template template0');
    const { rows } = await server.client.query<{ name: string }>('select current_database() as name');
    await server.client.query(
      `create role ${role} login password 'p'; alter database ${rows[0]?.name} owner to ${role}`,
    );
    const url = new URL(server.url);
    url.username = role;
    url.password = 'p';
    const [source, path] = [await sides.SQLITE.seeded(), sides.newPath()];
    await copy({ from: source.url, to: url.href });
    await tryOpen({ url: url.href });
    await copy({ from: url.href, to: path });
    expect((await sides.sideOfFile(path).dump()).get('tips')).toEqual((await source.dump()).get('tips'));
    await server.client.query(
      `drop owned by ${role}; alter database ${rows[0]?.name} owner to current_user; drop role ${role}`,
    );
  });

  test('behavior: U+0000 in a text becomes what the service makes of it today', async () => {
    const source = await sides.SQLITE.seeded();
    await source.run("update mentions set text = 'a' || char(0) || 'b' where post_id = '3'");
    const target = await sides.POSTGRES.empty();
    await copy({ from: source.url, to: target.url });
    const texts = (await target.dump()).get('mentions')?.map((row) => JSON.parse(row).text);
    expect(texts).toContain('a\uFFFDb');
  });
});

describe('ids', () => {
  async function nextGigId(url: string): Promise<number> {
    const store = await openStore({ url, migrationsFolder: MIGRATIONS });
    try {
      return await store.transaction((tx) => tx.reserveGigId());
    } finally {
      await store.close();
    }
  }

  test('security: the next gig comes after the highest that ever was, on either way', async () => {
    const file = await sides.SQLITE.seeded();
    await file.run("update sqlite_sequence set seq = 70 where name = 'gigs'");
    const server = await sides.POSTGRES.empty();
    await copy({ from: file.url, to: server.url });
    expect(await nextGigId(server.url)).toBe(71);
    const path = sides.newPath();
    await copy({ from: server.url, to: path });
    expect(await nextGigId(path)).toBe(72);
  });

  test('security: not of an older copy that was put back, before it was opened beside its file of ids', async () => {
    const path = sides.newPath();
    await nextGigId(path);
    copyFileSync(path, `${path}.backup`);
    // The wallet of gig 2 was told to a client.
    await nextGigId(path);
    copyFileSync(`${path}.backup`, path);
    for (const engine of [sides.SQLITE, sides.POSTGRES]) {
      const reason = `database ${path}: it is not what ${path}.ids belongs to, so that it may be an older copy; start the service with it`;
      await expect(copy({ from: path, to: (await engine.empty()).url })).rejects.toThrow(reason);
    }
    await tryOpen({ url: path });
    const target = await sides.POSTGRES.empty();
    await copy({ from: path, to: target.url });
    expect(await nextGigId(target.url)).toBe(3);
  });

  test('security: not of a file without its ids, which may be an older copy as well', async () => {
    const file = await sides.SQLITE.seeded();
    rmSync(`${file.url.slice('file:'.length)}.ids`);
    await expect(copy({ from: file.url, to: sides.newPath() })).rejects.toThrow('so that it may be an older copy');
  });

  test('security: nor of a backup, to where the file of ids of the lost ledger is', async () => {
    const [path, backup] = [sides.newPath(), sides.newPath()];
    await nextGigId(path);
    for (const end of ['', '.ids']) copyFileSync(`${path}${end}`, `${backup}${end}`);
    // The wallet of gig 2 was told to a client.
    await nextGigId(path);
    rmSync(path);
    await copy({ from: backup, to: path });
    expect(await nextGigId(path)).toBe(3);
  });

  test('security: also when no gig is left', async () => {
    const file = await sides.SQLITE.empty();
    await tryOpen(file);
    await file.run("insert into sqlite_sequence (name, seq) values ('gigs', 5)");
    const server = await sides.POSTGRES.empty();
    await copy({ from: file.url, to: server.url });
    const path = sides.newPath();
    await copy({ from: server.url, to: path });
    expect(await nextGigId(path)).toBe(6);
  });

  test('behavior: every other id goes on after those that were given', async () => {
    const source = await sides.openServer(`template ${sides.seededName}`);
    // An id that was given and is gone.
    await source.client.query("select setval('claims_id_seq', 40)");
    const target = await sides.openServer('template template_gigclaim');
    await copy({ from: source.url, to: target.url });
    const { rows } = await target.client.query(
      "select nextval('claims_id_seq')::int as claim, nextval('tips_id_seq')::int as tip",
    );
    expect(rows).toEqual([{ claim: 41, tip: 91 }]);
  });
});
