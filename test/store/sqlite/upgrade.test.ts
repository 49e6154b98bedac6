import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { firstMigrations } from '../../support/migrations.ts';
import { confirmOne, MIGRATIONS, sampleAttempt, sampleClaim, seedClaim, seedSent } from '../../support/store.ts';
import { openEarlier, triggersOf } from './earlier.ts';

const GIG = `insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
  duration, gig_type, platform, wallet_address) values (1, 'live', 1, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', ?)`;
const TIP = `insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id)
  values (1, ?, 1, ?, 'pending', 'farcaster', '5')`;

/** A database of version 0.2.0 with an account and a token. */
function openVersion2() {
  const version = openEarlier(1);
  version.earlier.exec(`insert into platforms (id) values ('farcaster');
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '0x${'1'.repeat(40)}', 0, 'T', 'T', 6, '')`);
  return version;
}

test('behavior: the tips of a database of version 0.2.0 get numbers in the order in which they were awarded', async () => {
  const { earlier, upgrade } = openVersion2();
  for (const digit of ['a', 'b', 'c']) earlier.prepare(GIG).run(`0x${digit.repeat(40)}`);
  for (const [index, gig] of [1, 2, 1, 1].entries()) earlier.prepare(TIP).run(gig, String(9 - index));
  const store = await upgrade();
  const { tips } = await store.pendingTips([{ platform: 'farcaster', platformUserId: '5' }]);
  const numbered = tips.map(({ gigId, amount, number }) => `${amount} of ${gigId}: ${number}`);
  expect(numbered).toEqual(['9 of 1: 0', '8 of 2: 0', '7 of 1: 1', '6 of 1: 2']);
  const tip = { platform: 'farcaster', platformUserId: '5', tokenId: 1, amount: 1n, userAddress: null } as const;
  const more = [1, 2, 3].map((gigId) => ({ ...tip, gigId }));
  const added = await store.transaction((tx) => tx.insertTips(more, 2));
  expect(added.map(({ number }) => number)).toEqual([3, 1, 0]);
});

const WALLETS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}` as const);
const TO = `0x${'d'.repeat(40)}` as const;
const HASH = `0x${'e'.repeat(64)}` as const;
const CLAIM = `insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at)
  values (?, 'farcaster', '5', ?, '${TO}', 1)`;
const TRANSFER = `insert into transfers (id, kind, chain_id, sender, gig_id, claim_id, token_id, recipient, amount, state,
  nonce, reason, hash, block_number, gas_spent, created_at, updated_at)
  values (?, ?, 31337, ?, ?, ?, 1, '${TO}', ?, ?, ?, ?, ?, ?, ?, 10, 20)`;

interface Row {
  readonly id: number;
  readonly kind?: 'payout' | 'fee' | 'gas';
  readonly gig: number;
  readonly claim?: number | null;
  readonly amount: string;
  readonly state: string;
  readonly nonce?: number | null;
  readonly reason?: string | null;
  readonly block?: number | null;
}

/** Three gigs, a claim, and these transfers of them. */
function insertTransfers(earlier: Database, rows: readonly Row[]): void {
  for (const wallet of WALLETS) earlier.prepare(GIG).run(wallet);
  earlier.prepare(CLAIM).run('claim', 'post');
  for (const {
    id,
    kind = 'payout',
    gig,
    claim = 1,
    amount,
    state,
    nonce = null,
    reason = null,
    block = null,
  } of rows) {
    const landed = block === null ? [null, null, null] : [HASH, String(block), '21'];
    const sender = kind === 'gas' ? TO : WALLETS[gig - 1];
    const ofClaim = kind === 'payout' ? claim : null;
    earlier.prepare(TRANSFER).run(id, kind, sender, gig, ofClaim, amount, state, nonce, reason, ...landed);
  }
}

test('behavior: what version 0.2.0 has paid is marked first, and what it planned goes on under the same ids', async () => {
  const { earlier, upgrade, look } = openVersion2();
  insertTransfers(earlier, [
    { id: 1, kind: 'gas', gig: 1, amount: '9', state: 'confirmed', nonce: 0, block: 4 },
    { id: 2, gig: 1, amount: '3', state: 'confirmed', nonce: 0, block: 5 },
    { id: 3, kind: 'fee', gig: 1, amount: '1', state: 'confirmed', nonce: 1, block: 6 },
    { id: 4, gig: 2, amount: '1', state: 'failed', nonce: 0, reason: 'nothing moved', block: 7 },
    { id: 5, gig: 2, amount: '2', state: 'replaced', nonce: 1, reason: 'stolen' },
    { id: 6, gig: 2, amount: '2', state: 'planned', reason: 'waits for gas' },
    { id: 7, kind: 'fee', gig: 3, amount: '1', state: 'planned' },
    { id: 8, kind: 'gas', gig: 3, amount: '9', state: 'planned' },
  ]);
  const paid = `update tips set status = 'claimed', tx_hash = '${HASH}', claimed_at = 20, transfer_id = 2 where id = 1`;
  const award = earlier.prepare(TIP);
  award.run(1, '3');
  award.run(2, '1');
  award.run(2, '2');
  award.run(1, '4');
  earlier.exec(`${paid};
    update tips set transfer_id = 4 where id = 2;
    update tips set transfer_id = 6, claim_nonce = 'claim', claim_started_at = 10, user_address = '${TO}' where id = 3;
    insert into gas_tank_nonces values (31337, 3, 1);
    insert into acknowledged_activity (gig_id, nonce, acknowledged_at) values (1, 7, 1)`);
  const guards = triggersOf(earlier).filter((name) => !name.startsWith('transfers_'));
  const store = await upgrade();
  const payments = (await store.payments({ limit: 9 })).toReversed();
  expect(
    payments.map(({ id, kind, gigId, state, amount, reason, hash, blockNumber }) => [
      ...[id, kind, gigId, state, amount],
      ...[reason, hash, blockNumber],
    ]),
  ).toEqual([
    [2, 'payout', 1, 'confirmed', 3n, null, HASH, 5n],
    [3, 'fee', 1, 'confirmed', 1n, null, HASH, 6n],
    [4, 'payout', 2, 'failed', 1n, 'nothing moved', null, null],
    [5, 'payout', 2, 'failed', 2n, 'stolen', null, null],
    [6, 'payout', 2, 'planned', 2n, null, null, null],
    [7, 'fee', 3, 'planned', 1n, null, null, null],
    [8, 'mark', 1, 'planned', 0n, null, null, null],
  ]);
  expect(await store.paymentDepths()).toEqual({ planned: 3, sent: 0, confirmed: 2, failed: 2 });
  const tips = async (id: number) => (await store.tipsOfPayment(id)).map((tip) => tip.id);
  expect([await tips(2), await tips(4), await tips(6)]).toEqual([[1], [2], [3]]);
  const account = { platform: 'farcaster', platformUserId: '5' } as const;
  expect((await store.payoutsTo(account, { limit: 9 })).map(({ id }) => id)).toEqual([2]);
  expect(await store.claimOfTip(3)).toMatchObject({ id: 1 });

  // The mark names the tip and the fee that were paid, at the gig's own wallet, and the gig pays nothing before it.
  expect(await store.payment(8)).toMatchObject({
    numbers: [0n, 2n ** 255n],
    recipient: WALLETS[0],
    wallet: WALLETS[0],
  });
  const candidates = await store.paymentCandidates(31337, { now: 30, limit: 9 });
  expect(candidates.map(({ id, numbers }) => [id, numbers])).toEqual([
    [6, [1n]],
    [7, [2n ** 255n]],
    [8, [0n, 2n ** 255n]],
  ]);
  const listed = async () => (await store.paymentCandidates(31337, { now: 30, limit: 9 })).map(({ id }) => id);
  // A tip that was awarded before is claimed now.
  const { payouts } = await seedClaim(store, sampleClaim(account, 'later', { recipient: TO }), 25);
  expect(payouts).toMatchObject([
    { id: 9, gigId: 2 },
    { id: 10, gigId: 1, amount: 4n },
  ]);
  expect(await listed()).toEqual([6, 7, 8, 9]);
  await seedSent(store, [8], { nonce: 0, attempt: sampleAttempt(1) });
  expect(await listed()).toEqual([6, 7, 9]);
  const marked = { recipient: WALLETS[0] ?? TO, numbers: [0n, 2n ** 255n], hash: HASH, blockNumber: 9n, gasUsed: 1n };
  expect(await store.transaction((tx) => confirmOne(tx, 8, { ...marked, now: 40 }))).toBe(true);
  expect(await store.markedNumbers(1)).toEqual([0n, 2n ** 255n]);
  expect(await listed()).toEqual([6, 7, 9, 10]);
  const sent = { recipient: TO, numbers: [1n], hash: HASH, blockNumber: 9n, gasUsed: 1n, now: 41 };
  expect(await store.transaction((tx) => confirmOne(tx, 6, sent))).toBe(true);
  expect(await store.tip(3)).toMatchObject({ status: 'claimed', txHash: HASH, userAddress: TO });
  expect(triggersOf(look())).toEqual(expect.arrayContaining(guards));
});

test.each(['signed', 'broadcast'])('error: a %s transfer of version 0.2.0 has to be finished by it', async (state) => {
  const { earlier, path, upgrade, look } = openVersion2();
  insertTransfers(earlier, [{ id: 1, gig: 1, amount: '3', state, nonce: 0 }]);
  const sentence = `database ${path}: it has payments of version 0.2.0 that are under way; start that version again, and let it finish them`;
  await expect(upgrade()).rejects.toThrow(sentence);
  expect(look().prepare('select state from transfers').pluck().all()).toEqual([state]);
});

test('behavior: replies of an earlier version stay as they are, and their counts are kept', async () => {
  const { earlier, upgrade } = openVersion2();
  earlier.exec(`insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, text, posted_at, received_at,
      source, state, attempts, due_at) values (1, 'farcaster', 'p', 'r', 't', '5', 'x', 1, 1, 'webhook', 'answered', 1, 1);
    insert into replies (id, mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, post_id,
      sent_at, due_at, worth, follow_up) values (3, 1, 'farcaster', '5', 't', 'answer', 'hi', 7, 'sent', 2, '0xab', 8, 7, 1, 0);
    insert into replies (id, mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at,
      worth, follow_up, held_for) values (9, 1, 'farcaster', '5', 't', 'answer', 'and', 9, 'queued', 0, 9, 1, 1, 'thread')`);

  const store = await upgrade();
  const shared = { mentionId: 1, kind: 'answer', notice: null, worth: 1, platform: 'farcaster' };
  expect(await store.repliesTo(1)).toMatchObject([
    { ...shared, id: 3, text: 'hi', state: 'sent', postId: '0xab', sentAt: 8, attempts: 2, followUp: false },
    { ...shared, id: 9, text: 'and', state: 'queued', postId: null, heldFor: 'thread', followUp: true },
  ]);
  const counts = async () => (await store.queueDepths()).replies;
  expect(await counts()).toMatchObject({ queued: 1, sent: 1, failed: 0 });
  await store.transaction((tx) => tx.giveUpReplies('farcaster', { worth: 1, dueBefore: 10, error: 'late' }));
  expect(await counts()).toMatchObject({ queued: 0, sent: 1, failed: 1 });
});

test('behavior: rows keep the order in which they were added, and signed bytes stay guarded', async () => {
  const { earlier, upgrade, look } = openEarlier(12);
  earlier.exec(`insert into platforms (id) values ('farcaster');
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '0x${'1'.repeat(40)}', 0, 'T', 'T', 6, '');
    insert into tank_transactions (id, chain_id, nonce, created_at) values (1, 31337, 0, 1);
    insert into alerts (id, kind, subject, text, remedy, begun_at) values (1, 'k', 's', 't', 'r', 1)`);
  earlier.prepare(GIG).run(`0x${'2'.repeat(40)}`);
  const account = earlier.prepare('insert into accounts (platform, platform_user_id, created_at) values (?, ?, 1)');
  const owner = earlier.prepare("insert into gig_owners values (1, 'farcaster', ?, 1, null)");
  const attempt = earlier.prepare("insert into tank_attempts values (?, 1, '0x02', '1', '1', '1', 1)");
  const delivery =
    earlier.prepare(`insert into alert_deliveries (id, alert_id, news, receiver, state, next_at, queued_at)
    values (?, 1, 'begun', ?, 'queued', 1, 1)`);
  const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
  for (const id of ['9', '3', '5', '1']) {
    account.run('farcaster', id);
    owner.run(id);
    attempt.run(hash(id));
    delivery.run(id, id);
  }
  earlier.exec("delete from gig_owners where platform_user_id = '3'");

  const store = await upgrade();
  expect((await store.gigOwners(1)).map((each) => each.platformUserId)).toEqual(['9', '5', '1']);
  const hashes = (await store.tankTransaction(1))?.attempts.map((each) => each.hash);
  expect(hashes).toEqual([hash('9'), hash('3'), hash('5'), hash('1')]);
  expect((await store.deliveriesOf(1)).map(({ id }) => id)).toEqual(['9', '3', '5', '1']);
  await store.transaction((tx) => tx.addGigOwner(1, { platform: 'farcaster', platformUserId: '3' }, 1));
  expect((await store.gigOwners(1)).at(-1)).toMatchObject({ platformUserId: '3' });
  expect(() => look().exec('update tank_attempts set signed_at = 2')).toThrow('signed bytes cannot be changed');
});

/** What a migration must keep of a database: all but the text of tables. */
function keptOf(connection: Database) {
  const rows = (table: string) => connection.prepare(`select * from ${table}`).all();
  return {
    made: connection
      .prepare(
        "select type, name, tbl_name, rootpage, iif(type = 'table', null, sql) from sqlite_schema where sql is not null",
      )
      .all()
      .filter((row) => !/gig_types|gig_events|payment_kinds/.test(JSON.stringify(row))),
    gigs: rows('gigs'),
    payments: rows('payments'),
    ids: rows('sqlite_sequence'),
  };
}

/** A database in which gig types, gig events and payment kinds are still named in constraints. */
function openWithNamedValues() {
  const { earlier: connection, path } = openEarlier(20);
  connection.exec(`insert into platforms (id) values ('farcaster');
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '0x${'1'.repeat(40)}', 0, 'T', 'T', 6, '');
    insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type,
      platform, wallet_address) values (1, 'live', 1, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', '0x${'a'.repeat(40)}');
    insert into payments (kind, chain_id, gig_id, token_id, recipient, amount, state, due_at, created_at, updated_at)
    values ('fee', 31337, 1, 1, '0x${'b'.repeat(40)}', '1', 'planned', 1, 1, 1);
    update sqlite_sequence set seq = 70 where name = 'gigs'`);
  return { connection, path };
}

test('security: values that constraints named become rows, and nothing else of their tables changes', async () => {
  const { connection, path } = openWithNamedValues();
  const before = keptOf(connection);
  expect(before.made.length).toBeGreaterThan(100);
  migrate(connection, { folder: firstMigrations(MIGRATIONS, 21), path });
  expect(keptOf(connection)).toEqual(before);
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(() => connection.exec("update sqlite_schema set sql = '' where name = 'gigs'")).toThrow('may not be modified');
  const add = (type: string, digit: string) =>
    connection.exec(`insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
      gig_type, platform, wallet_address) values (1, 'created', 0, 1, '10', '1', 1, 2, 1, '${type}', 'farcaster', '0x${digit.repeat(40)}')`);
  expect(() => add('quest', 'c')).toThrow('FOREIGN KEY constraint failed');
  // What opening a store of a version with one more type does.
  connection.exec("insert into gig_types (id) values ('quest')");
  add('quest', 'c');
  add('like', 'd');
  expect(connection.prepare('select id, gig_type from gigs where id > 1').all()).toEqual([
    { id: 71, gig_type: 'quest' },
    { id: 72, gig_type: 'like' },
  ]);
  // The triggers of a live gig are there.
  expect(() => connection.exec("update gigs set reward_amount = '99' where id = 1")).toThrow(
    'a live gig cannot be changed',
  );
  connection.close();
  await (await openStore({ url: path, migrationsFolder: MIGRATIONS })).close();
});

test('error: a database whose constraints have another text stays as it is', () => {
  const { connection, path } = openWithNamedValues();
  connection.unsafeMode(true);
  connection.exec(`pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '"payments_kind" CHECK(kind in (', '"payments_kind" CHECK(kind  in (') where name = 'payments';
    pragma writable_schema = reset`);
  connection.unsafeMode(false);
  const before = keptOf(connection);
  expect(() => migrate(connection, { folder: MIGRATIONS, path })).toThrow('CHECK constraint failed');
  expect(keptOf(connection)).toEqual(before);
  expect(connection.prepare("select 1 from sqlite_schema where name = 'gig_types'").get()).toBeUndefined();
  connection.close();
});
