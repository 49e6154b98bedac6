import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyStore } from '../../../../src/store/copy/copy-store.ts';
import { exposedFiles, openStore } from '../../../../src/store/open.ts';
import { MIGRATIONS, type TemporaryFolder, temporaryFolder } from '../../../support/store.ts';

/** An account that is neither root's nor that of the tests. */
const SERVICE_USER = 1_234;

let folder: TemporaryFolder;
let path: string;
let umask: number;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'a', 'b', 'gigclaim.db');
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
  folder.remove();
});

const open = () => openStore({ url: path, migrationsFolder: MIGRATIONS });
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
/** The mode of each file in a folder. */
const modes = (of: string) => Object.fromEntries(readdirSync(of).map((name) => [name, modeOf(join(of, name))]));
const FILES = ['gigclaim.db', 'gigclaim.db-shm', 'gigclaim.db-wal', 'gigclaim.db.ids', 'gigclaim.db.lock'];
/** The same of each file of a store that is served. */
const ofEach = (value: unknown) => Object.fromEntries(FILES.map((name) => [name, value]));

/** Opens a store as a service does, which makes all of its files. */
async function serve() {
  const store = await open();
  await store.begin();
  await store.checkWritable();
  return store;
}

test.each(['000', '022', '077', '177'])(
  'security: with umask %s only the owner can read a new database',
  async (mask) => {
    process.umask(Number.parseInt(mask, 8));
    const store = await serve();
    expect(modes(dirname(path))).toEqual(ofEach('600'));
    expect([modeOf(join(folder.path, 'a')), modeOf(join(folder.path, 'a', 'b'))]).toEqual(['700', '700']);
    await store.close();
  },
);

test('security: files of an earlier version are closed to other accounts when they are opened, and their folder stays', async () => {
  process.umask(0o022);
  mkdirSync(dirname(path), { recursive: true });
  const made = await open();
  await made.close();
  // As after a crash: a log is left, of which the next log would take the mode.
  const crashed = new SqliteDatabase(path);
  crashed.exec('create table left_behind (id)');
  for (const name of ['gigclaim.db', 'gigclaim.db-wal', 'gigclaim.db-shm', 'gigclaim.db.lock']) {
    chmodSync(join(dirname(path), name), 0o644);
  }
  const store = await serve();
  expect(modes(dirname(path))).toEqual(ofEach('600'));
  expect(modeOf(dirname(path))).toBe('755');
  crashed.close();
  await store.close();
});

test('security: the file to which a store is copied is its owner’s alone, and so is the source from then on', async () => {
  process.umask(0);
  await (await open()).close();
  chmodSync(path, 0o644);
  const to = join(folder.path, 'c', 'copy.db');
  await copyStore({ from: path, to, migrationsFolder: MIGRATIONS });
  expect(modes(dirname(to))).toEqual({ 'copy.db': '600', 'copy.db.ids': '600', 'copy.db.lock': '600' });
  expect(modeOf(dirname(to))).toBe('700');
  expect(modeOf(path)).toBe('600');
});

test('security: a file that is no database of the service keeps its mode', async () => {
  process.umask(0o022);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'a text of somebody else that is long enough to be read as the head of a database '.repeat(4));
  await expect(open()).rejects.toThrow('the file is not a SQLite database');
  expect(modeOf(path)).toBe('644');
});

test('behavior: the ids that root writes belong to the account of the database, whatever the folder', async () => {
  await (await open()).close();
  if (process.getuid?.() === 0) chownSync(path, SERVICE_USER, SERVICE_USER);
  const store = await open();
  await store.transaction((tx) => tx.reserveGigId());
  expect(statSync(`${path}.ids`).uid).toBe(statSync(path).uid);
  await store.close();
});

test('behavior: what root makes in the folder of another account belongs to that account', async () => {
  mkdirSync(dirname(path), { recursive: true });
  // Only root may give a folder away; for any other account both stay its own.
  if (process.getuid?.() === 0) chownSync(dirname(path), SERVICE_USER, SERVICE_USER);
  const { uid } = statSync(dirname(path));
  const store = await serve();
  const owners = readdirSync(dirname(path)).map((name) => [name, statSync(join(dirname(path), name)).uid]);
  expect(Object.fromEntries(owners)).toEqual(ofEach(uid));
  await store.close();
});

test('security: what other accounts can reach is named, with the mode that would be right', async () => {
  await (await open()).close();
  expect(exposedFiles({ url: path })).toEqual([]);
  copyFileSync(path, `${path}-wal`);
  chmodSync(`${path}-wal`, 0o640);
  expect(exposedFiles({ url: path })).toEqual([{ path: `${path}-wal`, mode: 0o640, wanted: 0o600 }]);
  chmodSync(`${path}-wal`, 0o600);
  chmodSync(dirname(path), 0o755);
  expect(exposedFiles({ url: path })).toEqual([]);
  chmodSync(dirname(path), 0o777);
  expect(exposedFiles({ url: path })).toEqual([{ path: dirname(path), mode: 0o777, wanted: 0o700 }]);
  // In a folder like /tmp others cannot replace a file.
  chmodSync(dirname(path), 0o1777);
  expect(exposedFiles({ url: path })).toEqual([]);
  expect(exposedFiles({ url: 'postgres://user@localhost/gigclaim' })).toEqual([]);
});

test.each(['.ids', '.ids.new', '.lock'])(
  'security: a link at <database>%s, as the account of the service could make, changes no file elsewhere for root',
  async (end) => {
    process.umask(0o022);
    mkdirSync(dirname(path), { recursive: true });
    await (await open()).close();
    const elsewhere = join(folder.path, 'elsewhere');
    const [there, absent] = [join(elsewhere, 'there'), join(elsewhere, 'absent')];
    mkdirSync(elsewhere);
    writeFileSync(there, 'of another program');
    if (process.getuid?.() === 0) chownSync(dirname(path), SERVICE_USER, SERVICE_USER);
    const before = statSync(there);
    for (const target of [there, absent]) {
      rmSync(`${path}${end}`, { force: true });
      symlinkSync(target, `${path}${end}`);
      // Whether it opens does not matter here.
      const store = await open().catch(() => null);
      await store?.transaction((tx) => tx.reserveGigId()).catch(() => null);
      await store?.close();
    }
    const after = statSync(there);
    expect(readFileSync(there, 'utf8')).toBe('of another program');
    expect([after.mode, after.uid]).toEqual([before.mode, before.uid]);
    if (existsSync(absent)) expect(statSync(absent).uid).toBe(before.uid);
  },
);
