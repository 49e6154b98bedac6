import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { firstMigrations, MIGRATIONS, seedAddress, seedGig, temporaryFolder } from '../../support/store.ts';

const MOST = 2n ** 256n - 1n;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;

function withDatabase(use: (connection: Database) => void): void {
  const connection = new SqliteDatabase(path);
  try {
    use(connection);
  } finally {
    connection.close();
  }
}

/** Live gigs 1 to `count`, as the earlier version stored them. */
function addGigs(connection: Database, count: number): void {
  const gig = connection.prepare(
    `insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
      gig_type, platform, wallet_address) values (1, 'live', 1, 1, '1', '1', 1, 2, 1, 'mention', 'farcaster', ?)`,
  );
  for (let i = 1; i <= count; i++) gig.run(seedAddress(i));
}

/** Makes a database of the earlier version whose gig `i + 1` has the tips `gigs[i]`. */
function makeEarlier(gigs: readonly (readonly (bigint | string)[])[]): void {
  withDatabase((connection) => {
    // Before gigs counted what they award.
    migrate(connection, { folder: firstMigrations(folder.path, 2), path });
    connection.exec(`insert into tokens values (1, 1, '${seedAddress(0xa)}', 8453, 18, 'Degen', 'DEGEN', '', 0, null);
      insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1)`);
    addGigs(connection, gigs.length);
    const tip = connection.prepare(
      `insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id)
        values (1, ?, 1, ?, ?, 'farcaster', '7')`,
    );
    connection.transaction(() => {
      for (const [i, amounts] of gigs.entries()) {
        for (const [n, amount] of amounts.entries()) tip.run(i + 1, String(amount), n % 2 ? 'pending' : 'claimed');
      }
    })();
  });
}

async function awardedAfterwards(count: number): Promise<(bigint | undefined)[]> {
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  const found = [];
  for (let id = 1; id <= count; id++) found.push((await store.gig(id))?.awardedAmount);
  await store.close();
  return found;
}

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'gigclaim.db');
});

afterEach(() => folder.remove());

describe('a database from before gigs counted their awards', () => {
  test('behavior: counts all tips of each gig, pending and claimed, to the base unit', async () => {
    makeEarlier([
      [],
      [7n],
      [1n, 2n, 3n],
      [100_000_000_000_000_000_000n, 1n],
      // A carry through every column of digits, into a new one.
      [999_999_999_999_999_999_999_999_999n, 1n],
      [999_999_999n, 999_999_999n],
      [1_000_000_000n, 1_000_000_000_000_000_000n],
      [0n, 0n],
      ['0005', '000000000000000005'],
    ]);
    expect(await awardedAfterwards(9)).toEqual([
      0n,
      7n,
      6n,
      100_000_000_000_000_000_001n,
      1_000_000_000_000_000_000_000_000_000n,
      1_999_999_998n,
      1_000_000_001_000_000_000n,
      0n,
      10n,
    ]);
  });

  test('behavior: counts amounts as large as a token can have, many of them', async () => {
    makeEarlier([Array.from({ length: 1_500 }, () => MOST), [MOST], [MOST, 1n]]);
    expect(await awardedAfterwards(3)).toEqual([
      173688133855974293135356477513031861779904976998460846059186376011869694459902500n,
      115792089237316195423570985008687907853269984665640564039457584007913129639935n,
      115792089237316195423570985008687907853269984665640564039457584007913129639936n,
    ]);
  });

  test('behavior: counts a sum of amounts of every length like a sum of integers', async () => {
    // Every digit and every length of up to 80 digits, in an order that repeats nothing.
    const amounts = Array.from({ length: 400 }, (_, i) =>
      BigInt(`${(i % 9) + 1}${'9081726354'.repeat(8)}`.slice(0, (i % 80) + 1)),
    );
    makeEarlier([amounts, amounts.toReversed(), amounts.slice(0, 1)]);
    const sum = amounts.reduce((total, amount) => total + amount, 0n);
    expect(await awardedAfterwards(3)).toEqual([sum, sum, 1n]);
  });

  test('security: keeps its live gigs guarded, and the ids that were given out', async () => {
    makeEarlier([[5n], [5n]]);
    withDatabase((connection) => {
      connection.exec(`update sqlite_sequence set seq = 41 where name = 'gigs'`);
    });
    expect(await awardedAfterwards(2)).toEqual([5n, 5n]);
    withDatabase((connection) => {
      expect(() => connection.exec('update gigs set fee_amount = 2')).toThrow('a live gig cannot be changed');
      expect(() => connection.exec('delete from gigs')).toThrow('a live gig cannot be deleted');
      expect(() => connection.exec('insert or replace into gigs select * from gigs')).toThrow(
        'a live gig cannot be replaced',
      );
    });
    const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
    expect((await seedGig(store)).id).toBe(42);
    await store.close();
  });
});
