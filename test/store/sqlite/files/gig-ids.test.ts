import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseSkip } from '../../../../src/domain/gigs/id-skip.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { MIGRATIONS, seedGig, temporaryFolder } from '../../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let opened: Store[];

async function open(): Promise<Store> {
  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  opened.push(store);
  return store;
}

async function close(): Promise<void> {
  for (const store of opened.splice(0)) await store.close();
}

const reserve = (store: Store) => store.transaction((tx) => tx.reserveGigId());
const skips = async (store: Store) => (await store.idSkips(10)).map(({ detail }) => parseSkip(detail));
const kept = () => JSON.parse(readFileSync(`${path}.ids`, 'utf8'));

/** Puts the database back to what it was before `work`; the file beside it stays. */
async function restoreAfter(work: () => Promise<void>): Promise<void> {
  await close();
  copyFileSync(path, `${path}.backup`);
  await work();
  await close();
  copyFileSync(`${path}.backup`, path);
}

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
  opened = [];
});
afterEach(async () => {
  await close();
  folder.remove();
});

describe('the ids of gigs in a file', () => {
  test('behavior: begin with 1, and are beside the database before they are told', async () => {
    const store = await open();
    expect(kept()).toMatchObject({ gigId: 0 });
    expect(await reserve(store)).toBe(1);
    expect(kept()).toMatchObject({ gigId: 1 });
    expect((await seedGig(store)).id).toBe(2);
    expect(kept()).toMatchObject({ gigId: 2, word: (await store.ledgerState()).word });
    expect(await skips(store)).toEqual([]);
  });

  test('behavior: a released id is given again, also after a start', async () => {
    const store = await open();
    await store.transaction((tx) => tx.releaseGigId(1));
    const id = await reserve(store);
    expect(await store.transaction((tx) => tx.releaseGigId(id))).toBe(true);
    await close();
    expect(await reserve(await open())).toBe(id);
  });

  test('security: a backup from before a creation gives no id again that was told', async () => {
    await reserve(await open());
    await restoreAfter(async () => void (await seedGig(await open())));
    const store = await open();
    expect(await skips(store)).toEqual([{ first: 2, last: 2, reason: 'ahead' }]);
    expect(await store.doubtedUpTo()).toBe(2);
    expect(await reserve(store)).toBe(3);
  });

  test('security: a backup without its file goes on at least 1,000 later, 1 above a multiple of 1,000', async () => {
    await reserve(await open());
    await restoreAfter(async () => void (await seedGig(await open())));
    rmSync(`${path}.ids`);
    const store = await open();
    expect(await skips(store)).toEqual([{ first: 2, last: 2_000, reason: 'file' }]);
    expect([await reserve(store), await reserve(store)]).toEqual([2_001, 2_002]);
    await close();
    expect(await reserve(await open())).toBe(2_003);
  });

  test('security: a backup from before the first gig, without its file, does so as well', async () => {
    await open();
    await restoreAfter(async () => void (await seedGig(await open())));
    rmSync(`${path}.ids`);
    expect(await reserve(await open())).toBe(1_001);
  });

  test('security: a file of another ledger has ids go on 1,000 after the higher of both', async () => {
    await reserve(await open());
    await close();
    writeFileSync(`${path}.ids`, JSON.stringify({ word: 'another', gigId: 4_321, tipFloor: 7 }));
    const store = await open();
    expect(await skips(store)).toEqual([{ first: 4_322, last: 6_000, reason: 'word' }]);
    expect(await store.doubtedUpTo()).toBe(6_000);
    expect(await reserve(store)).toBe(6_001);
    expect(kept()).toEqual({ word: (await store.ledgerState()).word, gigId: 6_001, tipFloor: 7 });
  });

  test('security: a database of an older version, which has no file, does so once', async () => {
    const store = await open();
    await seedGig(store);
    await store.transaction((tx) => tx.renewBeat(1));
    await close();
    rmSync(`${path}.ids`);
    const updated = await open();
    expect(await reserve(updated)).toBe(2_001);
    expect(await updated.doubtedUpTo()).toBeNull();
  });

  test('security: a file that is lost while the service runs does so at the next creation', async () => {
    const store = await open();
    await reserve(store);
    rmSync(`${path}.ids`);
    expect(await reserve(store)).toBe(2_001);
    expect(await skips(store)).toEqual([{ first: 2, last: 2_000, reason: 'file' }]);
  });

  test('error: an id that cannot be kept is not given', async () => {
    const store = await open();
    await reserve(store);
    rmSync(`${path}.ids`);
    mkdirSync(`${path}.ids`);
    await expect(reserve(store)).rejects.toThrow(`${path}.ids: it cannot be read`);
    rmSync(`${path}.ids`, { recursive: true });
    expect(await reserve(store)).toBe(2_001);
  });

  test('behavior: a transaction that is undone skips its id', async () => {
    const store = await open();
    const failing = store.transaction(async (tx) => {
      await tx.reserveGigId();
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await reserve(store)).toBe(2);
    expect(await skips(store)).toEqual([]);
  });

  test('security: a backup that is put back under a running service gives no id again', async () => {
    const store = await open();
    await reserve(store);
    const seq = async (value: number) => {
      const connection = new SqliteDatabase(path);
      connection.prepare("update sqlite_sequence set seq = ? where name = 'gigs'").run(value);
      connection.close();
    };
    await seq(0);
    expect(await reserve(store)).toBe(2);
  });

  test('security: two processes that reserve together get different ids, and the file has the highest', async () => {
    await open();
    const script = `
      import { openStore } from '${new URL('../../../../src/store/open.ts', import.meta.url).href}';
      const store = await openStore({ url: process.argv[1], migrationsFolder: process.argv[2] });
      const ids = [];
      for (let index = 0; index < 50; index += 1) ids.push(await store.transaction((tx) => tx.reserveGigId()));
      await store.close();
      console.log(JSON.stringify(ids));`;
    const run = promisify(execFile);
    const args = ['--input-type=module', '-e', script, path, MIGRATIONS];
    const results = await Promise.all([run(process.execPath, args), run(process.execPath, args)]);
    const ids = results.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(kept()).toMatchObject({ gigId: 100 });
  });
});
