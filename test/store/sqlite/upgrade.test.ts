import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { seedMark, seedPayments } from '../../support/payments.ts';
import { MIGRATIONS, SEEDED_AT, sampleClaim, temporaryFolder } from '../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'upgrade.db');
});
afterEach(() => folder.remove());

/** Opens a database with the first migrations only, as an earlier version left it. */
function openEarlier(migrations: number): Database.Database {
  const earlier = join(folder.path, 'drizzle');
  cpSync(MIGRATIONS, earlier, { recursive: true });
  const journal = join(earlier, 'meta/_journal.json');
  const listed = JSON.parse(readFileSync(journal, 'utf8')) as { entries: unknown[] };
  writeFileSync(journal, JSON.stringify({ ...listed, entries: listed.entries.slice(0, migrations) }));
  const connection = new Database(path);
  migrate(connection, { folder: earlier, path });
  return connection;
}

const GIG = `insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
  duration, gig_type, platform, wallet_address) values (1, 'live', 1, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', ?)`;
const TIP = `insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id)
  values (1, ?, 1, ?, 'pending', 'farcaster', '5')`;

test('behavior: the tips of a database of version 0.2.0 get numbers in the order in which they were awarded', async () => {
  const earlier = openEarlier(1);
  earlier.exec(`insert into platforms (id) values ('farcaster');
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '0x${'1'.repeat(40)}', 0, 'T', 'T', 6, '')`);
  for (const digit of ['a', 'b', 'c']) earlier.prepare(GIG).run(`0x${digit.repeat(40)}`);
  for (const [gig, amount] of [
    [1, '3'],
    [2, '1'],
    [1, '2'],
    [1, '1'],
  ] as const)
    earlier.prepare(TIP).run(gig, amount);
  earlier.close();

  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  const { tips } = await store.pendingTips([{ platform: 'farcaster', platformUserId: '5' }]);
  const numbered = tips.map(({ gigId, amount, number }) => [gigId, amount, number]);
  expect(numbered).toEqual([
    [1, 3n, 0],
    [2, 1n, 0],
    [1, 2n, 1],
    [1, 1n, 2],
  ]);
  const tip = { platform: 'farcaster', platformUserId: '5', tokenId: 1, amount: 1n, userAddress: null } as const;
  const added = await store.transaction((tx) =>
    tx.insertTips(
      [
        { ...tip, gigId: 1 },
        { ...tip, gigId: 2 },
        { ...tip, gigId: 3 },
      ],
      2,
    ),
  );
  expect(added.map(({ number }) => number)).toEqual([3, 1, 0]);
  await store.close();
});

test('behavior: a database without payments keeps its transfers, its guards and its sums, and can plan payments', async () => {
  const account = { platform: 'farcaster', platformUserId: '5' } as const;
  const address = `0x${'1'.repeat(40)}`;
  const earlier = openEarlier(2);
  earlier.exec(`insert into platforms (id) values ('farcaster');
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${address}', 0, 'T', 'T', 6, '')`);
  earlier.prepare(GIG).run(`0x${'a'.repeat(40)}`);
  earlier.exec(`update gigs set next_tip_number = 3;
    insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at)
    values ('c', 'farcaster', '5', 'p', '${address}', 1);
    insert into transfers (kind, chain_id, sender, gig_id, claim_id, token_id, recipient, amount, state, nonce, hash,
      block_number, gas_spent, created_at, updated_at)
    values ('payout', 31337, '0x${'a'.repeat(40)}', 1, 1, 1, '${address}', '3', 'confirmed', 0, '0x${'b'.repeat(64)}', '7', '1', 1, 1);
    insert into gig_payouts values (1, 0, 1, 1, '3');
    insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id, tx_hash, claimed_at,
      transfer_id) values (1, 1, 0, 1, '3', 'claimed', 'farcaster', '5', '0xb', 1, 1);
    insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id)
    values (1, 1, 2, 1, '4', 'pending', 'farcaster', '5')`);
  const triggers = (db: Database.Database) =>
    db.prepare<[], string>("select name from sqlite_schema where type = 'trigger'").pluck().all();
  const guards = triggers(earlier);
  earlier.close();

  const store = await openStore({ url: path, migrationsFolder: MIGRATIONS });
  expect(await store.transfer(1)).toMatchObject({ state: 'confirmed', amount: 3n });
  expect((await store.tipsOfTransfer(1)).map(({ id }) => id)).toEqual([1]);
  expect(await store.amountPaidByGig(1)).toBe(3n);
  expect(await store.gasOfGig(1)).toEqual({ gasUsed: 0n, tips: 2 });
  const gig = await store.gig(1);
  if (gig === null) throw new Error('not kept');
  const mark = await seedMark(store, gig);
  const { payments } = await seedPayments(store, sampleClaim(account, 'q'));
  expect(payments).toMatchObject([{ amount: 4n, state: 'planned' }]);
  const [first] = await store.paymentCandidates(31337, { now: SEEDED_AT, limit: 1 });
  expect(first).toMatchObject({ id: mark.id, numbers: [0n], isAllowed: false });
  await store.close();
  const upgraded = new Database(path);
  expect(triggers(upgraded)).toEqual(expect.arrayContaining(guards));
  upgraded.close();
});
