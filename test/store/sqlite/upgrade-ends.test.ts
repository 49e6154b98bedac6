import { beforeEach, expect, test } from 'vitest';
import { storeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { SAMPLE_RULES } from '../../support/earning.ts';
import { seedAddress, seedHash } from '../../support/store.ts';
import { openEarlier, triggersOf } from './earlier.ts';

const FIXED = storeRules(SAMPLE_RULES);
const BY_HAND = storeRules({ ...SAMPLE_RULES, rule: { type: 'manual' } });

let version: ReturnType<typeof openEarlier>;
let earlier: typeof version.earlier;
beforeEach(() => {
  // Before gigs could end.
  version = openEarlier(8);
  earlier = version.earlier;
  earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${seedAddress(0xaa)}', 0, 'T', 'T', 6, '')`);
});

function addGig(id: number, gigType: string, { status = 'live', rules = null as string | null } = {}): void {
  earlier
    .prepare(
      `insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
      duration, gig_type, platform, wallet_address) values (?, 1, 'created', 0, 1, '10', '1', 1, 2, 1, ?, 'farcaster', ?)`,
    )
    .run(id, gigType, seedAddress(id));
  const keep =
    'insert into earning_rules (gig_id, rules, target_kind, target_id, target_author) values (?, ?, ?, ?, ?)';
  // Rules are terms, which a live gig keeps.
  if (rules !== null) earlier.prepare(keep).run(id, rules, 'post', '0xab', '5');
  earlier.prepare('update gigs set status = ?, production = ? where id = ?').run(status, Number(status === 'live'), id);
}

test('behavior: bounties and gigs that people decide about get two weeks for awards, watched gigs none', async () => {
  addGig(1, 'like');
  addGig(2, 'like', { rules: FIXED });
  addGig(3, 'like', { rules: BY_HAND });
  addGig(4, 'custom_bounty', { rules: FIXED });
  addGig(5, 'custom_bounty');
  addGig(6, 'follow', { status: 'created' });
  addGig(7, 'follow', { status: 'created', rules: FIXED });
  const store = await version.upgrade();
  const days = [1, 2, 3, 4, 5, 6, 7].map(async (id) => (await store.gig(id))?.awardDays);
  expect(await Promise.all(days)).toEqual([14, 0, 14, 14, 14, 14, 0]);
  const fate = { refundAddress: null, stoppedAt: null, settledAt: null, cancelledAt: null, refundTo: null };
  expect(await store.gig(1)).toMatchObject({ ...fate, refundedAt: null, endTime: 2, status: 'live' });
});

test('behavior: gigs that have not started look for events from the block on which the ledger counts', async () => {
  earlier.exec(
    `insert into chain_anchors (chain_id, number, hash, at) select chain_id, 4321, '${seedHash(1)}', 1 from tokens`,
  );
  addGig(1, 'like');
  addGig(2, 'like', { status: 'created' });
  const store = await version.upgrade();
  expect([(await store.gig(1))?.createdBlock, (await store.gig(2))?.createdBlock]).toEqual([null, 4_321n]);
});

test('behavior: payments keep their ids, numbers, tips, counts and gas, and the triggers that guard them', async () => {
  addGig(1, 'like');
  const hash = seedHash(1);
  const payment = `insert into payments (id, kind, chain_id, gig_id, claim_id, token_id, recipient, amount, state, reason,
    numbers, transaction_id, hash, block_number, gas_used, due_at, created_at, updated_at)
    values (?, ?, 31337, 1, ?, 1, '${seedAddress(9)}', ?, ?, ?, ?, ?, ?, ?, ?, 3, 4, 5)`;
  earlier.exec(`insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at)
    values ('claim', 'farcaster', '5', 'post', '${seedAddress(9)}', 1);
    insert into tank_transactions (id, chain_id, nonce, created_at) values (1, 31337, 0, 1);
    insert into tank_attempts values ('${hash}', 1, '0x02aa', '1', '1', '1', 1)`);
  const add = earlier.prepare(payment);
  add.run(2, 'payout', 1, '3', 'sent', null, '0', 1, null, null, 70);
  add.run(3, 'fee', null, '1', 'confirmed', null, String(2n ** 255n), null, hash, 9, 30);
  add.run(5, 'payout', 1, '2', 'planned', 'waits', null, null, null, null, 0);
  add.run(6, 'payout', 1, '2', 'failed', 'no', null, null, null, null, 0);
  earlier.exec(`update gigs set next_tip_number = 1 where id = 1;
    insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id, number,
    payment_id, claim_nonce, claim_started_at, user_address)
    values (1, 1, 1, '3', 'pending', 'farcaster', '5', 0, 2, 'claim', 1, '${seedAddress(9)}')`);
  const before = earlier.prepare<[], Record<string, unknown>>('select * from payments order by id').all();
  const counts = "select state, n from state_counts where subject = 'payments' and n > 0 order by state";
  const counted = earlier.prepare(counts).all();
  const guards = triggersOf(earlier);
  await (await version.upgrade()).close();
  const upgraded = version.look();
  upgraded.pragma('foreign_keys = on');
  const after = upgraded.prepare('select * from payments order by id').all();
  expect(after).toEqual(before.map((row) => ({ ...row, place: null })));
  expect(upgraded.prepare(counts).all()).toEqual(counted);
  expect(counted).toEqual(['confirmed', 'failed', 'planned', 'sent'].map((state) => ({ state, n: 1 })));
  expect(upgraded.prepare('select gas_used from gigs where id = 1').pluck().get()).toBe(100);
  expect(triggersOf(upgraded)).toEqual(expect.arrayContaining(guards));
  expect(upgraded.pragma('foreign_key_check')).toEqual([]);

  // The triggers do what they did.
  upgraded.exec("update payments set state = 'failed', reason = 'no' where id = 5");
  expect(upgraded.prepare(counts).all()).toContainEqual({ state: 'failed', n: 2 });
  upgraded.exec('update payments set gas_used = 80 where id = 2');
  expect(upgraded.prepare('select gas_used from gigs where id = 1').pluck().get()).toBe(110);
  expect(() => upgraded.exec('delete from payments where id = 3')).toThrow('a payment that is made cannot be deleted');
  expect(() => upgraded.exec('update tips set payment_id = null, number = 4')).toThrow(
    'a tip of a payment that is sent stays as it is',
  );
  upgraded.exec('delete from payments where id = 6');
  expect(upgraded.prepare(counts).all()).toContainEqual({ state: 'failed', n: 1 });
  expect(() => upgraded.exec("update gigs set reward_amount = '9'")).toThrow('a live gig cannot be changed');
});

test('behavior: gigs keep their ids, and ids go on after a skip, because an older version kept no file of them', async () => {
  addGig(41, 'like', { status: 'created' });
  earlier.exec('delete from gigs where id = 41');
  addGig(7, 'like');
  const store = await version.upgrade();
  expect(await store.gig(7)).toMatchObject({ id: 7, rewardAmount: 10n, status: 'live' });
  expect(await store.transaction((tx) => tx.reserveGigId())).toBe(2_001);
});

test('behavior: a draw that was fixed keeps its root of version 1 and is drawn by it, one that is closed gets the new form', async () => {
  addGig(1, 'like');
  addGig(2, 'like');
  const hex = 'ab'.repeat(32);
  earlier.exec(`insert into draws (gig_id, secret, commitment, state) values (1, '${hex}', '${hex}', 'open'), (2, '${hex}', '${hex}', 'open');
    update draws set state = 'closed', closed_at = 5;
    update draws set state = 'fixed', entrants = 0, root = '${hex}', fixed_at = 10, not_before = 60010 where gig_id = 1`);
  const store = await version.upgrade();
  const fixed = { entrants: 0, root: hex, rootVersion: 1, fixedAt: 10, notBefore: 60_010 };
  expect(await store.draw(1)).toMatchObject({ state: 'fixed', fixed });
  const block = { number: 7n, hash: `0x${hex}`, at: 60_011 } as const;
  await store.transaction(async (tx) => {
    await tx.divideRound(1, { number: 1, pool: 10n, total: 1n, members: 0, reserved: 0n, now: 60_020 });
    expect(await tx.storeDrawn(1, { block, seed: hex, drawnAt: 60_020, winners: [] })).toBe(true);
  });
  expect(await store.draw(1)).toMatchObject({ state: 'drawn', fixed });
  await store.transaction((tx) => tx.fixDraw(2, { ...fixed, rootVersion: 2 }));
  expect(await store.draw(2)).toMatchObject({ state: 'fixed', fixed: { rootVersion: 2 } });
});
