import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { OTHER_NUMBERS, otherNumber } from '../../../src/domain/gigs/tip.ts';
import { openStore, type StoreOptions } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { createIdsFile } from '../../../src/store/sqlite/files/ids-file.ts';
import { startStoreChild } from '../../support/child.ts';
import { MIGRATIONS, seedGig, seedTips, temporaryFolder, writeEmptyDatabase } from '../../support/store.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let store: Store;
let gig: Gig;

beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
  await writeEmptyDatabase(path);
  store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  gig = await seedGig(store, { live: true });
});

afterEach(async () => {
  await store.close();
  folder.remove();
});

async function give(count: number): Promise<number[]> {
  const accounts = Array.from({ length: count }, () => FID);
  return (await seedTips(store, gig, accounts)).map(({ number }) => number);
}

/** Opens the store again. */
async function reopen(floors?: StoreOptions['floors']): Promise<void> {
  await store.close();
  store = await openStore({ url: path, migrationsFolder: MIGRATIONS, ...(floors && { floors }) });
}

/** Closes the store and keeps a copy of its file. */
async function copy(): Promise<string> {
  await store.close();
  const backup = join(folder.path, 'backup.db');
  copyFileSync(path, backup);
  return backup;
}

/** Closes the store and puts a copy back. */
async function putBack(backup: string): Promise<void> {
  await store.close();
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  copyFileSync(backup, path);
}

const pending = async () => (await store.pendingTips([FID])).tips;

describe('the numbers of tips in a file', () => {
  test('security: differ for tips that processes insert at the same time', async () => {
    const children = await Promise.all([startStoreChild('award', path), startStoreChild('award', path)]);
    await Promise.all(children.map((child) => child.kill()));
    const numbers = (await pending()).map(({ number }) => number);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i));
    const said = children.map((child) => child.said.slice(0, -1).map(Number));
    expect(said.flat().sort((a, b) => a - b)).toEqual(numbers);
    expect(await give(1)).toEqual([200]);
  });

  test('security: are not given again by a process that comes after a crash in the middle of a transaction', async () => {
    const child = await startStoreChild('awardHalf', path);
    await child.kill();
    expect(child.said.slice(0, -1)).toEqual(['0', '1']);
    expect((await pending()).map(({ number }) => number)).toEqual([0]);
    expect(await give(2)).toEqual([1, 2]);
  });

  test('security: an older copy gives the numbers of its lost tips again, until the chain’s are skipped', async () => {
    await give(2);
    const backup = await copy();
    await reopen();
    expect(await give(3)).toEqual([2, 3, 4]);
    await putBack(backup);
    await reopen();
    expect(await give(1)).toEqual([2]);
    const [, , lateTip] = await pending();
    // The chain shows that 2 and 4 were paid to others.
    expect(await store.transaction((tx) => tx.skipTipNumbers(gig.id, 5))).toBe(true);
    const other = lateTip === undefined ? 0 : otherNumber(lateTip);
    expect(await store.transaction((tx) => tx.renumberTip(lateTip?.id ?? 0))).toBe(other);
    expect(await give(1)).toEqual([5]);
    expect((await pending()).map(({ number }) => number)).toEqual([0, 1, other, 5]);
  });
});

describe('the floors of tip numbers in a file', () => {
  /** A start within one second, by a chance of its own. */
  const start = (random: number) => reopen({ clock: () => Date.UTC(2026, 6, 1), randomBelow: () => random });
  let backup: string;
  beforeEach(async () => {
    backup = await copy();
    createIdsFile(path).write({ word: 'w', gigId: 1, tipFloor: 0 });
  });

  test('security: a copy that starts in the same second as its original did gives none of its numbers', async () => {
    rmSync(`${path}.ids`);
    await start(11);
    const lost = await give(3);
    await putBack(backup);
    await start(12);
    const again = await give(3);
    expect(new Set([...lost, ...again]).size).toBe(6);
  });

  test('security: nor by the same chance, when a clock was put back to that second: the file beside it knows', async () => {
    await start(11);
    const [first = 0, ...more] = await give(3);
    expect(createIdsFile(path).read()?.tipFloor).toBe(first);
    await putBack(backup);
    await start(11);
    const again = await give(3);
    expect(again[0]).toBe(first + 256 * 12);
    expect(new Set([first, ...more, ...again]).size).toBe(6);
  });
});

describe('the numbers of tips, in raw SQL', () => {
  let sql: Database;

  /** Tips 0, 1 and 2 of the first gig; 3 is skipped, and 4 is the next. */
  beforeEach(async () => {
    await seedGig(store, { live: true });
    await give(3);
    await store.transaction((tx) => tx.skipTipNumbers(gig.id, 4));
    sql = new SqliteDatabase(path);
    sql.pragma('foreign_keys = ON');
  });

  afterEach(() => {
    sql.close();
  });

  const insert = (gigId: number, number: string) =>
    sql.exec(
      `insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id)
       values (1, ${gigId}, ${number}, 1, '1', 'pending', 'farcaster', '7')`,
    );
  const setNumber = (value: string, id = 1) => sql.exec(`update tips set number = ${value} where id = ${id}`);
  const setNext = (value: string) => sql.exec(`update gigs set next_tip_number = ${value} where id = 1`);

  test('behavior: a batch of 500 tips is one update of each of its gigs', async () => {
    sql.exec(`
      create table counted (gig_id integer);
      create trigger counted after update on gigs begin insert into counted values (new.id); end;
    `);
    const tips = Array.from({ length: 500 }, (_, i) => {
      return { ...FID, gigId: 1 + (i % 2), tokenId: gig.token.id, amount: 1n, userAddress: null };
    });
    await store.transaction((tx) => tx.insertTips(tips, 1));
    expect(sql.prepare('select gig_id from counted').pluck().all()).toEqual([1, 2]);
  });

  test('security: the next number of a gig never falls, and is a whole number', async () => {
    for (const value of ['3', '0', '-1', 'next_tip_number - 1', 'null', '4.5', "'x'"]) {
      expect(() => setNext(value), value).toThrow(/never gives the number of a tip again|constraint failed/);
    }
    expect(() => setNext('3')).toThrow('a gig never gives the number of a tip again');
    setNext('4');
    setNext('9');
    expect(await give(1)).toEqual([9]);
  });

  test('security: a tip is inserted below the next number of its gig, under one that no tip of the gig has', () => {
    for (const number of ['4', '5', "'x'"]) {
      expect(() => insert(1, number), number).toThrow('a tip takes its number from its gig');
    }
    expect(() => insert(2, '0')).toThrow('a tip takes its number from its gig');
    expect(() => insert(1, '2')).toThrow('UNIQUE constraint failed: tips.gig_id, tips.number');
    expect(() => insert(1, 'null')).toThrow();
    expect(() => insert(1, '-1')).toThrow('CHECK constraint failed: tips_number');
    expect(() => insert(1, '0.5')).toThrow('CHECK constraint failed: tips_number');
    insert(1, '3');
  });

  test('security: a tip keeps its number and its gig, but for one above those that gigs count', () => {
    const kept = 'a tip keeps its number';
    for (const value of ['1', '2', '3', '4', '-1', '0.5', 'number + 1', `${OTHER_NUMBERS} - 1`]) {
      expect(() => setNumber(value), value).toThrow(kept);
    }
    expect(() => sql.exec('update tips set gig_id = 2 where id = 1')).toThrow(kept);
    expect(() => sql.exec(`update tips set gig_id = 2, number = ${OTHER_NUMBERS} where id = 1`)).toThrow(kept);
    setNumber('number');
    setNumber(`${OTHER_NUMBERS}`);
    expect(() => setNumber('0')).toThrow(kept);
    expect(() => setNumber(`${OTHER_NUMBERS}`, 2)).toThrow('UNIQUE constraint failed: tips.gig_id, tips.number');
  });

  test.for([
    ['a void tip', "is_void = 1, voided_at = 1, void_reason = 'x'"],
    ['a paid tip', "status = 'claimed', tx_hash = 'x', claimed_at = 1"],
    ['a tip that names its transaction', "tx_hash = 'x'"],
  ] as const)('security: %s takes no other number', ([, change]) => {
    sql.exec(`update tips set ${change} where id = 1`);
    expect(() => setNumber(`${OTHER_NUMBERS}`)).toThrow('a tip keeps its number');
  });
});
