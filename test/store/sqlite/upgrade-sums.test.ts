import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { MIGRATIONS, seedAddress, temporaryFolder } from '../../support/store.ts';

/** How many migrations there were before the amounts of void tips were summed. */
const BEFORE = 23;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let earlier: Database.Database;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'upgrade.db');
  const migrations = join(folder.path, 'drizzle');
  cpSync(MIGRATIONS, migrations, { recursive: true });
  const journal = join(migrations, 'meta/_journal.json');
  const listed = JSON.parse(readFileSync(journal, 'utf8')) as { entries: unknown[] };
  writeFileSync(journal, JSON.stringify({ ...listed, entries: listed.entries.slice(0, BEFORE) }));
  earlier = new Database(path);
  migrate(earlier, { folder: migrations, path });
  earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${seedAddress(0xaa)}', 0, 'T', 'T', 6, '')`);
});
afterEach(() => folder.remove());

function addGig(id: number, tips: readonly { amount: bigint; isVoid: boolean }[]): void {
  earlier
    .prepare(
      `insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
        gig_type, platform, wallet_address, next_tip_number) values (?, 1, 'live', 1, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', ?, ?)`,
    )
    .run(id, seedAddress(id), tips.length);
  const tip = earlier.prepare(
    `insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id, is_void, voided_at,
      void_reason) values (1, ?, ?, 1, ?, 'pending', 'farcaster', '5', ?, ?, ?)`,
  );
  for (const [number, { amount, isVoid }] of tips.entries()) {
    tip.run(id, number, String(amount), Number(isVoid), isVoid ? 2 : null, isVoid ? 'why' : null);
  }
}

test('behavior: the void tips of each gig are summed, to the unit, whatever their amounts', async () => {
  const amounts = [0n, 1n, 999_999_999n, 10n ** 9n, 10n ** 27n - 1n, 2n ** 256n - 1n, 2n ** 256n - 1n, 10n ** 76n];
  addGig(
    1,
    amounts.map((amount) => ({ amount, isVoid: true })),
  );
  addGig(2, [
    { amount: 7n, isVoid: false },
    { amount: 10n ** 18n, isVoid: true },
  ]);
  addGig(3, [{ amount: 7n, isVoid: false }]);
  addGig(4, [{ amount: 0n, isVoid: true }]);
  earlier.close();
  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  const sums = await Promise.all([1, 2, 3, 4].map((id) => store.gigSums(id)));
  await store.close();
  expect(sums.map((sum) => sum?.voided)).toEqual([
    amounts.reduce((sum, amount) => sum + amount, 0n),
    10n ** 18n,
    0n,
    0n,
  ]);
});
