import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { firstMigrations, MIGRATIONS, seedAddress, temporaryFolder } from '../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
});

afterEach(() => folder.remove());

/** A database from before keys had scopes, filled by `fill`. */
function makeEarlier(fill: (connection: Database) => void): void {
  const connection = new SqliteDatabase(path);
  migrate(connection, { folder: firstMigrations(folder.path, 10), path });
  fill(connection);
  connection.close();
}

test('behavior: keys made before keep everything, each for a client of its own, with what came under its idempotency keys', async () => {
  makeEarlier((connection) => {
    const key = connection.prepare('insert into api_keys (id, name, hash, created_at) values (?, ?, ?, 1)');
    key.run(1, 'shop', 'a'.repeat(64));
    key.run(2, 'test', 'b'.repeat(64));
    key.run(3, 'test', 'c'.repeat(64));
    const kept = connection.prepare("insert into idempotency_keys values (?, 'k', 'f', ?, 1)");
    for (const id of [1, 2, 3]) kept.run(`${id} POST /api/gigs/create`, `answer ${id}`);
    connection.exec(`insert into sessions values ('${'d'.repeat(64)}', 1, 1, 9)`);
  });
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  expect(await store.apiKeys()).toMatchObject([
    { id: 1, name: 'shop', scopes: null, client: 'shop' },
    { id: 2, name: 'test', scopes: null, client: 'test (key 2)' },
    { id: 3, name: 'test', scopes: null, client: 'test (key 3)' },
  ]);
  const answer = async (client: string) =>
    (await store.findIdempotentResponse(`client:${client} POST /api/gigs/create`, 'k'))?.body;
  expect(await answer('shop')).toBe('answer 1');
  expect(await answer('test (key 2)')).toBe('answer 2');
  expect(await answer('test (key 3)')).toBe('answer 3');
  expect(await store.sessionByHash('d'.repeat(64))).toMatchObject({ apiKeyId: 1, loginLinkId: null, expiresAt: 9 });
  await store.close();
});

test('security: keys made before stay apart, also where one has the name that another one would get', async () => {
  const names = ['shop', 'shop', 'solo', 'shop (key 2)', 'shop (key 2) (key 4)'];
  makeEarlier((connection) => {
    const key = connection.prepare('insert into api_keys (id, name, hash, created_at) values (?, ?, ?, 1)');
    const kept = connection.prepare("insert into idempotency_keys values (?, 'k', 'f', ?, 1)");
    for (const [index, name] of names.entries()) {
      key.run(index + 1, name, `${index}`.repeat(64));
      kept.run(`${index + 1} POST /api/gigs/create`, `answer ${index + 1}`);
    }
  });
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  const clients = (await store.apiKeys()).map(({ id, name, client }) => [id, name, client]);
  expect(clients).toEqual([
    [1, 'shop', 'shop (key 1)'],
    [2, 'shop', 'shop (key 2)'],
    [3, 'solo', 'solo'],
    [4, 'shop (key 2)', 'shop (key 2) (key 4)'],
    [5, 'shop (key 2) (key 4)', 'shop (key 2) (key 4) (key 5)'],
  ]);
  for (const [id, , client] of clients) {
    const answer = await store.findIdempotentResponse(`client:${client} POST /api/gigs/create`, 'k');
    expect(answer?.body).toBe(`answer ${id}`);
  }
  await store.close();
});

test('behavior: gigs and tips from before have no client and no key, and their triggers still stand', async () => {
  makeEarlier((connection) => {
    connection.exec(`insert into tokens values (1, 1, '${seedAddress(0xa)}', 8453, 18, 'Degen', 'DEGEN', '', 0, null);
      insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1);
      insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
        gig_type, platform, wallet_address) values (1, 'live', 1, 1, '9', '1', 1, 2, 1, 'mention', 'farcaster', '${seedAddress(1)}');
      insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id)
        values (1, 1, 1, '5', 'pending', 'farcaster', '7')`);
  });
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  expect(await store.gig(1)).toMatchObject({ client: null, createdBy: null });
  expect(await store.tip(1)).toMatchObject({ awardedBy: null, voidedAt: null, voidReason: null, status: 'pending' });
  const { tips } = await store.pendingTips([{ platform: 'farcaster', platformUserId: '7' }]);
  expect(tips.map(({ id }) => id)).toEqual([1]);
  await store.close();
  const connection = new SqliteDatabase(path);
  expect(() => connection.exec("update gigs set reward_amount = '8'")).toThrow('a live gig cannot be changed');
  connection.close();
});
