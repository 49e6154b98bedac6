import { linkSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyBetween } from '../../../src/store/copy/copy-store.ts';
import { COPIED } from '../../../src/store/copy/plan.ts';
import { withPostgresSide } from '../../../src/store/copy/postgres-side.ts';
import type { Side as CopySide } from '../../../src/store/copy/side.ts';
import { withSqliteSide } from '../../../src/store/copy/sqlite-side.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { mention, tip } from '../store/ledger.ts';
import { copy, openSides, type Side, type Sides, tryOpen } from './sides.ts';

const ITSELF = 'it is the database of DATABASE_URL itself';
const NOT_EMPTY = 'it is not empty; name a new file, or a new and empty database';
const NOT_ALONE = 'a process serves it, or another copy is under way; stop it first';
const REFUSED = 'the database was moved to another one, or is a copy that is not finished';

let sides: Sides;
beforeAll(async () => {
  sides = await openSides();
});
afterAll(() => sides.close());

async function open({ url }: Pick<Side, 'url'>): Promise<Store> {
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  onTestFinished(() => store.close());
  return store;
}

const write = (store: Store) => store.transaction((tx) => tx.setPollCursor('farcaster', 'late', 1));

/** Expects that nothing was marked: the source goes on as before. */
async function expectRefused(source: Side, target: Pick<Side, 'url'>, reason: string): Promise<void> {
  await expect(copy({ from: source.url, to: target.url })).rejects.toThrow(reason);
  await tryOpen(source);
}

describe('a copy is refused', () => {
  test('error: into a database that has rows', async () => {
    const source = await sides.SQLITE.seeded();
    for (const engine of [sides.SQLITE, sides.POSTGRES]) await expectRefused(source, await engine.seeded(), NOT_EMPTY);
  });

  test('error: while a service runs, on either side', async () => {
    const [file, empty] = [await sides.SQLITE.seeded(), await sides.SQLITE.empty()];
    await (await open(file)).begin();
    await expectRefused(file, empty, NOT_ALONE);
    const [other, server] = [await sides.SQLITE.seeded(), await sides.POSTGRES.empty()];
    const instance = await open(server);
    await instance.beat('1.0.0');
    await expectRefused(other, server, NOT_ALONE);
    await instance.close();
    await copy({ from: other.url, to: server.url });
    await (await open(server)).beat('1.0.0');
    await expectRefused(server, empty, NOT_ALONE);
  });

  test('error: into itself, by whatever name', async () => {
    const file = await sides.SQLITE.seeded();
    await expectRefused(file, file, ITSELF);
    const path = sides.newPath();
    linkSync(file.url.slice('file:'.length), path);
    await expectRefused(file, { url: path }, ITSELF);
    const server = await sides.POSTGRES.seeded();
    await expectRefused(server, { url: `${server.url}?application_name=other` }, ITSELF);
  });

  test('error: while another one uses a side', async () => {
    const [source, target] = [await sides.POSTGRES.seeded(), await sides.SQLITE.empty()];
    const other = await sides.SQLITE.seeded();
    await copy({
      from: source.url,
      to: target.url,
      async onStep(step) {
        if (step === 'held') await expectRefused(other, source, 'another copy uses it');
      },
    });
  });

  test('error: of an older schema, of another program, and of nothing', async () => {
    const source = await sides.SQLITE.seeded();
    const journal = 'delete from __drizzle_migrations where id = (select max(id) from __drizzle_migrations)';
    const older = await sides.SQLITE.seeded();
    await older.run(journal);
    const target = await sides.SQLITE.empty();
    const reason = 'its schema is of an older version; start this version with it once, stop it, and copy then';
    await expect(copy({ from: older.url, to: target.url })).rejects.toThrow(reason);
    await target.run(journal);
    await expectRefused(source, target, reason);

    const foreign = await sides.openServer('template template0');
    await foreign.client.query('create table recipes (id int)');
    await expectRefused(source, foreign, 'it belongs to another program');
    await expect(copy({ from: foreign.url, to: target.url })).rejects.toThrow('it belongs to another program');
    const path = sides.newPath();
    await expect(copy({ from: path, to: target.url })).rejects.toThrow(`database ${path}: there is no store in it`);
    writeFileSync(path, 'no database'.repeat(100));
    await expect(copy({ from: path, to: target.url })).rejects.toThrow('the file is not a SQLite database');
    const away = { url: 'postgres://u:secret@127.0.0.1:1/none' };
    await expectRefused(source, away, 'database none at 127.0.0.1:1: the server cannot be reached');
  });

  test('error: of a copy that is not finished', async () => {
    const [source, target] = [await sides.SQLITE.seeded(), await sides.SQLITE.empty()];
    const other = await sides.SQLITE.seeded();
    const onStep = (step: string) => {
      if (step === 'moved') throw new Error('broken off');
    };
    await expect(copy({ from: source.url, to: target.url, onStep })).rejects.toThrow('broken off');
    await expect(copy({ from: target.url, to: sides.newPath() })).rejects.toThrow('that is not finished');
    await expectRefused(other, target, 'it is not empty');
    await expectRefused(other, source, 'it is a store that was moved itself');
  });

  test('security: while its payments are stopped, because its server was replaced', async () => {
    const source = await sides.POSTGRES.seeded();
    await tryOpen(source);
    await source.run("update server_identity set server = 'system 1, timeline 1, database 1'");
    const reason = 'its server is another one than before, so that its payments are stopped';
    await expectRefused(source, await sides.SQLITE.empty(), reason);
    // Whoever opens it notes the new server, and payments stay stopped.
    await expectRefused(source, await sides.SQLITE.empty(), reason);
    await source.run('update server_identity set stopped_at = null');
    await copy({ from: source.url, to: (await sides.SQLITE.empty()).url });
  });

  test('error: of a value that PostgreSQL has no place for, naming the table', async () => {
    const source = await sides.SQLITE.seeded();
    await source.run('update mentions set posted_at = 1.5');
    const target = await sides.POSTGRES.empty();
    await expect(copy({ from: source.url, to: target.url })).rejects.toThrow(
      /: rows of mentions cannot be written: invalid input syntax for type bigint: "1.5"$/,
    );
    expect((await target.dump()).get('tips')).toEqual([]);
  });

  test('security: when the ledger does not add up', async () => {
    for (const engine of [sides.SQLITE, sides.POSTGRES]) {
      const awards = await engine.seeded();
      await awards.run("update gigs set awarded_amount = '4' where id = 4");
      const awarded = 'gig 4 has awarded 4, but its tips are 5';
      await expect(copy({ from: awards.url, to: sides.newPath() })).rejects.toThrow(awarded);
      const counts = await engine.seeded();
      const into =
        engine === sides.SQLITE ? 'state_counts (subject, n, state)' : 'state_count_parts (subject, n, part, state)';
      await counts.run(`insert into ${into} values ('mentions', 3, ${engine === sides.SQLITE ? '' : '7,'} 'failed')`);
      const reason = 'state_counts is not what it is in';
      await expect(copy({ from: counts.url, to: sides.newPath() })).rejects.toThrow(reason);
    }
  });
});

describe('a copy is compared', () => {
  /** A target in which one value of each table's first rows is another one than what was to be written. */
  function tampered(target: CopySide, table: string, change: (row: (string | null)[]) => void): CopySide {
    return {
      ...target,
      insert(plan, rows) {
        const [first = [], ...others] = rows.map((row) => [...row]);
        if (plan.name === table) change(first);
        return target.insert(plan, [first, ...others]);
      },
    };
  }

  test.each([
    ['tips', 'amount'],
    ['gigs', 'wallet_address'],
    ['audit_events', 'detail'],
    ['api_keys', 'last_used_at'],
  ])(
    'security: a changed value in %s.%s is found on either engine, and nothing is committed',
    async (table, column) => {
      const place = COPIED.find(({ name }) => name === table)?.columns.findIndex(({ name }) => name === column) ?? -1;
      const change = (row: (string | null)[]) => {
        row[place] = table === 'gigs' ? `0x${'9'.repeat(40)}` : table === 'audit_events' ? '{ }' : '6';
      };
      const file = await sides.SQLITE.seeded();
      const [server, empty] = [await sides.POSTGRES.empty(), await sides.SQLITE.empty()];
      const options = { migrationsFolder: MIGRATIONS, isTarget: true };
      const tamper = (source: CopySide) => (target: CopySide) =>
        copyBetween({ source, target: tampered(target, table, change) }, {});
      const path = file.url.slice('file:'.length);
      await withSqliteSide(path, { ...options, url: file.url, isTarget: false }, async (source) => {
        const onServer = withPostgresSide({ ...options, url: server.url }, tamper(source));
        await expect(onServer).rejects.toThrow(`${table} is not what it is in ${path}`);
        const onFile = withSqliteSide(empty.url.slice('file:'.length), { ...options, url: empty.url }, tamper(source));
        await expect(onFile).rejects.toThrow(`${table} is not what it is in ${path}`);
      });
      for (const side of [server, empty]) expect((await side.dump()).get(table)).toEqual([]);
      // Untampered it is taken.
      await copy({ from: file.url, to: server.url });
    },
  );
});

describe('who had opened a store before', () => {
  test('security: writes nothing once its file is being copied, and never again', async () => {
    const [source, target] = [await sides.SQLITE.seeded(), await sides.SQLITE.empty()];
    // As a command does, which takes no lock; and one for the empty target.
    const [early, premature] = [await open(source), await open(target)];
    await copy({
      from: source.url,
      to: target.url,
      async onStep(step) {
        if (step !== 'committed') return;
        await expect(write(early)).rejects.toThrow('another process held it locked for too long');
        await expect(write(premature)).rejects.toThrow(REFUSED);
      },
    });
    await expect(write(early)).rejects.toThrow(REFUSED);
    await expect(early.checkWritable()).rejects.toThrow(REFUSED);
    await write(premature);
  });

  test('security: an instance that counts as dead writes nothing when it wakes, not even in a transaction that it had begun', async () => {
    const source = await sides.openServer(`template ${sides.seededName}`);
    const target = await sides.POSTGRES.empty();
    const [asleep, begun] = [await open(source), await source.connect()];
    await asleep.beat('1.0.0');
    await write(asleep);
    await source.client.query("update instances set beat_at = beat_at - interval '21 seconds'");
    await begun.query('begin');
    await begun.query('select state from payments');
    const store = await open(target);
    let meanwhile: unknown;
    await copy({
      from: source.url,
      to: target.url,
      async onStep(step) {
        // It waits until the copy has ended.
        if (step === 'locked') meanwhile = write(asleep).catch(String);
        if (step === 'committed') await expect(write(store)).rejects.toThrow(REFUSED);
      },
    });
    expect(await meanwhile).toContain(REFUSED);
    await expect(begun.query(mention('late', 1))).rejects.toThrow(REFUSED);
    await expect(source.client.query('truncate tips cascade')).rejects.toThrow(REFUSED);
    await expect(write(asleep)).rejects.toThrow(REFUSED);
    await expect(asleep.checkWritable()).rejects.toThrow(REFUSED);
    await write(store);
  });

  test('security: what a transaction under way commits is copied', async () => {
    const source = await sides.openServer(`template ${sides.seededName}`);
    const [late, target] = [await source.connect(), await sides.SQLITE.empty()];
    await late.query('begin');
    await late.query(tip(91, { gigId: 1, number: 0, account: 5 }).replace(', 0, 1, 5,', ', 0, 1, 0,'));
    await copy({
      from: source.url,
      to: target.url,
      onStep: (step) => {
        if (step === 'held') setTimeout(() => void late.query('commit'), 100);
      },
    });
    expect((await target.dump()).get('tips')?.filter((row) => JSON.parse(row).id === '91')).toHaveLength(1);
  });

  test('behavior: reads go on, and nothing of the source but the mark has changed', async () => {
    const [source, path] = [await sides.SQLITE.seeded(), sides.newPath()];
    const before = await source.dump();
    const early = await open(source);
    await copy({ from: source.url, to: path });
    expect((await early.gig(1))?.id).toBe(1);
    expect(await source.dump()).toEqual(before);
    const connection = new SqliteDatabase(source.url.slice('file:'.length));
    expect(connection.prepare('select state, other from store_moves').get()).toEqual({ state: 'moved', other: path });
    connection.close();
  });
});
