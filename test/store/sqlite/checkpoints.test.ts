import { once } from 'node:events';
import { copyFileSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CheckpointThreadData } from '../../../src/store/sqlite/checkpoint-thread.ts';
import { type CheckpointOptions, type Checkpoints, createCheckpoints } from '../../../src/store/sqlite/checkpoints.ts';
import { identify } from '../../../src/store/sqlite/native-binding.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS, SEEDED_AT, sampleMention, temporaryFolder } from '../../support/store.ts';

const THREAD = fileURLToPath(new URL('../../../src/store/sqlite/checkpoint-thread.ts', import.meta.url));
const IMPORT = 'import { parentPort } from "node:worker_threads";';
const PATIENCE = { timeout: 30_000 };

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let connection: Database;
let checkpoints: Checkpoints;
let faults: unknown[];

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'pages.db');
  faults = [];
  connection = new SqliteDatabase(path, { timeout: 0 });
  connection.pragma('journal_mode = WAL');
  connection.exec('create table pages (filler blob)');
});

afterEach(async () => {
  await checkpoints.close();
  connection.close();
  folder.remove();
});

function open(options: Partial<CheckpointOptions> = {}): void {
  const onFault = (error: unknown) => faults.push(error);
  checkpoints = createCheckpoints({ connection, path, thread: THREAD, onFault, ...options });
}

/** One commit of about so many pages. */
function commit(pages: number): void {
  connection.prepare('insert into pages values (zeroblob(?))').run(4_092 * pages);
  checkpoints.committed();
}

function state(): { log: number; checkpointed: number } {
  const found = connection.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(noop)').get();
  return found ?? { log: 0, checkpointed: 0 };
}

function fileOf(text: string): string {
  const file = join(folder.path, 'thread.mjs');
  writeFileSync(file, text);
  return file;
}

describe('the write-ahead log', () => {
  test('behavior: is copied by a thread once it holds a thousand pages', async () => {
    open();
    commit(500);
    commit(400);
    expect(state()).toMatchObject({ checkpointed: 0 });
    commit(200);
    const { log } = state();
    expect(log).toBeGreaterThan(1_100);
    await vi.waitFor(() => expect(state()).toEqual({ busy: 0, log, checkpointed: log }), PATIENCE);
    commit(1);
    expect(state().log).toBeLessThan(10);
    expect(faults).toEqual([]);
  });

  test('behavior: stays short however long the load lasts', async () => {
    open();
    for (let i = 0; i < 3_000; i++) {
      commit(8);
      if (i % 10 === 0) await setImmediate();
    }
    expect(statSync(`${path}-wal`).size).toBeLessThan(32 * 2 ** 20);
    expect(statSync(path).size).toBeGreaterThan(80 * 2 ** 20);
  });

  test('behavior: is gone when everything is closed, even while the thread works', async () => {
    open();
    commit(1_500);
    await checkpoints.close();
    connection.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    const again = new SqliteDatabase(path);
    expect(again.prepare('select sum(length(filler)) from pages').pluck().get()).toBe(4_092 * 1_500);
    expect(again.pragma('integrity_check', { simple: true })).toBe('ok');
    again.close();
  });

  test('behavior: is copied by SQLite itself while the thread does not keep up', () => {
    const dawdler = 'parentPort.on("message", (message) => { if (message === "end") parentPort.close(); });';
    open({ thread: fileOf(`${IMPORT} ${dawdler}`) });
    commit(2_900);
    expect(state().checkpointed).toBe(0);
    commit(200);
    expect(state().checkpointed).toBeGreaterThan(3_000);
  });

  test.each([
    ['does not start', 'throw new Error("no room for a thread");', 'no room for a thread'],
    [
      'fails at its work',
      `${IMPORT} parentPort.on("message", () => { throw new Error("the disk is full"); });`,
      'the disk is full',
    ],
  ])('error: is copied by SQLite from then on when the thread %s, which is told once', async (_, text, message) => {
    open({ thread: fileOf(text) });
    commit(1_100);
    await vi.waitFor(() => expect(faults).toHaveLength(1), PATIENCE);
    expect(String(faults[0])).toContain(message);
    commit(1);
    expect(state().checkpointed).toBeGreaterThan(1_000);
    for (let i = 0; i < 3; i++) commit(1_100);
    expect(faults).toHaveLength(1);
  });

  test('error: is copied by the thread again ten minutes after it failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      open({ thread: fileOf('throw new Error("no room for a thread");') });
      commit(1_100);
      await vi.waitFor(() => expect(faults).toHaveLength(1), PATIENCE);
      fileOf(`await import(${JSON.stringify(pathToFileURL(THREAD))});`);
      vi.advanceTimersByTime(600_000);
      commit(1_200);
      expect(state().checkpointed).toBeLessThan(1_200);
      await vi.waitFor(() => expect(state().checkpointed).toBe(state().log), PATIENCE);
      expect(faults).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('error: a thread that fails while it ends leaves nothing to be done later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const text = `${IMPORT} parentPort.on("message", (message) => {
        if (message === "end") throw new Error("the file cannot be closed");
      });`;
      open({ thread: fileOf(text) });
      commit(1_100);
      await checkpoints.close();
      expect(String(faults[0])).toContain('the file cannot be closed');
      connection.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('error: SQLite’s own faults come from the thread in our words', async () => {
    const { resolve } = createRequire(THREAD);
    open({
      thread: fileOf(`import SqliteDatabase from ${JSON.stringify(resolve('better-sqlite3'))};
        new SqliteDatabase(${JSON.stringify(folder.path)});`),
    });
    commit(1_100);
    await vi.waitFor(() => expect(faults).toHaveLength(1), PATIENCE);
    expect(String(faults[0])).toBe(`Error: database ${path}: the file cannot be opened or made (SQLITE_CANTOPEN)`);
  });

  test('security: is not touched by the thread once another file has its name', async () => {
    open();
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    commit(1_100);
    await vi.waitFor(() => expect(faults).toHaveLength(1), PATIENCE);
    expect(String(faults[0])).toContain(`database ${path}: its file was replaced while the service runs; restart it`);
  });
});

test('security: the thread refuses a native library that was replaced', async () => {
  open();
  const library = join(folder.path, 'replaced.node');
  writeFileSync(library, '');
  const identities = { path: identify(path), library: '1:1' };
  const workerData: CheckpointThreadData = { path, library, identities };
  const [error] = await once(new Worker(THREAD, { workerData }), 'error');
  expect(error).toMatchObject({ message: `${library} was replaced while the service runs; restart it` });
});

test('behavior: a store under load starts the thread, loses nothing, and leaves nothing behind', async () => {
  open();
  const options = { path: join(folder.path, 'store.db'), migrationsFolder: MIGRATIONS };
  const mark = join(folder.path, 'started');
  const thread = fileOf(`import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');
    await import(${JSON.stringify(pathToFileURL(THREAD))});`);
  const onFault = (error: unknown) => faults.push(error);
  const store = await openSqliteStore({ ...options, checkpoints: { thread, onFault } });
  const insert = (postId: string) =>
    store.transaction((tx) => {
      const mention = { ...sampleMention(), postId, text: 'x'.repeat(900) };
      return tx.insertMention(mention, { now: SEEDED_AT, source: 'webhook' });
    });
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => insert(`${round}-${i}`)));
  }
  await store.close();
  expect(existsSync(mark)).toBe(true);
  expect(existsSync(`${options.path}-wal`)).toBe(false);
  const again = await openSqliteStore(options);
  expect(await again.mentions({ limit: 10_000 })).toHaveLength(rounds * 100);
  await again.close();
  expect(faults).toEqual([]);
});
