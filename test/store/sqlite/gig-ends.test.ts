import { describe, expect, test } from 'vitest';
import { sampleAct, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { SEEDED_AT, seedAddress, seedGig, seedTips } from '../../support/store.ts';
import { useRawStore } from './raw.ts';

const END = SEEDED_AT + 86_400_000;
const ALICE = { platform: 'farcaster', platformUserId: '1' } as const;

/** 1 is live with a tip and settled, 2 is live, 3 is cancelled. */
const { store, exec, run } = useRawStore(async (store) => {
  const settled = await seedGig(store, { live: true });
  await seedGig(store, { live: true });
  const cancelled = await seedGig(store);
  await seedTips(store, settled, [ALICE]);
  await store.transaction(async (tx) => {
    await tx.settleGig(settled.id, END);
    await tx.lockGig(cancelled.id, { holder: 'end', now: 1, until: 2 });
    await tx.cancelGig(cancelled.id, { holder: 'end', now: 1 });
  });
});

const PAYMENT = (gig: number, kind: string, place: string, state = "'planned'") =>
  `insert into payments (kind, chain_id, gig_id, token_id, recipient, amount, place, state, reason, due_at, created_at, updated_at)
  values ('${kind}', 8453, ${gig}, 1, '${seedAddress(9)}', '5', ${place}, ${state}, 'why', 1, 1, 1)`;

describe('a settled gig, in raw SQL', () => {
  test('security: takes no tip and stays settled', () => {
    const tip = `insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id, number)
      values (1, 1, 1, '5', 'pending', 'farcaster', '1', 900)`;
    expect(run(tip)).toThrow('a settled gig awards nothing');
    expect(run('update gigs set settled_at = null where id = 1')).toThrow('a settled gig stays settled');
    expect(run(`update gigs set settled_at = ${END + 1} where id = 1`)).toThrow('a settled gig stays settled');
    expect(run(`update gigs set stopped_at = 1 where id = 1`)).toThrow('a settled gig is not stopped');
  });

  test('security: its tips are still paid and voided', async () => {
    expect(run("update tips set is_void = 1, voided_at = 1, void_reason = 'why' where gig_id = 1")).not.toThrow();
  });

  test('security: cannot be settled while accounts are held, nor can one be held or eligible afterwards', async () => {
    const watched = await seedWatchedGig(store);
    await seedActs(store, watched, [sampleAct(1)]);
    const settle = `update gigs set settled_at = ${END} where id = ${watched.id}`;
    expect(run(settle)).toThrow('a gig with undecided accounts cannot be settled');
    exec(`update earnings set state = 'refused', reason = 'withdrawn' where gig_id = ${watched.id}`);
    exec(settle);
    for (const state of ['held', 'eligible']) {
      const reopen = `update earnings set state = '${state}', reason = null where gig_id = ${watched.id}`;
      expect(run(reopen)).toThrow('nobody earns from a settled gig');
    }
    await expect(seedActs(store, watched, [sampleAct(2)])).rejects.toThrow();
  });
});

describe('what became of a gig, in raw SQL', () => {
  test('security: is set once', () => {
    exec('update gigs set stopped_at = 5 where id = 2');
    expect(run('update gigs set stopped_at = null where id = 2')).toThrow('a stop stays as it is');
    expect(run('update gigs set stopped_at = 6 where id = 2')).toThrow('a stop stays as it is');
    exec('update gigs set refunded_at = 7 where id = 2');
    expect(run('update gigs set refunded_at = null where id = 2')).toThrow('a refund is planned once');
    expect(run('update gigs set refunded_at = 8 where id = 2')).toThrow('a refund is planned once');
  });

  test('security: a cancelled gig stays as it is, and takes no start', () => {
    for (const change of [
      'cancelled_at = null',
      "status = 'live', production = 1",
      "reward_amount = '1'",
      'award_days = 3',
      `refund_address = '${seedAddress(8)}'`,
      "start_lock_holder = 'start', start_lock_until = 5",
    ]) {
      expect(run(`update gigs set ${change} where id = 3`), change).toThrow('a cancelled gig cannot be changed');
    }
    expect(run('delete from gigs where id = 3')).toThrow('a cancelled gig cannot be deleted');
    const copy = 'created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration';
    const replace = (id: string, wallet: string) =>
      `insert or replace into gigs (id, ${copy}, gig_type, platform, wallet_address)
      select ${id}, ${copy}, gig_type, platform, ${wallet} from gigs where id = 3`;
    expect(run(replace('3', `'${seedAddress(0xff)}'`))).toThrow('a cancelled gig cannot be replaced');
    expect(run(replace('null', 'wallet_address'))).toThrow('a cancelled gig cannot be replaced');
    expect(run(`update gigs set refund_to = '${seedAddress(8)}' where id = 3`)).not.toThrow();
  });

  test('security: no operator names an address beside that of the terms, or after the refund', async () => {
    const { id } = await seedGig(store, { live: true, refundAddress: seedAddress(7) });
    const name = (gig: number, address: number) =>
      run(`update gigs set refund_to = '${seedAddress(address)}' where id = ${gig}`);
    expect(name(id, 8)).toThrow('where a refund goes is decided already');
    expect(name(2, 8)).not.toThrow();
    exec('update gigs set refunded_at = 7 where id = 2');
    expect(name(2, 9)).toThrow('where a refund goes is decided already');
    expect(name(2, 8)).not.toThrow();
  });

  test.for([
    'update gigs set stopped_at = 1 where id = 3',
    'update gigs set settled_at = 1 where id = 3',
    'update gigs set refunded_at = 1 where id = 3',
    'update gigs set cancelled_at = 1 where id = 2',
    "update gigs set refund_to = '0xABC' where id = 2",
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed/);
  });
});

describe('refunds and returns, in raw SQL', () => {
  test('security: a refund is planned for a settled gig whose refund is marked, and once', () => {
    const message = 'a refund is planned for a settled gig';
    expect(run(PAYMENT(1, 'refund', 'null'))).toThrow(message);
    exec('update gigs set refunded_at = 7 where id in (1, 2)');
    expect(run(PAYMENT(2, 'refund', 'null'))).toThrow(message);
    exec(PAYMENT(1, 'refund', 'null'));
    expect(run(PAYMENT(1, 'refund', 'null'))).toThrow('UNIQUE constraint failed');
    exec("update payments set state = 'failed', reason = 'why' where kind = 'refund'");
    expect(run(PAYMENT(1, 'refund', 'null'))).not.toThrow();
  });

  test('security: a place has one return, of each gig', () => {
    exec(PAYMENT(1, 'return', '0'));
    expect(run(PAYMENT(1, 'return', '0'))).toThrow('UNIQUE constraint failed');
    for (const place of ['1', '127']) exec(PAYMENT(1, 'return', place));
    exec(PAYMENT(3, 'return', '0'));
  });

  test.for([
    ['return', 'null'],
    ['return', '-1'],
    ['return', '128'],
    ['return', '0.5'],
    ['refund', '0'],
    ['fee', '0'],
  ] as const)('error: refuses a %s at place %s', ([kind, place]) => {
    exec('update gigs set refunded_at = 7 where id = 1');
    expect(run(PAYMENT(1, kind, place))).toThrow('payments_place');
  });
});
